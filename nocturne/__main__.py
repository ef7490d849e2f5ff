"""``python -m nocturne``: the command, where no PATH leads to it."""

from __future__ import annotations

from nocturne.cli.main import main

if __name__ == "__main__":
    main()
