"""What schemas rest on."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from nocturne.app.ports import Store
from nocturne.core.facts import Fact
from nocturne.core.table import shared


def evidence_of(store: Store, facts: Mapping[int, Fact]) -> dict[int, tuple[int, ...]]:
    """The members of each schema among some facts, as it was last measured."""
    schemas = [id_ for id_, block in shared(facts, attrgetter("block")) if block == "schemas"]
    last: dict[int, tuple[int, list[int]]] = {}
    for seq, link in store.lineage(schemas) if schemas else ():
        if link.role == "evidence":
            known = last.get(link.child)
            if known is None or known[0] != seq:
                known = last[link.child] = seq, []
            known[1].append(link.parent)
    return {schema: tuple(members) for schema, (_, members) in last.items()}
