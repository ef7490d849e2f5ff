"""Numbered migrations: each is a file, runs once, in its own transaction, and is never changed afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.errors import StoreDamaged
from nocturne.store.connection import APPLICATION_ID, Link, check_identity


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that bring a store from ``version - 1`` to ``version``."""

    version: int
    statements: tuple[str, ...]


def split(script: str) -> tuple[str, ...]:
    """The statements of a script. ``executescript`` is not used: it commits whatever is open."""
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        if not pending and (not line.strip() or line.lstrip().startswith("--")):
            continue
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    if pending.strip():
        raise ValueError("a migration ends inside a statement")
    return tuple(statements)


def shipped() -> tuple[Migration, ...]:
    """Every migration of this version of the product, in order."""
    from importlib import resources

    folder = resources.files("nocturne.store") / "migrations"
    files = sorted(
        (each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda each: each.name
    )
    return tuple(
        Migration(int(each.name.split("_", 1)[0]), split(each.read_text(encoding="utf-8"))) for each in files
    )


def newest(migrations: Sequence[Migration]) -> int:
    """The version that this product reads and writes."""
    return migrations[-1].version


def newer(link: Link, version: int, known: int) -> StoreDamaged:
    """The error of a store that is of a version beyond the last one known."""
    return StoreDamaged(
        f"{link.path} is a store of version {version}; this nocturne knows up to {known}",
        hint="install a newer nocturne",
    )


def migrate(link: Link, migrations: Sequence[Migration]) -> tuple[int, int]:
    """Bring an existing store up to date: the versions before and after."""
    before = check_identity(link)
    if before > newest(migrations):
        raise newer(link, before, newest(migrations))
    version = before
    for migration in migrations:
        if migration.version <= version:
            continue
        link.run("BEGIN IMMEDIATE")
        try:
            # Another process may have migrated between the look and the lock.
            version = int(link.value("PRAGMA user_version"))
            if migration.version == version + 1:
                apply(link, migration)
                version = migration.version
            link.run("COMMIT")
        except BaseException:
            link.rollback()
            raise
    return before, version


def apply(link: Link, migration: Migration) -> None:
    """Run one migration inside the transaction that is open."""
    for statement in migration.statements:
        link.run(statement)
    link.run(f"PRAGMA application_id = {APPLICATION_ID}")
    link.run(f"PRAGMA user_version = {migration.version:d}")
