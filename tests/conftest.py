"""What every test may rely on: no network beyond loopback, a directory and an environment of its own."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

LOOPBACK = ("127.", "::1", "localhost")


class NetworkForbidden(AssertionError):
    """A test tried to reach a machine that is not this one."""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect
    look_up = socket.getaddrinfo

    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(LOOPBACK):
            raise NetworkForbidden(f"connect to {address}")
        return connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not str(name).startswith(LOOPBACK):
            raise NetworkForbidden(f"look up {name}")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("NOCTURNE_") and name != "NOCTURNE_CORPUS"]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public samples; a test that asks for it is skipped where there is none."""
    place = os.environ.get("NOCTURNE_CORPUS")
    if not place or not Path(place).is_dir():
        pytest.skip("NOCTURNE_CORPUS is not set")
    return Path(place)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update`` writes the golden files anew."""
    parser.addoption("--update", action="store_true", help="write the golden files anew")
