"""``nocturne why`` as text: a tree from a fact down to the words that somebody said."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.lineage import Ancestor, Descendant, Lineage, Quote
from nocturne.core.ids import fact_id, snapshot_id, turn_id
from nocturne.report.page import BAD, DIM, ID, WARN, Page, Part
from nocturne.report.text import mutations
from nocturne.report.when import minute

LONGEST_QUOTE = 300
"""Characters of a turn around the cited words; the whole turn is in ``--json``."""


def why(lineage: Lineage, *, width: int = 80) -> Page:
    """The tree, then what came of the fact and what was refused about it."""
    page = Page(width)
    tree = lineage.tree
    fact = tree.fact
    gone = "" if fact.active else f"   not active: {fact.retired_by}"
    page.line((fact_id(fact.id), ID), f"  {fact.text}", (gone, BAD), hang=len(fact_id(fact.id)) + 2)
    came = lineage.down if lineage.down is not None else _near(lineage)
    _below(page, tree, "", closed=not came and not lineage.refused)
    for number, each in enumerate(came, start=1):
        _down(page, each, "", last=number == len(came) and not lineage.refused)
    for number, row in enumerate(lineage.refused, start=1):
        end = number == len(lineage.refused)
        _branch(
            page, "", [("refused: ", WARN), *mutations.refused(row), (f" (s{row.snapshot})", DIM)], last=end
        )
    return page


def _near(lineage: Lineage) -> tuple[Descendant, ...]:
    return tuple(Descendant(role, child) for role, child in lineage.descendants)


def _down(page: Page, node: Descendant, lead: str, *, last: bool) -> None:
    """A descendant, and below it what came of it in turn."""
    gone = "" if node.fact.active else f"   not active: {node.fact.retired_by}"
    parts: list[Part] = [
        (f"{_role(node.role)} ", DIM), (fact_id(node.fact.id), ID), f" {node.fact.text}", (gone, DIM),
    ]  # fmt: skip
    _branch(page, lead, parts, last=last)
    inner = lead + ("   " if last else "│  ")
    for number, child in enumerate(node.children, start=1):
        _down(page, child, inner, last=number == len(node.children))


def _role(role: str) -> str:
    return {
        "merged-from": "went into",
        "kept-for": "absorbed by",
        "supersedes": "superseded by",
        "evidence": "evidence for",
    }.get(role, role)


def _below(page: Page, node: Ancestor, lead: str, *, closed: bool) -> None:
    """The steps that led to the node's state, what made its text, and what that was made of."""
    for row in node.steps:
        _branch(page, lead, [(f"{mutations.done(row)} · {snapshot_id(row.snapshot)}", "")], last=False)
    made = (
        f"{mutations.done(node.made_by)} · {snapshot_id(node.made_by.snapshot)}"
        if node.made_by
        else "first text"
    )
    _branch(page, lead, [made], last=closed)
    inner = lead + ("   " if closed else "│  ")
    children: Sequence[Ancestor | Quote] = (*node.parents, *node.quotes)
    for number, child in enumerate(children, start=1):
        end = number == len(children)
        if isinstance(child, Quote):
            _quote(page, child, inner, last=end)
            continue
        _branch(page, inner, [(fact_id(child.fact.id), ID), f" {child.fact.text}"], last=end)
        _below(page, child, inner + ("   " if end else "│  "), closed=True)


def _quote(page: Page, quote: Quote, lead: str, *, last: bool) -> None:
    turn = quote.turn
    who = turn.speaker or turn.provenance
    said = f", {minute(turn.said_at)}" if turn.said_at is not None else ", no time"
    session = f", session {turn.session}" if turn.session else ""
    _branch(page, lead, [(turn_id(turn.id), ID), (f" {who}{said}{session}", DIM)], last=last)
    under = lead + ("   " if last else "│  ")
    page.line((under, DIM), f"“{_words(quote)}”", under=under + " ")


def _words(quote: Quote) -> str:
    text, span = quote.turn.text, quote.span
    start, end = max(0, span.start - 40), min(len(text), span.end + 40)
    # Whole words only: the cut is moved to the next space.
    if start and (space := text.find(" ", start, span.start)) >= 0:
        start = space + 1
    elif start:
        start = span.start
    if end < len(text):
        space = text.rfind(" ", span.end, end)
        end = space if space >= 0 else span.end
    words = text[start : min(end, start + LONGEST_QUOTE)]
    return f"{'…' if start else ''}{words}{'…' if start + len(words) < len(text) else ''}"


def _branch(page: Page, lead: str, parts: Sequence[Part], *, last: bool) -> None:
    under = lead + ("     " if last else "│    ")
    page.line((lead + ("└─ " if last else "├─ "), DIM), *parts, under=under)
