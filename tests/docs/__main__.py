"""``python -m tests.docs``: do the documents say what the code says? ``--write`` makes them say it."""

from __future__ import annotations

import argparse
import difflib
import sys

from tests.docs.generate import DOCUMENTS, ROOT, renewed


def main() -> int:
    """Check or write every document; exit 1 where one is out of date."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs")
    parser.add_argument("--write", action="store_true", help="write the generated parts anew")
    write = parser.parse_args().write
    stale = 0
    for name in DOCUMENTS:
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = renewed(before)
        if before == after:
            continue
        if write:
            path.write_text(after, encoding="utf-8")
            sys.stdout.write(f"wrote {name}\n")
            continue
        stale += 1
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(old, new, name, f"{name} as generated"))
    if stale:
        sys.stdout.write(f"{stale} out of date: make docs WRITE=1\n")
    return 1 if stale else 0


sys.exit(main())
