"""What became of a fact between two versions of a store."""

from __future__ import annotations

from typing import Literal

from nocturne.core.facts import Fact

Kind = Literal["kept", "changed", "added", "absorbed", "superseded", "forgotten", "withdrawn", "returned"]
KINDS: tuple[Kind, ...] = (
    "forgotten",
    "superseded",
    "changed",
    "returned",
    "absorbed",
    "withdrawn",
    "added",
    "kept",
)


def kind(before: Fact | None, after: Fact | None) -> Kind | None:
    """The kind of one fact's difference; None where it is active in neither version and was not in between.

    ``changed`` means another text or block. ``withdrawn`` is a fact that a restore took out of the later version.
    A fact that came and went between the two versions counts by the way it went.
    """
    was = before is not None and before.active
    if after is not None and after.active:
        if not was:
            return "added" if before is None else "returned"
        assert before is not None
        return "changed" if (before.text, before.block) != (after.text, after.block) else "kept"
    if after is None:
        return "withdrawn" if was else None
    if before is not None and not before.active:
        return None
    if after.retired_by == "contradict":
        return "superseded"
    return "absorbed" if after.successor is not None else "forgotten"
