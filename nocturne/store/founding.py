"""A new store: its tables, its key, and the first entries of its record."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence

from nocturne.core.chain import laid_out, sealed_row
from nocturne.core.digest import LtHash, canonical, secret_digest
from nocturne.store import ledger, schema
from nocturne.store.connection import Link, check_identity


def create(link: Link, known: Sequence[schema.Migration], now: int) -> bool:
    """Make the tables, the store's own key and the first two entries; False where another process was sooner."""
    link.run("BEGIN IMMEDIATE")
    try:
        if check_identity(link):
            link.rollback()
            return False
        for migration in known:
            schema.apply(link, migration)
        secret = os.urandom(32)
        prev = "0" * 64
        bodies = ledger.first_rows(str(uuid.uuid4()), secret_digest(secret), schema.newest(known), now)
        for seq, body in enumerate(bodies, start=1):
            laid = laid_out(body)
            prev = sealed_row(seq, prev, laid)
            row = (seq, prev, *laid)
            marks = ", ".join("?" * len(row))
            link.run(f"INSERT INTO ledger VALUES ({marks})", row)  # noqa: S608 - question marks only
        lanes = LtHash()
        tail = {"seq": len(bodies), "active": 0, "digest": lanes.digest(), "counts": {}}
        rows = [("secret", secret), ("lanes", lanes.lanes()), ("tail", canonical(tail))]
        link.many("INSERT INTO meta VALUES (?, ?)", rows)
        link.run("COMMIT")
    except BaseException:
        link.rollback()
        raise
    return True
