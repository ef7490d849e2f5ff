"""Which passes ran whole, up to where and under which rules: what need not be asked again. No part of the record."""

from __future__ import annotations

import json

from nocturne.app.ports import Noted
from nocturne.core.digest import canonical, lexicon_digest
from nocturne.core.policy import Policy
from nocturne.store.connection import Link
from nocturne.store.search import Measures


def _rules(policy: Policy, measures: Measures) -> list[str]:
    return [policy.digest(), lexicon_digest(measures.lexicon()), measures.version]


def note(link: Link, name: str, policy: Policy, measures: Measures, noted: Noted) -> None:
    """Keep that a pass ran whole."""
    kept = {"snapshot": noted.snapshot, "at": noted.at, "rules": _rules(policy, measures)}
    link.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"pass:{name}", canonical(kept)))


def look_up(link: Link, name: str, policy: Policy, measures: Measures) -> Noted | None:
    """Up to where a pass last ran whole under these very rules."""
    kept = link.value("SELECT value FROM meta WHERE key = ?", (f"pass:{name}",))
    if kept is None:
        return None
    noted = json.loads(kept)
    if noted["rules"] != _rules(policy, measures) or "at" not in noted:
        return None
    return Noted(int(noted["snapshot"]), int(noted["at"]))
