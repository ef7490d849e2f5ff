"""Servers that misbehave below HTTP's surface: too much, too slow, gone."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from nocturne.errors import ProviderFailed
from nocturne.llm.outcomes import Failure
from nocturne.llm.statuses import Answer
from nocturne.llm.transport import Wire, host_of, is_near
from tests.llm.made import Waits, dedupe, proposer
from tests.llm.serving import Asked, Said, agreeable, serving


def only_failure(url: str, **manner: object) -> tuple[str, str | None]:
    asker = proposer(url, **manner)  # type: ignore[arg-type]  # forwarded as they are
    try:
        with pytest.raises(ProviderFailed) as caught:
            list(asker.propose("dedupe", dedupe()))
    finally:
        asker.close()
    return caught.value.message, caught.value.hint


def fifty_megabytes(_: Asked) -> Said:
    def pieces() -> Iterator[bytes]:
        for _ in range(800):
            yield b" " * 65_536

    return Said(pieces())


def test_a_body_that_goes_on_is_read_to_the_limit_only() -> None:
    with serving(fifty_megabytes) as server:
        wire = Wire(most_bytes=1_000_000)
        tracemalloc.start()
        answer = wire.get(f"{server.url}/models", {}, 10)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        wire.close()
    assert isinstance(answer, Failure)
    assert answer.kind == "too-large"
    assert peak < 8_000_000


def test_fifty_megabytes_are_one_failed_call() -> None:
    with serving(fifty_megabytes) as server:
        started = time.monotonic()
        message, _ = only_failure(server.url)
        assert time.monotonic() - started < 10
        assert len(server.posts) == 1
    assert "too-large:" in message


def test_an_announced_size_is_believed_before_a_byte_is_read() -> None:
    def announces(_: Asked) -> Said:
        return Said(b"{", headers={"content-length": "52428800"}, cut=1)

    with serving(announces) as server:
        message, _ = only_failure(server.url)
    assert "announces 52,428,800 bytes" in message


def test_a_compressed_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 30_000_000)

    with serving(lambda _: Said(bomb, headers={"content-encoding": "gzip"})) as server:
        message, _ = only_failure(server.url, retries=0)
        assert server.posts[0].headers["accept-encoding"] == "identity"
    assert "compressed the reply" in message


def test_a_drip_cannot_outlast_the_time_out() -> None:
    def drip(_: Asked) -> Said:
        def pieces() -> Iterator[bytes]:
            for _ in range(100):
                time.sleep(0.05)
                yield b" "

        return Said(pieces())

    with serving(drip) as server:
        started = time.monotonic()
        message, _ = only_failure(server.url, timeout=0.3, retries=0)
    assert "timeout:" in message
    assert time.monotonic() - started < 3


def test_after_a_time_out_a_near_server_is_left_alone_for_a_while() -> None:
    waits = Waits()
    with serving(lambda _: Said(b"{}", wait=0.5)) as server:
        message, hint = only_failure(server.url, timeout=0.2, waits=waits)
        assert len(server.posts) == 2
    assert "no whole reply from 127.0.0.1" in message
    assert hint is not None
    assert "still be generating" in hint
    assert 5 <= waits.seconds[0] <= 10


def test_a_reply_that_breaks_off_is_asked_for_again() -> None:
    def breaks(_: Asked) -> Said:
        return Said(
            b'{"choices": [{"message": {"content": "' + b"x" * 100, headers={"content-length": "5000"}, cut=60
        )

    with serving(breaks, agreeable) as server:
        asker = proposer(server.url)
        assert len(list(asker.propose("dedupe", dedupe()))) == 1
        asker.close()
        assert len(server.posts) == 2


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        waits = Waits()
        message, hint = only_failure(f"http://127.0.0.1:{port}/v1", waits=waits)
    assert f"cannot connect to 127.0.0.1:{port}" in message
    assert hint == "start the server, or give its --base-url"
    assert len(waits.seconds) == 2


def test_a_redirect_is_not_followed_with_a_key() -> None:
    with serving(agreeable) as other:
        moved = Said(b"", 307, {"location": f"{other.url}/chat/completions"})
        with serving(lambda _: moved) as server:
            message, _ = only_failure(server.url, key="sk-very-secret")
        assert other.asked == []
    assert "redirected:" in message


SERVER = """
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class H(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.wfile.flush()
        print('busy', flush=True)
        time.sleep(60)
    def log_message(self, *a):
        pass
s = HTTPServer(('127.0.0.1', 0), H)
print(s.server_address[1], flush=True)
s.serve_forever()
"""


def test_kill_9_of_the_server_in_the_middle_of_a_reply() -> None:
    child = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        port = int(child.stdout.readline())

        def shoot() -> None:
            assert child.stdout is not None
            child.stdout.readline()
            os.kill(child.pid, signal.SIGKILL)

        gun = threading.Thread(target=shoot)
        gun.start()
        started = time.monotonic()
        message, _ = only_failure(f"http://127.0.0.1:{port}/v1", timeout=30.0)
        gun.join()
        assert time.monotonic() - started < 10
        assert "cannot connect" in message or "broke off" in message
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.parametrize(
    ("url", "host", "near"),
    [
        ("http://localhost:1234/v1", "localhost:1234", True),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", True),
        ("http://[::1]:9/v1", "[::1]:9", True),
        ("http://192.168.1.4:11434/v1", "192.168.1.4:11434", True),
        ("https://api.openai.com/v1", "api.openai.com", False),
        ("https://who:secret@models.example/v1?key=abc", "models.example", False),
        ("http://10.example.com/v1", "10.example.com", False),
    ],
)
def test_hosts(url: str, host: str, near: bool) -> None:
    assert host_of(url) == host
    assert is_near(url) is near


def test_an_address_that_is_none() -> None:
    wire = Wire()
    answer = wire.get("ftp://models.example/x", {}, 1)
    wire.close()
    assert isinstance(answer, Failure)
    assert answer.kind == "not-found"


def test_whatever_the_status_the_answer_is_whole() -> None:
    with serving(lambda _: Said(b"gone", 410)) as server:
        wire = Wire()
        answer = wire.get(f"{server.url}/models", {}, 5)
        wire.close()
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body) == (410, b"gone")
