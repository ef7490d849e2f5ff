"""What is recorded comes back, what is not there is an error, and no key is ever written."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.asking import RawReply
from nocturne.app.config import ProviderConfig
from nocturne.core.proposals import Drop
from nocturne.core.verdicts import Refused
from nocturne.errors import InputUnreadable, ProviderFailed, UsageError
from nocturne.llm.registry import make_proposer
from nocturne.llm.replay import Recorder, Replay
from tests.llm.made import dedupe, every_brief, forget, proposer
from tests.llm.serving import Asked, Said, agreeable, chat, serving

KEY = "sk-test-0123456789"


class Plain:
    """A proposer that is no asker, as the rules are."""

    name = "plain"

    def propose(self, pass_name: str, brief: Any) -> Iterator[str]:
        yield json.dumps({"pass": pass_name})
        yield "{}"


@pytest.mark.parametrize("brief", every_brief(), ids=lambda brief: brief.pass_name)
def test_any_proposer_comes_back_word_for_word(tmp_path: Path, brief: Any) -> None:
    path = tmp_path / "kept.jsonl"
    recorder = Recorder(Plain(), path)
    said = list(recorder.propose(brief.pass_name, brief))
    recorder.close()
    assert list(Replay(path).propose(brief.pass_name, brief)) == said
    assert recorder.usage.calls == 0


def test_a_model_comes_back_with_its_provenance_and_what_was_not_answered(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"

    def prose(asked: Asked) -> Said:
        return chat(f"My key is {KEY}.", asked)

    with serving(agreeable, prose, prose, agreeable) as server:
        recorder = Recorder(proposer(server.url, batch=1, jobs=1, key=KEY), path, secrets=(KEY,))
        said = list(recorder.propose("dedupe", dedupe(3)))
        refusals = [Refused(Drop(fact=2, duplicate_of=1), "N204", {"similarity": "2/3"})]
        mended = list(recorder.repair("dedupe", dedupe(3), refusals))
        recorder.close()
        assert len(server.posts) == 5
    replay = Replay(path)
    again = list(replay.propose("dedupe", dedupe(3)))
    assert again == said
    kept = again[0].provenance
    assert kept["replayed"] == "kept.jsonl"
    assert isinstance(said[0], RawReply)
    assert {name: kept[name] for name in said[0].provenance} == said[0].provenance
    how = replay.asked("dedupe")
    assert how is not None
    assert how.unanswered == ((4, 3),)
    assert how.failures[0].startswith("prose:")
    assert list(replay.repair("dedupe", dedupe(3), refusals)) == mended
    assert list(replay.repair("dedupe", dedupe(2), refusals)) == []
    assert replay.usage.tokens_out == 60


def test_no_secret_is_written_even_where_a_server_echoes_it(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"

    def echo(asked: Asked) -> Said:
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        entry = {"itemId": "m2", "duplicateOf": "m1", "reason": asked.headers["authorization"]}
        return chat(json.dumps({"nonce": asked.nonce, "drop": [entry]}), asked)

    with serving(echo) as server:
        recorder = Recorder(proposer(server.url, key=KEY), path, secrets=(KEY,))
        assert len(list(recorder.propose("dedupe", dedupe()))) == 1
        recorder.close()
    text = path.read_text()
    assert KEY not in text
    assert "authorization" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failure_comes_back_as_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with serving(lambda _: Said(b'{"error":"no"}', 401)) as server:
        recorder = Recorder(proposer(server.url), path)
        with pytest.raises(ProviderFailed) as first:
            list(recorder.propose("dedupe", dedupe()))
        recorder.close()
    with pytest.raises(ProviderFailed) as second:
        list(Replay(path).propose("dedupe", dedupe()))
    assert second.value.message == first.value.message
    assert second.value.hint == first.value.hint


def test_a_miss_shows_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    recorder = Recorder(Plain(), path)
    list(recorder.propose("dedupe", dedupe(3)))
    recorder.close()
    replay = Replay(path)
    with pytest.raises(ProviderFailed) as caught:
        list(replay.propose("dedupe", dedupe(3, words=9)))
    assert (
        '  - data {"id":"m1","text":"The user keeps shelf 1 word0 word1 word2 word3."}\n'
        in caught.value.message
    )
    assert (
        '  + data {"id":"m1","text":"The user keeps shelf 1 word0 word1 word2 word3 word4."}\n'
        in caught.value.message
    )
    assert "and 6 more" in caught.value.message
    assert len(caught.value.message) < 1500
    with pytest.raises(ProviderFailed, match="no reply for forget"):
        list(replay.propose("forget", forget()))


def test_the_same_question_twice_gets_its_answers_in_turn(tmp_path: Path) -> None:
    class Changing(Plain):
        count = 0

        def propose(self, pass_name: str, brief: Any) -> Iterator[str]:
            self.count += 1
            yield str(self.count)

    path = tmp_path / "kept.jsonl"
    recorder = Recorder(Changing(), path)
    for _ in range(2):
        list(recorder.propose("dedupe", dedupe()))
    recorder.close()
    replay = Replay(path)
    assert [list(replay.propose("dedupe", dedupe())) for _ in range(3)] == [["1"], ["2"], ["2"]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("{}\n", "not a file of recorded replies"),
        ("no json\n", ":1 is not JSON"),
        ('{"nocturne": "replies", "version": 1}\n{"key": 3}\n', ":2 is not an exchange"),
        ('{"nocturne": "replies", "version": 2}\n', "not a file of recorded replies"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(text)
    with pytest.raises(InputUnreadable, match=told):
        Replay(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="cannot be read"):
        Replay(tmp_path / "none.jsonl")
    with pytest.raises(InputUnreadable, match="cannot record"):
        Recorder(Plain(), tmp_path / "no" / "such.jsonl")
    with pytest.raises(UsageError, match="needs a file"):
        make_proposer(ProviderConfig("replay"))
