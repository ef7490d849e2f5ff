"""Replies that a broken-off run leaves in the store are not paid for twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nocturne.cli.journal import StoreJournal
from nocturne.errors import ProviderFailed
from nocturne.store import open_store
from tests.llm.made import dedupe, proposer
from tests.llm.serving import Said, agreeable, serving

NOW = 1_750_000_000_000_000


def test_a_run_that_broke_off_resumes_from_the_store(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_store(path, mode="create", now=NOW).close()
    with serving(agreeable, agreeable, lambda _: Said(b"", 401)) as server:
        store = open_store(path, mode="rw", now=NOW)
        first = proposer(server.url, journal=StoreJournal(store, "openai:tiny", NOW), batch=1, jobs=1)
        assert len(list(first.propose("dedupe", dedupe(4)))) == 2
        with pytest.raises(ProviderFailed):
            list(first.propose("dedupe", dedupe(5, words=9)))
        first.close()
        store.close()
    with serving(agreeable) as server:
        store = open_store(path, mode="rw", now=NOW)
        head = store.head()
        second = proposer(server.url, journal=StoreJournal(store, "openai:tiny", NOW), batch=1, jobs=1)
        replies = list(second.propose("dedupe", dedupe(4)))
        second.close()
        assert store.head() == head  # the journal lies beside the chain
        assert store.problems() == []
        store.close()
        assert len(server.posts) == 2
    assert len(replies) == 4
    assert [json.loads(reply)["drop"][0]["itemId"] for reply in replies] == ["m2", "m4", "m6", "m8"]
    assert {reply.provenance["model"] for reply in replies} == {"tiny"}
