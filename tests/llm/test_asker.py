"""What is asked, how often, within what limits, and what is said about the rest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.asking import RawReply
from nocturne.core.proposals import Drop
from nocturne.core.verdicts import Refused
from nocturne.errors import ProviderFailed
from nocturne.llm.batching import likely_tokens, shown
from nocturne.llm.caller import Manner
from nocturne.llm.prompting import files_hash
from nocturne.llm.sending import Sending, sending, whole_store
from nocturne.passes.briefs import (
    Cluster,
    DedupeBrief,
    EncodeBrief,
    MergeBrief,
    PromoteBrief,
    SchematiseBrief,
)
from tests.llm.made import all_pairs, dedupe, drops, every_brief, fact, facts, proposer, turn
from tests.llm.serving import Asked, Said, Server, agreeable, chat, no_facts, prose, serving, too_long


@pytest.mark.parametrize("brief", every_brief(), ids=lambda brief: brief.pass_name)
def test_every_pass_can_be_asked(brief: Any) -> None:
    def nothing(asked: Asked) -> Said:
        (schema,) = [asked.payload["response_format"]["json_schema"]["schema"]]
        lists: dict[str, list[Any]] = {key: [] for key in schema["required"] if key != "nonce"}
        return chat(json.dumps({"nonce": asked.nonce, **lists}), asked)

    with serving(nothing) as server:
        asker = proposer(server.url)
        (reply,) = asker.propose(brief.pass_name, brief)
        asker.close()
    assert all(value == [] for value in json.loads(reply).values())
    assert reply.provenance["prompt"] == files_hash(brief.pass_name)


def test_an_empty_brief_costs_nothing() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url)
        assert list(asker.propose("dedupe", DedupeBrief((), {}))) == []
        asker.close()
        assert server.asked == []
        assert asker.usage.calls == 0


def test_provenance_names_everything(tmp_path: Path) -> None:
    contents: list[str] = []

    def fenced(asked: Asked) -> Said:
        said = agreeable(asked)
        content = json.loads(said.body)["choices"][0]["message"]["content"]  # type: ignore[arg-type]
        contents.append(f"```json\n{content}\n```")
        return chat(contents[-1], asked, read=1234)

    with serving(fenced) as server:
        asker = proposer(server.url, cache=tmp_path, wall=1_700_000_000.5)
        (reply,) = asker.propose("dedupe", dedupe())
        asker.close()
    where = reply.provenance
    assert (where["provider"], where["model"]) == ("openai", "tiny")
    assert where["host"] == server.url.removeprefix("http://").removesuffix("/v1")
    assert where["reply"] == hashlib.sha256(contents[0].encode()).hexdigest()
    assert (where["tokens_in"], where["tokens_out"]) == (1234, 20)
    assert where["at"] == 1_700_000_000_500_000
    assert (where["requested"], where["honoured"], where["repairs"]) == ("json_schema", "none", ["fence"])
    assert RawReply.load(reply.dump()).provenance == where
    assert RawReply.load(reply.dump()) == reply
    json.dumps(where)


def test_portions_are_asked_in_parallel_up_to_jobs_and_come_back_in_order(tmp_path: Path) -> None:
    def slow(asked: Asked) -> Said:
        said = agreeable(asked)
        said.wait = 0.15 if asked.pairs[0] == ("m2", "m1") else 0.05
        return said

    with serving(slow) as server:
        asker = proposer(server.url, cache=tmp_path, jobs=3, batch=2)
        replies = list(asker.propose("dedupe", dedupe(14)))
        asker.close()
    assert drops(replies) == all_pairs(14)
    assert len(server.posts) == 7
    assert 2 <= server.most_abreast <= 3


def test_one_call_goes_ahead_until_the_format_is_known(tmp_path: Path) -> None:
    def no_schema(asked: Asked) -> Said:
        if asked.payload.get("response_format", {}).get("type") == "json_schema":
            return Said(b'{"error": {"message": "response_format json_schema is not supported"}}', 400)
        return agreeable(asked)

    with serving(no_schema) as server:
        asker = proposer(server.url, cache=tmp_path, jobs=4, batch=1)
        list(asker.propose("dedupe", dedupe(6)))
        asker.close()
        formats = [asked.payload.get("response_format", {}).get("type") for asked in server.posts]
        assert formats == ["json_schema"] + ["json_object"] * 6
        assert asker.usage.formats == {"json_object→json_object": 6, "json_schema→refused": 1}

        again = proposer(server.url, cache=tmp_path, jobs=1)
        list(again.propose("dedupe", dedupe(1)))
        again.close()
        assert server.posts[-1].payload["response_format"]["type"] == "json_object"
        assert len(server.posts) == 8


def test_a_dry_run_reads_the_cache_and_writes_none(tmp_path: Path) -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url, cache=tmp_path / "cache", writes_cache=False)
        list(asker.propose("dedupe", dedupe()))
        asker.close()
    assert not (tmp_path / "cache").exists()


def test_a_server_that_wraps_its_objects_is_treated_as_without_format(tmp_path: Path) -> None:
    def fenced(asked: Asked) -> Said:
        body = json.loads(agreeable(asked).body)  # type: ignore[arg-type]
        return chat(f"```json\n{body['choices'][0]['message']['content']}\n```", asked)

    with serving(fenced) as server:
        asker = proposer(server.url, cache=tmp_path, batch=1, jobs=1)
        assert len(list(asker.propose("dedupe", dedupe(4)))) == 4
        asker.close()
        formats = [asked.payload.get("response_format", {}).get("type") for asked in server.posts]
    assert formats == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize(
    ("message", "gone", "instead"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", None),
    ],
)
def test_a_parameter_that_is_refused_is_left_out_and_remembered(
    tmp_path: Path, message: str, gone: str, instead: str | None
) -> None:
    def picky(asked: Asked) -> Said:
        if gone in asked.payload:
            return Said(json.dumps({"error": {"message": message}}).encode(), 400)
        return agreeable(asked)

    with serving(picky) as server:
        asker = proposer(server.url, cache=tmp_path)
        assert len(list(asker.propose("dedupe", dedupe()))) == 1
        asker.close()
        assert len(server.posts) == 2
        assert instead is None or instead in server.posts[1].payload
        again = proposer(server.url, cache=tmp_path)
        list(again.propose("dedupe", dedupe()))
        again.close()
        assert len(server.posts) == 3


def test_a_cut_reply_halves_the_batch() -> None:
    with serving(too_long) as server:
        asker = proposer(server.url, jobs=1)
        replies = list(asker.propose("dedupe", dedupe(10)))
        how = asker.asked("dedupe")
        asker.close()
    assert drops(replies) == all_pairs(10)
    assert [len(asked.pairs) for asked in server.posts] == [10, 5, 2, 3, 5, 2, 3]
    assert how is not None
    assert (how.answered, how.failures) == (10, ())


def test_halving_ends() -> None:
    with serving(lambda asked: chat('{"drop":[', asked, finish="length")) as server:
        asker = proposer(server.url, jobs=1)
        with pytest.raises(ProviderFailed):
            list(asker.propose("dedupe", dedupe(64)))
        how = asker.asked("dedupe")
        asker.close()
    assert len(server.posts) <= 12
    assert how is not None
    assert len(how.unanswered) == 64
    assert how.stopped == "3 calls in a row gave nothing usable"


def test_a_prompt_that_the_server_cuts_is_halved_until_it_fits() -> None:
    window = 700

    def cutter(asked: Asked) -> Said:
        said = agreeable(asked)
        body = json.loads(said.body)  # type: ignore[arg-type]
        body["usage"]["prompt_tokens"] = min(window, asked.tokens * 3 // 4)
        return Said(json.dumps(body).encode())

    with serving(cutter) as server:
        asker = proposer(server.url, jobs=1)
        replies = list(asker.propose("dedupe", dedupe(8, words=120)))
        asker.close()
    assert drops(replies) == all_pairs(8)
    assert len(server.posts) > 3


def test_three_useless_replies_in_a_row_end_the_pass() -> None:
    with serving(agreeable, prose) as server:
        asker = proposer(server.url, jobs=1, batch=1)
        replies = list(asker.propose("dedupe", dedupe(20)))
        how = asker.asked("dedupe")
        asker.close()
    assert len(replies) == 1
    assert len(server.posts) == 1 + 3 * 2
    assert how is not None
    assert (how.answered, len(how.unanswered), len(how.failures)) == (1, 19, 3)
    assert how.stopped == "3 calls in a row gave nothing usable"


def test_a_single_failure_among_answers_is_reported_and_no_more() -> None:
    with serving(agreeable, prose, prose, agreeable) as server:
        asker = proposer(server.url, jobs=1, batch=1)
        replies = list(asker.propose("dedupe", dedupe(4)))
        how = asker.asked("dedupe")
        asker.close()
    assert drops(replies) == [pair for pair in all_pairs(4) if pair != ("m4", "m3")]
    assert how is not None
    assert how.unanswered == ((4, 3),)
    assert how.failures[0].startswith("prose:")
    assert how.stopped is None


def test_a_refused_key_gives_the_provider_up_for_the_whole_run() -> None:
    with serving(lambda _: Said(b'{"error": "no"}', 401)) as server:
        asker = proposer(server.url, batch=1)
        for pass_name in ("dedupe", "dedupe"):
            with pytest.raises(ProviderFailed, match="auth:"):
                list(asker.propose(pass_name, dedupe(5)))
        asker.close()
        assert len(server.posts) == 1


def test_rounds_of_one_pass_count_together() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url)
        list(asker.propose("dedupe", dedupe(2)))
        list(asker.propose("dedupe", dedupe(3)))
        how = asker.asked("dedupe")
        list(asker.propose("merge", MergeBrief((), {})))
        list(asker.propose("dedupe", dedupe(1)))
        later = asker.asked("dedupe")
        asker.close()
    assert how is not None
    assert how.units == 5
    assert later is not None
    assert later.units == 1


def test_repair_tells_what_was_refused_and_why() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url)
        brief = dedupe(5)
        list(asker.propose("dedupe", brief))
        refusals = [Refused(Drop(fact=4, duplicate_of=3, reason="same"), "N204", {"similarity": "2/3"})]
        replies = list(asker.repair("dedupe", brief, refusals))
        asker.close()
    asked = server.posts[-1]
    assert drops(replies) == [("m4", "m3")]
    assert asked.pairs == [("m4", "m3")]
    assert '"code":"N204"' in asked.user
    assert '{\\"similarity\\": \\"2/3\\"}' in asked.user
    assert '"drop":"m4","duplicateOf":"m3"' in asked.user
    assert "m10" not in asked.user
    assert replies[0].provenance["prompt"] == files_hash("dedupe", repair=True)
    how = asker.asked("dedupe")
    assert how is not None
    assert how.units == 5  # a repair is no new question


def test_a_failed_repair_is_no_failure() -> None:
    with serving(prose) as server:
        asker = proposer(server.url)
        refusals = [Refused(Drop(fact=2, duplicate_of=1, reason=""), "N204", {})]
        assert list(asker.repair("dedupe", dedupe(), refusals)) == []
        assert list(asker.repair("dedupe", dedupe(), [])) == []
        asker.close()
        assert len(server.posts) == 2


def test_a_malformed_entry_is_repaired_by_the_ids_in_its_text() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url)
        raw = '{"itemId": "m4", "duplicateOf": 3}'
        refusals = [Refused(None, "N001", {"found": "duplicateOf is 3, not an id", "raw": raw})]
        assert drops(list(asker.repair("dedupe", dedupe(5), refusals))) == [("m4", "m3")]
        asker.close()


def test_a_turn_that_no_call_can_hold_is_reported_not_sent() -> None:
    brief = EncodeBrief((turn(1, "I like tea."), turn(2, "word " * 9000), turn(3, "I like jam.")))
    with serving(no_facts) as server:
        asker = proposer(server.url, context_tokens=4096, most_output=1024, jobs=1)
        with pytest.raises(ProviderFailed, match=r"1 of 3 turns were not read"):
            list(asker.propose("encode", brief))
        how = asker.asked("encode")
        asker.close()
        assert len(server.posts) == 2
        assert all(likely_tokens(asked.user) < 4096 for asked in server.posts)
    assert how is not None
    assert how.unanswered == ((2,),)
    assert "one call would take at least" in how.failures[0]


def test_cost_follows_what_is_asked_not_what_is_known() -> None:
    known = facts(2000)
    brief = DedupeBrief(dedupe(2).pairs, known)
    with serving(agreeable) as server:
        asker = proposer(server.url)
        list(asker.propose("dedupe", brief))
        asker.close()
        assert len(server.posts) == 1
        assert server.posts[0].tokens < 1200


def test_of_a_crowded_cluster_a_model_sees_the_typical_members() -> None:
    known = {
        n: fact(n, f"The user waters {'the fern' if n % 50 == 0 else 'an oak'} {n}.") for n in range(1, 3001)
    }
    brief = SchematiseBrief((Cluster(tuple(known), ("water", "fern")),), known)
    part = shown(brief)
    assert isinstance(part, SchematiseBrief)
    assert part.clusters[0].members == tuple(range(50, 2001, 50))
    assert set(part.facts) == set(part.clusters[0].members)
    small = SchematiseBrief((Cluster((1, 2, 3), ("water",)),), known)
    assert shown(small) is small

    def nothing(asked: Asked) -> Said:
        return chat(json.dumps({"nonce": asked.nonce, "schematise": []}), asked)

    with serving(nothing) as server:
        asker = proposer(server.url, context_tokens=8192, most_output=2048)
        assert len(list(asker.propose("schematise", brief))) == 1
        assert list(asker.repair("schematise", brief, [])) == []
        asker.close()
        assert server.posts[0].tokens < 4000
    how = asker.asked("schematise")
    assert how is not None
    assert (how.units, how.unanswered) == (1, ())


def test_a_server_is_needed_only_when_asked() -> None:
    with Server() as server:
        asker = proposer(server.url)
        asker.close()
        assert server.asked == []


def test_what_would_be_sent_is_what_is_sent() -> None:
    brief = dedupe(30)
    manner = Manner(batch=7, context_tokens=60_000, most_output=8192, near=True)
    with serving(agreeable) as server:
        asker = proposer(server.url, batch=7)
        list(asker.propose("dedupe", brief))
        asker.close()
        sent = sum(asked.tokens for asked in server.posts)
        calls = len(server.posts)
    foreseen = sending(brief, manner)
    assert foreseen.calls == calls == 5
    assert abs(foreseen.tokens_in - sent) <= calls
    assert sending(DedupeBrief((), {})) == Sending()
    everything = PromoteBrief(facts(1000))
    assert foreseen.tokens_in < whole_store(everything)
