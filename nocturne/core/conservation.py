"""Conservation: after a pass, what was there is still there, or a named rule says where it went.

Dedupe, merge, promote and schematise keep every canonical content token in the active set: each in the very fact
that took the place of the one that held it, which is more than the set as a whole. Contradict names a live
successor. Forget and a person's word retire without one, and name the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nocturne.core.facts import Fact
from nocturne.core.table import texts_of

Content = Callable[[str], AbstractSet[str]]
KEEPS_TOKENS = frozenset({"dedupe", "merge", "promote", "schematise"})


@dataclass(frozen=True, slots=True)
class Breach:
    """A fact that a pass made less of than its kind allows."""

    fact: int
    what: str
    lost: tuple[str, ...] = ()


def heir(fact: int, after: Mapping[int, Fact], gone: Mapping[int, Fact]) -> int | None:
    """The active fact at the end of a retired one's chain of successors, or None where the chain breaks."""
    seen: set[int] = set()
    current: int | None = fact
    while current is not None and current not in seen:
        if current in after:
            return current
        seen.add(current)
        retired = gone.get(current)
        current = retired.successor if retired is not None else None
    return None


def breaches(
    pass_name: str,
    before: Mapping[int, Fact],
    after: Mapping[int, Fact],
    *,
    touched: Collection[int],
    gone: Mapping[int, Fact],
    content: Content,
) -> list[Breach]:
    """What the pass lost against its kind, of the facts that it ``touched``; ``gone`` has those that it retired."""
    found: list[Breach] = []
    text_before, text_after = texts_of(before), texts_of(after)
    for id_ in touched:
        if id_ not in before:
            if pass_name not in ("encode", "schematise"):
                found.append(Breach(id_, "a new fact"))
            continue
        stays = id_ in after
        if not stays and gone[id_].retired_by is None:
            found.append(Breach(id_, "retired without a rule"))
            continue
        if not stays and pass_name == "forget":
            continue
        survivor = id_ if stays else heir(id_, after, gone)
        if survivor is None:
            found.append(Breach(id_, "no live successor"))
        elif pass_name in KEEPS_TOKENS and (old := text_before(id_)) != (new := text_after(survivor)):
            lost = content(old) - content(new)
            if lost:
                found.append(Breach(id_, "content lost", tuple(sorted(lost))))
    added = sum(1 for id_ in touched if id_ not in before and id_ in after)
    if len(before) - len(after) + added != sum(1 for id_ in touched if id_ in before and id_ not in after):
        found.append(Breach(0, "the active set is not what the accepted proposals predict"))
    return found
