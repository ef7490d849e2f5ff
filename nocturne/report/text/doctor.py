"""A store's health as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nocturne.report.page import BAD, DIM, GOOD, Page

_PLAIN = ("facts", "active", "turns", "sources", "snapshots", "entries")


def doctor(
    path: str,
    info: Mapping[str, int | str],
    problems: Sequence[str],
    machine: Mapping[str, str],
    *,
    width: int = 80,
) -> Page:
    """What the store holds, what it stands on, and what is wrong with it."""
    page = Page(width)
    page.line(f"{path}: store {info.get('uuid', '?')}, format {info.get('version', '?')}", hang=2)
    page.blank()
    rows = [((name, DIM), f"{info[name]:,}") for name in _PLAIN if name in info]
    rows.append((("size", DIM), _size(int(info.get("bytes", 0)))))
    rows += [((name, DIM), value) for name, value in machine.items()]
    page.table(rows, right=(1,))
    page.blank()
    for problem in problems:
        page.line(("problem ", BAD), problem, hang=8)
    if problems:
        page.line("next: stop writing to it, and restore a backup")
    else:
        page.line(("whole", GOOD), ": pages, indexes and foreign keys agree.")
    return page


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{count} bytes"
