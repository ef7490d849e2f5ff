import pytest

from nocturne.core.artefacts import cut, cut_turn, fence, is_own_export
from nocturne.core.facts import Turn


def test_our_own_fence_is_recognised() -> None:
    block = fence("- The user lives in Porto. (m3)\n- The user keeps bees.", kind="memory", head="9f3c")
    text, counts = cut(f"Here is what I have:\n{block}\nI moved to Faro.")
    assert text == "Here is what I have:\n\nI moved to Faro."
    assert counts == {"own-export": 1}


@pytest.mark.parametrize(
    ("text", "left", "counts"),
    [
        ("<!-- nocturne:export memory -->\n- The user keeps bees.", "", {"own-export": 1}),
        (
            "<recalled_memories>likes tea</recalled_memories> Let us start.",
            "Let us start.",
            {"recalled-memory": 1},
        ),
        ("<memory-context>\nlikes tea\n</memory-context>\nHi.", "Hi.", {"recalled-memory": 1}),
        ("<relevant-memories n='2'>a\nb</relevant-memories>\nHi.", "Hi.", {"recalled-memory": 1}),
        ("<memories>\nnever closed, so all of it", "", {"recalled-memory": 1}),
        ("[recalled memory] The user prefers Vim.", "", {"recalled-memory": 1}),
        (
            "[recalled memory] The user prefers Vim.\n\nI use Emacs now.",
            "I use Emacs now.",
            {"recalled-memory": 1},
        ),
        (
            "[memory context]\na\n\nb\n[/memory context]\nI use Emacs.",
            "I use Emacs.",
            {"recalled-memory": 1},
        ),
        (
            "Candidate: User: likes tea confidence: 0.00 evidence: memory/a.md:12\nI like tea.",
            "I like tea.",
            {"memory-metadata": 1},
        ),
        ("What does the <memories> tag do?", "What does the <memories> tag do?", {}),
        ("My memory is bad: I forget names.", "My memory is bad: I forget names.", {}),
        ("  two spaces before stay  ", "  two spaces before stay  ", {}),
    ],
)
def test_recalled_blocks_are_cut(text: str, left: str, counts: dict[str, int]) -> None:
    assert cut(text) == (left, counts)


def test_a_turn_of_recalled_text_alone_becomes_injected_and_keeps_it() -> None:
    turn = Turn(0, 0, None, 0, 0, None, None, "human", "[recalled memory] The user prefers Vim.")
    changed, counts = cut_turn(turn)
    assert (changed.provenance, changed.text) == ("injected", turn.text)
    assert counts == {"recalled-memory": 1}


def test_tool_output_is_left_as_it_is() -> None:
    turn = Turn(0, 0, None, 0, 0, None, None, "tool", "<memories>a</memories>")
    assert cut_turn(turn) == (turn, {})


def test_json_exports_carry_the_key() -> None:
    assert is_own_export({"nocturne": "fact", "text": "The user keeps bees."})
    assert not is_own_export({"text": "nocturne"})
