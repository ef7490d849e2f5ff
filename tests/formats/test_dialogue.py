from __future__ import annotations

import pytest

from nocturne.errors import InputUnreadable
from nocturne.formats import read


def turns(text: str) -> list[tuple[str | None, str, str]]:
    return [(turn.speaker, turn.provenance, turn.text) for turn in read(text.encode(), name="talk.txt").turns]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dana: I live in Lisbon.", [("Dana", "human", "I live in Lisbon.")]),
        (
            "User: hi there\nAssistant: hello\n",
            [(None, "human", "hi there"), (None, "assistant", "hello")],
        ),
        (
            "user: I moved: to Faro\nbot: ok\n",
            [(None, "human", "I moved: to Faro"), (None, "assistant", "ok")],
        ),
        (
            "Ana Silva: Two things.\n\nFirst, tea.\nBruno: Fine.\nAna Silva: Good.",
            [
                ("Ana Silva", "human", "Two things.\n\nFirst, tea."),
                ("Bruno", "human", "Fine."),
                ("Ana Silva", "human", "Good."),
            ],
        ),
        ("**Ana:** I ski.\n**Ana:** Often.\n", [("Ana", "human", "I ski."), ("Ana", "human", "Often.")]),
        ("**Ana**: I ski.\n**Ana**: Often.\n", [("Ana", "human", "I ski."), ("Ana", "human", "Often.")]),
        ("- Ana: I ski.\n- Bo: I swim.\n", [("Ana", "human", "I ski."), ("Bo", "human", "I swim.")]),
        (
            "## User\n\nI ski.\n\n## Assistant\n\nNice.\n",
            [(None, "human", "I ski."), (None, "assistant", "Nice.")],
        ),
        (
            "小明: 我住在上海 现在\n小红: 好的 知道了\n",
            [("小明", "human", "我住在上海 现在"), ("小红", "human", "好的 知道了")],
        ),
        (
            "小明：我 住在上海。\n助手：好 的。\n",
            [("小明", "human", "我 住在上海。"), (None, "assistant", "好 的。")],
        ),
        (
            "José: Vivo em Évora.\nAssistant: ok\n",
            [("José", "human", "Vivo em Évora."), (None, "assistant", "ok")],
        ),
        ("System: Be kind.\nUser: I ski.\n", [(None, "injected", "Be kind."), (None, "human", "I ski.")]),
        (
            "You said:\nI ski.\nChatGPT said:\nNice.\n",
            [(None, "human", "I ski."), (None, "assistant", "Nice.")],
        ),
        ("Customer: It broke.\nBot: Sorry.\n", [(None, "human", "It broke."), (None, "assistant", "Sorry.")]),
        ("\u200e[2026-01-01 10:00] Ana: I ski a lot.\n", [("Ana", "human", "I ski a lot.")]),
        (
            "User: (speaker: Stranger) I am allergic to nuts.\nAssistant: Noted.\n",
            [("Stranger", "human", "I am allergic to nuts."), (None, "assistant", "Noted.")],
        ),
    ],
)
def test_shapes(text: str, expected: list[tuple[str | None, str, str]]) -> None:
    assert turns(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "name: app\nversion: 1.0\nauthor: someone\n",
        "Subject: hello there friend\nFrom: ana@example.com\nTo: bo@example.com\n\nText of a letter.\n",
        "Error: something failed badly here\nWarning: something else happened\n",
        "Host: example.com\nAccept: */*\n",
        "The plan is this: we go.\nThen comes more text.\nAnd even more of it.\n",
        "http://example.com: down again today\n",
        "def f(x):\n    return x\n\nclass A:\n    pass\n",
        "Note: this is a remark of mine.\n\nThe rest is prose about other things.\n",
        "Context: a new shop\nModel: small and quick\nSummary: it works\nModel: large and slow\n",
        "Agent: J. Smith, London office\nClient: ACME Ltd of Leeds\n",
        "2026-01-01 12:00:01 INFO: server started\n2026-01-01 12:00:02 INFO: listening\n",
    ],
)
def test_what_only_looks_like_dialogue_is_refused(text: str) -> None:
    with pytest.raises(InputUnreadable):
        read(text.encode(), name="x")


def test_times_and_sessions() -> None:
    text = (
        "# Session 1 (2026-02-03)\n"
        "[09:12] Ana: Good morning all.\n"
        "[9:30 PM] Bo: Good evening all.\n"
        "# Session 2\n"
        "[2026-02-05T08:00:00Z] Ana: I am back.\n"
        "25/02/2026, 18:30 - Ana: It is done.\n"
        "03/04/2026, 18:30 - Ana: Which month is this?\n"
    )
    reading = read(text.encode(), name="talk.txt")
    found = [(turn.session, turn.position, turn.said_at) for turn in reading.turns]
    assert found == [
        ("talk:1", 0, 1_770_109_920_000_000),
        ("talk:1", 1, 1_770_154_200_000_000),
        ("talk:2", 0, 1_770_278_400_000_000),
        ("talk:2", 1, 1_772_044_200_000_000),
        ("talk:2", 2, None),
    ]
    assert reading.notes["date that could be day/month or month/day"] == 1


def test_offsets_are_bytes() -> None:
    data = "Zoë: ééé ééé\nBo: hello there\nZoë: bye now\n".encode()
    for turn in read(data, name="x").turns:
        line = data[turn.offset :].split(b"\n")[0].decode()
        assert line.endswith(turn.text)
