"""An ingest as text: turns by who spoke, what was left out and why, facts, and what to type next."""

from __future__ import annotations

from collections import Counter

from nocturne.app.ingest import IngestReport
from nocturne.core.policy import Policy
from nocturne.report import wording
from nocturne.report.page import BAD, DIM, GOOD, STRONG, WARN, Page, counted

_WHO = {
    "human": "person",
    "assistant": "assistant",
    "tool": "tool",
    "injected": "injected",
    "derived-summary": "summary",
    "thinking": "thinking",
    "subagent": "subagent",
    "profile": "profile",
}


def ingest(report: IngestReport, policy: Policy, *, width: int = 80) -> Page:
    """The whole report."""
    page = Page(width)
    _files(page, report)
    page.blank()
    _count(page, "turns", sum(report.turns.values()), _counted(report.turns, _WHO))
    if report.known:
        _count(page, "known", report.known, "already in the store, left as they are")
    if report.skipped:
        _count(page, "skipped", sum(report.skipped.values()), _counted(report.skipped))
    if report.notes:
        _count(page, "noted", sum(report.notes.values()), _counted(report.notes))
    if report.cleaned:
        _count(page, "cleaned", sum(report.cleaned.values()), _counted(report.cleaned))
    if report.artefacts:
        text = f"nocturne's own text, not read again: {_counted(report.artefacts)}"
        _count(page, "own text", sum(report.artefacts.values()), text)
    refused = sum(report.refusals.values())
    _count(
        page,
        "facts",
        report.accepted + refused,
        f"accepted {report.accepted:,} · refused {refused:,}",
        style=GOOD if report.accepted else "",
    )
    for code, count in report.refusals.most_common():
        words = [word for word, _ in report.refused_words.get(code, Counter()).most_common(4)]
        said = f" ({'; '.join(words)})" if words else ""
        page.line((code, WARN), f" {count:<3}{wording.title(code)}{said}", indent=21, hang=30)
    if report.secrets:
        kinds = ", ".join(f"[secret:{kind}]" for kind in report.secrets)
        places = report.secret_places[:3]
        more = f" and {len(report.secret_places) - 3} more" if len(report.secret_places) > 3 else ""
        where = f" in {', '.join(places)}{more}" if places else ""
        _count(page, "secrets", sum(report.secrets.values()), f"replaced by {kinds}{where}", style=WARN)
    if report.purged:
        _count(page, "purged", report.purged, "said again what was purged, and not stored", style=WARN)
    if report.lifted:
        _count(page, "lifted", report.lifted, "forgotten once, and back: their tombstones are lifted")
    page.blank()
    _last(page, report, policy)
    return page


def _files(page: Page, report: IngestReport) -> None:
    read = [file for file in report.files if file.failed is None]
    formats = Counter(file.format for file in read if file.format)
    unchanged = sum(file.unchanged for file in read)
    kinds = " · ".join(f"{name} ×{count}" if count > 1 else name for name, count in formats.most_common())
    files = counted(len(read), "file")
    same = f", {unchanged:,} unchanged" if unchanged and unchanged != len(read) else ""
    page.line(f"read {files}{same}", ("  " + kinds, DIM))
    for file in report.failures:
        assert file.failed is not None
        page.line(("not read  ", BAD), file.failed.message, hang=10)
        if file.failed.hint:
            page.line((file.failed.hint, DIM), indent=10)


def _count(page: Page, name: str, number: int, text: str, *, style: str = "") -> None:
    page.line(f"{name:<9}", (f"{number:>8,}", style), "   " if text else "", text, indent=2, hang=22)


def _counted(counts: Counter[str], names: dict[str, str] | None = None) -> str:
    return " · ".join(f"{(names or {}).get(name, name)} {count:,}" for name, count in counts.most_common())


def _last(page: Page, report: IngestReport, policy: Policy) -> None:
    if report.unchanged_since is not None:
        page.line(f"unchanged since s{report.unchanged_since}: nothing new was found, nothing is written.")
        return
    page.line((f"s{report.snapshot}", STRONG), f"  {counted(report.accepted, 'fact')} in scratch.", hang=4)
    if report.stale_tonight:
        verb = "is" if report.stale_tonight == 1 else "are"
        limit = f"{policy.forget.stale_days}-day limit"
        page.line(f"{report.stale_tonight:,} {verb} older than tonight's {limit}: nocturne facts --stale")
    if report.accepted:
        page.line("next: ", ("nocturne sleep --dry-run", STRONG))
