"""What a person's word brings down, as text: what falls and why, what comes back, and what was done."""

from __future__ import annotations

from pathlib import Path

from nocturne.app.forgetting import Preview, Receipt
from nocturne.app.withdrawal import Falling
from nocturne.core.ids import fact_id, turn_id
from nocturne.report.page import BAD, DIM, GOOD, ID, STRONG, WARN, Page, counted

FEW = 20


def preview(seen: Preview, *, width: int = 80, asked: bool = True) -> Page:
    """Everything that would fall, and what would come back."""
    page = Page(width)
    found, purge = seen.withdrawal, seen.order.what == "purge"
    if seen.idle:
        page.line("nothing says that: nothing to do.")
        return page
    page.line(("erased" if purge else "forgotten", BAD), f" {len(found.falls):,}")
    for each in found.falls[:FEW]:
        page.entry((fact_id(each.fact.id), ID), each.fact.text, (_why(each), DIM))
    _more(page, len(found.falls))
    if found.returns:
        page.line(("comes back", GOOD), f" {len(found.returns):,}   the merge is undone")
        for pair in found.returns[:FEW]:
            page.entry((fact_id(pair.back.id), ID), pair.back.text, (pair.back.block, DIM))
        _more(page, len(found.returns))
    for old, by in found.ended[:FEW]:
        page.line(
            (fact_id(old.id), ID),
            f" stays ended, as {fact_id(by)} had ended it: {old.text}",
            indent=2,
            hang=7,
        )
    if found.also:
        names = ", ".join(fact_id(each.id) for each in found.also[:FEW])
        page.line(
            ("left alone", WARN), f" {names}: every word of it and more; name them to take them too", hang=2
        )
    if purge:
        _erased(page, seen)
    else:
        rulings = counted(found.decisions, "ruling")
        page.line(
            (f"{rulings} and the words themselves stay on record; nocturne purge erases them.", DIM), hang=2
        )
    if asked and seen.order.what == "purge":
        page.line(("this cannot be undone", STRONG))
    return page


def _erased(page: Page, seen: Preview) -> None:
    erasure = seen.erasure
    uses = " · ".join(
        f"{table.replace('_', ' ')} {count:,}" for table, count in (erasure.uses or {}).items() if count
    )
    page.line(("texts", BAD), f" {len(erasure.hashes):,}   {uses}", hang=2)
    if erasure.turns:
        names = ", ".join(turn_id(turn) for turn in erasure.turns[:FEW])
        page.line(f"whole turns that say it: {names}", indent=2, hang=4)
    if erasure.bereft:
        names = ", ".join(fact_id(each.id) for each in erasure.bereft[:FEW])
        page.line(f"{names} rest on these turns too: their words stay, their quotes go", indent=2, hang=4)
    if seen.outside:
        page.line(("outside the store", WARN), ", to be deleted by you:", hang=2)
        for name in seen.outside[:FEW]:
            page.line(name, indent=2, hang=4)


def _why(each: Falling) -> str:
    return each.why if each.fact.active else f"{each.why}, inactive"


def _more(page: Page, count: int) -> None:
    if count > FEW:
        page.line((f"… and {count - FEW:,} more: --json lists them", DIM), indent=2)


def done(receipt: Receipt, *, receipt_file: Path | None = None, width: int = 80) -> Page:
    """What was done, and how to look at it."""
    page = Page(width)
    found = receipt.preview.withdrawal
    number = receipt.snapshot.number
    facts = counted(len(found.falls), "fact")
    if receipt.preview.order.what == "purge":
        count = len(receipt.preview.erasure.hashes)
        what = f"{facts} retired, {counted(count, 'text')} erased; the file holds none of their bytes."
    else:
        what = f"{facts} forgotten, {counted(len(found.returns), 'original')} back."
    page.line((f"s{number}", STRONG), f"  {what} {counted(len(receipt.tombstones), 'tombstone')}.", hang=4)
    if receipt_file is not None:
        page.line(f"receipt: {receipt_file}")
    if receipt.preview.order.what == "purge":
        page.line("next: ", ("nocturne audit", STRONG))
    else:
        page.line("look: ", (f"nocturne diff s{number - 1} s{number}", STRONG), "   prove: nocturne quiz")
    return page
