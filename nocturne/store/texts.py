"""The one table of words: every text stands there beside its salt, and its commitment names it elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping

from nocturne.core.digest import commitment
from nocturne.store.connection import Link

_SALT = 16
_POOL = 1_024


class Salts:
    """Random salts, drawn from the operating system many at a time."""

    def __init__(self) -> None:
        self._pool: list[bytes] = []

    def draw(self) -> bytes:
        """16 fresh bytes."""
        if not self._pool:
            drawn = os.urandom(_SALT * _POOL)
            self._pool = [drawn[at : at + _SALT] for at in range(0, len(drawn), _SALT)]
        return self._pool.pop()


def sealed(salts: Salts, text: str) -> tuple[str, bytes, str]:
    """A row of the table of texts; ValueError for what cannot be stored and read back as it is."""
    if "\x00" in text:
        raise ValueError("a text with a NUL character cannot be stored")
    salt = salts.draw()
    try:
        return commitment(salt, text), salt, text
    except UnicodeEncodeError as error:
        raise ValueError("a text with a lone surrogate cannot be stored") from error


def names_of(link: Link) -> dict[str, str]:
    """Interned names by commitment; purged ones are missing."""
    # A cross join keeps the planner from walking over every text to find the few names.
    return dict(
        link.all(
            "SELECT n.hash, t.text FROM names AS n CROSS JOIN texts AS t USING (hash) WHERE t.text NOT NULL"
        )
    )


def words(link: Link, hashes: Iterable[str]) -> dict[str, str]:
    """The texts that these commitments name, as far as they were not purged."""
    wanted = json.dumps(sorted(set(hashes)))
    return dict(
        link.all(
            "SELECT hash, text FROM texts WHERE hash IN (SELECT value FROM json_each(?)) AND text NOT NULL",
            (wanted,),
        )
    )


def word(link: Link, hash_: str | None) -> str | None:
    """The text that this commitment names, or None where it was purged."""
    text: str | None = link.value("SELECT text FROM texts WHERE hash = ?", (hash_,)) if hash_ else None
    return text


def find(link: Link, needles: Iterable[str]) -> dict[str, str]:
    """Every stored text that holds one of the needles as it is, in another case, or as JSON writes it."""
    folded: set[str] = set()
    for needle in needles:
        forms = {needle, json.dumps(needle, ensure_ascii=False)[1:-1], json.dumps(needle)[1:-1]} - {""}
        folded |= {form.casefold() for form in forms}
    found: dict[str, str] = {}
    if not folded:
        return found
    wanted = sorted(folded)
    for hash_, text in link.stream("SELECT hash, text FROM texts WHERE text NOT NULL"):
        low = text.casefold()
        if any(form in low for form in wanted):
            found[hash_] = text
    return found


class Names:
    """Names that recur (speakers, subjects): one row each, so that purging it is one row too."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._known: dict[str, str] | None = None
        self._names: dict[str, str] = {}

    def known(self) -> Mapping[str, str]:
        """Commitments by name."""
        if self._known is None:
            self._names = names_of(self._link)
            self._known = {text: hash_ for hash_, text in self._names.items()}
        return self._known

    def of(self, hash_: str | None) -> str | None:
        """The name behind a commitment; None for none, and for one that was purged."""
        self.known()
        return self._names.get(hash_) if hash_ is not None else None

    def learn(self, name: str, hash_: str) -> None:
        """Take in a name that was just sealed."""
        self.known()
        if self._known is not None:
            self._known[name] = hash_
            self._names[hash_] = name

    def forget(self) -> None:
        """Read the names again at the next use: some were erased."""
        self._known = None
