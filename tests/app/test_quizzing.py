"""The quiz over real stores: what it passes, and that it fails when it should."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.answering import Answer, Answerer, Extract
from nocturne.app.quizzing import Exam, Expectation, Quiz, quiz
from nocturne.core.facts import DAY
from nocturne.report.data import quiz as data
from nocturne.store import SqliteStore, open_store
from tests.app import making
from tests.app.making import LEXICON, POLICY, T0

SAID = (
    "My phone number is 555 0142.",
    "I don't eat meat or fish.",
    "I decided to use SQLite for the ledger because it is small.",
    "My sister Ngozi lives in Porto with two cats.",
    "I use pytest for tests and ruff for linting.",
    "I keep the backups of the ledger on the grey disk.",
    "I'm allergic to penicillin and to bee stings.",
    "I had a dentist appointment on 5 January.",
)
NOW = T0 + 2 * DAY


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with making.new_store(tmp_path) as made:
        making.take_in(made, making.talk(tmp_path / "a.jsonl", SAID))
        yield made


def extract(store: SqliteStore) -> Callable[[int | None], Answerer]:
    return lambda at: Extract(store, policy=POLICY, lexicon=LEXICON, now=NOW, at=at)


def exam(store: SqliteStore, **how: Any) -> Quiz:
    given: dict[str, Any] = {
        "store": store,
        "policy": POLICY,
        "lexicon": LEXICON,
        "now": NOW,
        "answerers": extract(store),
        "questions": 20,
        **how,
    }
    return quiz(Exam(**given))


class Scripted:
    """An answerer that says what it is told, whatever is asked."""

    name = "scripted"

    def __init__(self, say: Callable[[str], str]) -> None:
        self._say = say

    def answer(self, question: str, *, stricter: bool = False) -> Answer:
        return Answer(question, self._say(question), by="scripted")


def test_a_true_store_recalls_all_that_can_be_asked(store: SqliteStore) -> None:
    found = exam(store)
    assert len(found.items) >= 7
    assert [item.fact.text for item in found.items if not item.passed] == []
    assert found.exit_code == 0


def test_the_same_seed_asks_the_same(store: SqliteStore) -> None:
    first, again, other = (data.quiz(exam(store, questions=3, seed=seed)) for seed in (7, 7, 8))
    assert first == again
    assert first["recall"]["items"] != other["recall"]["items"]


def test_no_question_gives_half_of_its_answer_away(store: SqliteStore) -> None:
    from nocturne.app.quizzing import subjects_of
    from nocturne.core.quiz import leak

    found = exam(store)
    for item in found.items:
        share = leak(item.question, item.fact.text, subjects_of(item.fact, LEXICON), LEXICON)
        assert share < Fraction(1, 2), item.question
    assert found.leaky, "the plain question after a phone number says phone and number"
    assert all(each.leak >= Fraction(1, 2) for each in found.leaky)


def test_merged_facts_are_not_asked_about(store: SqliteStore, tmp_path: Path) -> None:
    one, two = making.id_of(store, "0142"), making.id_of(store, "Ngozi")
    making.joined(store, one, two)
    assert {one, two}.isdisjoint(item.fact.id for item in exam(store).items)


# It fails when it should


def forge(store: SqliteStore, *statements: str) -> None:
    """Alter the file behind the store's back."""
    link = sqlite3.connect(store.path, isolation_level=None)
    for (trigger,) in link.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        link.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        assert link.execute(statement).rowcount > 0, statement
    link.close()


def text_of(words: str) -> str:
    return f"(SELECT hash FROM texts WHERE text LIKE 'Ana%{words}%')"


def test_swapped_facts_fail(store: SqliteStore) -> None:
    one, two = making.id_of(store, "penicillin"), making.id_of(store, "Ngozi")
    forge(
        store,
        f"UPDATE facts SET text = {text_of('Ngozi')} WHERE fact_id = {one}",
        f"UPDATE facts SET text = {text_of('penicillin')} WHERE fact_id = {two}",
    )
    found = exam(store)
    assert {item.fact.id for item in found.items if not item.passed} >= {one, two}
    assert found.exit_code == 1


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("does not eat meat", "Ana eats meat or fish."),
        ("is allergic", "Ana is not allergic to penicillin and to bee stings."),
        ("ruff", "Ana uses."),
        ("Ngozi", "Ana''s sister Ngozi lives in Lisbon with two cats."),
        ("0142", "Ana''s phone number is 555 0143."),
    ],
    ids=["affirmed", "denied", "gutted", "another-name", "another-value"],
)
def test_a_text_altered_behind_its_back_fails(store: SqliteStore, words: str, instead: str) -> None:
    id_ = next(fact.id for fact in store.all_facts() if words in fact.text)
    forge(
        store,
        f"UPDATE texts SET text = '{instead}' WHERE hash = (SELECT text FROM facts WHERE fact_id = {id_})",
    )
    found = exam(store, baseline=store.snapshot(1))
    assert found.exit_code == 1
    item = next((item for item in found.items if item.fact.id == id_), None)
    assert item is None or not item.passed


def test_altered_facts_fail_even_where_the_record_was_forged_along(store: SqliteStore) -> None:
    """Who can also forge commitments still has the turns against him."""
    id_ = making.id_of(store, "penicillin")

    class Gullible:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def vouched(self, _: int) -> bool:
            return True

        def forged(self) -> list[str]:
            return []

    assert exam(Gullible()).exit_code == 0  # type: ignore[arg-type]
    forge(
        store,
        "UPDATE texts SET text = 'Ana is not allergic to penicillin and to bee stings.' "
        f"WHERE hash = (SELECT text FROM facts WHERE fact_id = {id_})",
    )
    found = exam(Gullible())  # type: ignore[arg-type]
    (item,) = [item for item in found.items if item.fact.id == id_]
    assert "its turns do not say it" in item.untrue
    assert found.exit_code == 1


def test_facts_switched_off_behind_its_back_fail(store: SqliteStore) -> None:
    forge(store, "UPDATE facts SET active = 0")
    found = exam(store)
    assert found.exit_code == 1
    assert f"its record says {len(SAID)}" in " ".join(found.problems)


def test_an_emptied_index_fails(store: SqliteStore) -> None:
    store._link.run("INSERT INTO search (search) VALUES ('delete-all')")
    assert exam(store).exit_code == 1


def test_who_never_has_it_fails_recall_and_not_forgetting(store: SqliteStore) -> None:
    making.taken_back(store, making.id_of(store, "dentist"))
    found = exam(store, answerers=lambda _: Scripted(lambda _: "I don't have that in memory."))
    assert found.recalled == 0
    assert all(item.attempts == 2 for item in found.items)
    assert [each.probe.passed for each in found.probes] == [True]
    assert found.exit_code == 1


def test_who_blurts_what_was_forgotten_fails(store: SqliteStore) -> None:
    making.taken_back(store, making.id_of(store, "dentist"))
    honest = Extract(store, policy=POLICY, lexicon=LEXICON, now=NOW)

    class Blurting:
        name = "blurting"

        def answer(self, question: str, *, stricter: bool = False) -> Answer:
            said = honest.answer(question, stricter=stricter)
            if said.found:
                return said
            return Answer(question, "I don't have that, but there was a dentist appointment on 5 January.")

    found = exam(store, answerers=lambda _: Blurting())
    (each,) = found.probes
    assert (each.probe.absent, each.probe.said_absent, each.probe.passed) == (True, True, False)
    assert each.probe.leaked
    assert found.exit_code == 1


def test_forgotten_and_said_by_another_fact_fails(store: SqliteStore, tmp_path: Path) -> None:
    gone = making.id_of(store, "dentist")
    making.take_in(
        store,
        making.talk(
            tmp_path / "b.jsonl", ["I had a dentist appointment on 5 January in Ghent."], session="b"
        ),
    )
    making.taken_back(store, gone)
    found = exam(store)
    (each,) = found.probes
    assert not each.probe.absent
    assert each.probe.still == making.id_of(store, "Ghent")
    assert found.exit_code == 1


def test_a_second_stricter_try_is_allowed_and_counted(store: SqliteStore) -> None:
    honest = Extract(store, policy=POLICY, lexicon=LEXICON, now=NOW)

    class Hasty:
        name = "hasty"

        def answer(self, question: str, *, stricter: bool = False) -> Answer:
            return (
                honest.answer(question) if stricter else Answer(question, "Something with Ana.", by="hasty")
            )

    found = exam(store, answerers=lambda _: Hasty(), questions=3)
    assert [item.attempts for item in found.items] == [2, 2, 2]
    assert found.exit_code == 0


def test_a_value_that_no_fact_has_fails(store: SqliteStore) -> None:
    honest = Extract(store, policy=POLICY, lexicon=LEXICON, now=NOW)

    class Embroidering:
        name = "embroidering"

        def answer(self, question: str, *, stricter: bool = False) -> Answer:
            said = honest.answer(question)
            return Answer(question, f"{said.text} Since 1987.", said.facts, by="embroidering")

    assert exam(store, answerers=lambda _: Embroidering()).recalled == 0


# Nothing to ask, nothing to probe


def test_nothing_to_probe_is_no_proof(store: SqliteStore) -> None:
    found = exam(store)
    assert found.probes == ()
    assert found.exit_code == 0
    assert exam(store, require_forgotten=True).exit_code == 1


def test_an_empty_store_proves_nothing(tmp_path: Path) -> None:
    with making.new_store(tmp_path, "empty.db") as empty:
        found = exam(empty)
    assert found.exit_code == 1
    assert "nothing to ask" in found.problems[0]


def test_fail_under(store: SqliteStore) -> None:
    half = Scripted(lambda _: "I don't have that in memory.")
    honest = Extract(store, policy=POLICY, lexicon=LEXICON, now=NOW)

    class Sometimes:
        name = "sometimes"

        def answer(self, question: str, *, stricter: bool = False) -> Answer:
            return (
                half.answer(question) if "Ngozi" in honest.answer(question).text else honest.answer(question)
            )

    assert exam(store, answerers=lambda _: Sometimes()).exit_code == 1
    assert exam(store, answerers=lambda _: Sometimes(), threshold=Fraction(1, 2)).exit_code == 0


# Before and after


def test_a_night_regresses_nothing(store: SqliteStore) -> None:
    before = store.snapshot(store.head().snapshot)
    making.slept(store)
    found = exam(store, baseline=before)
    assert found.regressions == []
    assert all(item.before for item in found.items)
    assert found.exit_code == 0


def test_what_a_policy_retired_is_no_regression(store: SqliteStore) -> None:
    before = store.snapshot(1)
    making.slept(store, now=T0 + 200 * DAY, policy=replace(POLICY, loss_budget=1.0))
    found = exam(store, baseline=before, now=T0 + DAY)
    gone = [item for item in found.items if item.retired]
    assert gone
    assert {item.retired for item in gone} == {"forget:stale"}
    assert not {item.fact.id for item in gone} & {item.fact.id for item in found.counted}
    assert found.regressions == []


def test_what_was_lost_without_a_rule_is_a_regression(store: SqliteStore) -> None:
    from nocturne.core.acts import Act
    from nocturne.core.facts import Change

    before = store.snapshot(1)
    old = store.fact(making.id_of(store, "penicillin"))
    assert old is not None
    with store.transaction() as tx:
        gone = making_inactive(old)
        tx.act([Act("slip", changes=(Change(old, gone),))], at=NOW)
        tx.snapshot("slip", command="", policy=None, at=NOW)
    found = exam(store, baseline=before)
    assert [item.fact.id for item in found.regressions] == [old.id]
    assert found.exit_code == 1


def making_inactive(fact: Any) -> Any:
    return replace(fact, active=False, retired_by="dedupe")


# Contracts


@pytest.mark.parametrize(
    ("expect", "question", "text", "holds"),
    [
        ("contains", "What is Ana allergic to?", "penicillin", True),
        ("contains", "Does Ana eat meat?", "does not eat meat", True),
        ("contains", "Does Ana eat meat?", "lasagne", False),
        ("absent", "Where does Ana's sister live?", "Lisbon", True),
        ("absent", "Where does Ana's sister live?", "Porto", False),
        ("absent", "Is there anything new?", "Ngozi", False),
    ],
)
def test_expectations_of_the_user(
    store: SqliteStore, expect: Any, question: str, text: str, holds: bool
) -> None:
    found = exam(store, contract=[Expectation(expect, question, text)], only_contract=True)
    assert [each.passed for each in found.contract] == [holds]
    assert found.exit_code == (0 if holds else 1)


def test_a_quiz_writes_nothing(store: SqliteStore) -> None:
    before = store.head(), store.activations()
    exam(store)
    assert (store.head(), store.activations()) == before


def test_it_reads_a_store_opened_for_reading(store: SqliteStore) -> None:
    with open_store(store.path, mode="readonly", measures=making.measures()) as reader:
        assert exam(reader).exit_code == 0
