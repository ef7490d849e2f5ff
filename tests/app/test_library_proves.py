"""The library's face of proving and forgetting."""

from __future__ import annotations

from pathlib import Path

from nocturne.memory import Memory
from tests.app.making import T0


def test_ask_quiz_forget_and_audit(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", clock=lambda: T0) as memory:
        memory.append("human", "I'm allergic to penicillin and to bee stings.")
        lost = memory.append("human", "I decided to sell the yellow kayak in Porto.")
        assert [fact.text for fact in memory.ask("what am I allergic to?").facts] == [
            "I'm allergic to penicillin and to bee stings."
        ]
        before = memory.snapshot()
        assert memory.quiz(baseline=before).problems == []
        receipt = memory.forget(f"m{lost.id}", by="Ana")
        assert receipt is not None
        assert receipt.to_json()["by"] == "Ana"
        assert memory.forget(match=["zeppelin"]) is None
        assert not memory.ask("what about the kayak?").found
        quiz = memory.quiz()
        assert [each.probe.passed for each in quiz.probes] == [True]
        erased = memory.forget(match=["penicillin"], erase=True)
        assert erased is not None
        assert memory.audit().problems == ()
    assert b"penicillin" not in (tmp_path / "m.db").read_bytes()
