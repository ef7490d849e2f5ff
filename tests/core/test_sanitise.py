import pytest

from nocturne.core.facts import ToolCall, Turn
from nocturne.core.sanitise import clean, clean_turn, identifier

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "kept", "counts"),
    [
        ("plain text\twith a tab\nand a line", "plain text\twith a tab\nand a line", {}),
        ("a\x00b\x00c", "abc", {"nul": 2}),
        ("bell \x07 and escape \x1b[31m red", "bell  and escape [31m red", {"control-character": 2}),
        ("next\x85line", "nextline", {"control-character": 1}),
        ("half \ud83d of an emoji", "half  of an emoji", {"lone-surrogate": 1}),
        ("windows\r\nmac\rline", "windows\nmac\nline", {}),
        ("I like tea\U000e0069\U000e0067", "I like tea", {"tag-character": 2}),
        (f"the flag {SCOTLAND} stays", f"the flag {SCOTLAND} stays", {}),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469", {"zero-width": 1}),
        ("می\u200cخواهم", "می\u200cخواهم", {"zero-width": 1}),
        ("abc\u202etxt.exe", "abc\u202etxt.exe", {"bidi-control": 1}),
        ("日本語 и русский", "日本語 и русский", {}),
    ],
)
def test_what_stays_and_what_is_counted(text: str, kept: str, counts: dict[str, int]) -> None:
    cleaned = clean(text)
    assert cleaned.text == kept
    assert dict(cleaned.counts) == counts
    assert clean(kept).text == kept


def test_a_text_over_the_limit_is_cut_and_the_loss_counted() -> None:
    cleaned = clean("x" * 250, max_chars=200)
    assert len(cleaned.text) == 200
    assert dict(cleaned.counts) == {"text-too-long": 50}


def test_the_code_points_taken_out_are_listed_once() -> None:
    assert clean("a\x00b\x07c\x00\u200b").code_points == ("U+0000", "U+0007", "U+200B")


def test_a_turns_tool_payload_is_cleaned_too() -> None:
    turn = Turn(0, 0, None, 0, 0, None, None, "tool", "ran\x00", tool=ToolCall("sh", "c1", "ls\x1b", "ok"))
    cleaned, counts = clean_turn(turn)
    assert (cleaned.text, cleaned.tool) == ("ran", ToolCall("sh", "c1", "ls", "ok"))
    assert counts == {"nul": 1, "control-character": 1}


def test_an_untouched_turn_is_the_same_object() -> None:
    turn = Turn(0, 0, None, 0, 0, None, None, "human", "I live in Porto.")
    assert clean_turn(turn)[0] is turn


def test_identifiers_are_one_short_line() -> None:
    assert identifier(" Dana\n\x00 Lee ") == "Dana Lee"
    assert len(identifier("x" * 1000)) == 400
