"""A memory in one SQLite file. ``SCHEMA.md`` beside this says what every table, column and hash holds."""

from __future__ import annotations

from nocturne.store.measuring import measures_of
from nocturne.store.search import Measures
from nocturne.store.side import QuizRun, Reply
from nocturne.store.store import SqliteStore, open_store

__all__ = ["Measures", "QuizRun", "Reply", "SqliteStore", "measures_of", "open_store"]
