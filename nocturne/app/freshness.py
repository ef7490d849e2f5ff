"""What a pass has not looked at yet, so that the cost of a night follows what changed and not what exists."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import chain

from nocturne.app.ports import Store
from nocturne.core.facts import Stand, State, Step
from nocturne.core.policy import Policy
from nocturne.core.retention import spans
from nocturne.passes.heir import home


def noted_as(pass_name: str, proposer: str) -> str:
    """The name that a whole run of the pass is noted under: what rules looked at no model has seen."""
    return pass_name if proposer == "rules" else f"{pass_name} by a model"


def fresh_for(
    store: Store,
    pass_name: str,
    policy: Policy,
    *,
    proposer: str,
    state: State,
    now: int,
    tonight: Iterable[Step] = (),
) -> AbstractSet[int] | None:
    """The facts that concern the pass in another way than when it last ran whole.

    ``tonight`` are this night's steps where a dry run has not written them. None where the pass never ran whole
    under this policy, lexicon and these measures: then every fact is new to it.
    """
    since = store.pass_noted(noted_as(pass_name, proposer), policy)
    if since is None:
        return None
    steps = chain(store.steps(since.snapshot), tonight)
    changed = {step.after.id for step in steps if concerns(pass_name, step)}
    if pass_name == "forget":
        changed |= {
            id_
            for id_, fact in state.facts.items()
            if spans(fact, policy, now) > spans(fact, policy, since.at)
        }
    return frozenset(changed)


def concerns(pass_name: str, step: Step) -> bool:
    """Whether a step of a fact gives the pass something new to ask about."""
    before, after = step.before, step.after
    if before is None or not before.active:
        return after.active
    if pass_name == "contradict" and after.originals > before.originals:
        # What a merge joined was judged part by part: joined it says nothing that another fact could end.
        return False
    if pass_name == "promote" and step.resourced:
        return True
    if pass_name == "forget" and (before.pinned, before.category) != (after.pinned, after.category):
        return True
    return _said(before) != _said(after)


def _said(fact: Stand) -> tuple[object, ...]:
    return fact.text, fact.subject, fact.namespace, fact.attribute, home(fact)
