"""A real server on loopback that answers as it is told, and remembers what it was asked."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from nocturne.llm.batching import likely_tokens

_WORD = re.compile(r"Check word: (\w+)")
_PAIR = re.compile(r'^\{"itemId":"(m\d+)","duplicateOf":"(m\d+)"\}$', re.MULTILINE)


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    payload: Any

    @property
    def system(self) -> str:
        if "system" in self.payload:
            return str(self.payload["system"])
        return str(self.payload["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.payload["messages"][-1]["content"])

    @property
    def nonce(self) -> str | None:
        found = _WORD.search(self.system)
        return found[1] if found else None

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return _PAIR.findall(self.user)

    @property
    def tokens(self) -> int:
        return likely_tokens(self.system) + likely_tokens(self.user)


@dataclass
class Said:
    """What to send: after ``wait`` seconds, and only the first ``cut`` bytes of it where that is given."""

    body: bytes | Iterator[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut: int | None = None


Behaviour = Callable[[Asked], Said]


def chat(
    content: Any, asked: Asked, *, finish: str = "stop", read: int | None = None, **message: Any
) -> Said:
    body = {
        "id": "x",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": asked.tokens if read is None else read, "completion_tokens": 20},
    }
    return Said(json.dumps(body).encode())


def agreeable(asked: Asked) -> Said:
    """A model that calls every pair a duplicate."""
    reply: dict[str, Any] = {"nonce": asked.nonce} if asked.nonce else {}
    reply["drop"] = [{"itemId": item, "duplicateOf": other, "reason": "same"} for item, other in asked.pairs]
    reply["keep"] = []
    return chat(json.dumps(reply), asked)


def prose(asked: Asked) -> Said:
    return chat("They look much alike to me.", asked)


def too_long(asked: Asked) -> Said:
    """A model that can write about three pairs before its output ends."""
    return agreeable(asked) if len(asked.pairs) <= 3 else chat('{"drop":[{"it', asked, finish="length")


def no_facts(asked: Asked) -> Said:
    return chat(json.dumps({"nonce": asked.nonce, "facts": []}), asked)


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is a part of these tests."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: _Listening
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self._answer(json.loads(self.rfile.read(length)))

    def _answer(self, payload: Any) -> None:
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, headers, payload)
        with owner._lock:
            owner.asked.append(asked)
            owner.abreast += 1
            owner.most_abreast = max(owner.most_abreast, owner.abreast)
            behaviour = owner.script.pop(0) if len(owner.script) > 1 else owner.script[0]
        try:
            self._send(behaviour(asked))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with owner._lock:
                owner.abreast -= 1

    def _send(self, said: Said) -> None:
        if said.wait:
            time.sleep(said.wait)
        self.send_response(said.status)
        headers = {"content-type": "application/json"} | said.headers
        if isinstance(said.body, bytes) and "content-length" not in headers:
            headers["content-length"] = str(len(said.body))
        for name, value in headers.items():
            self.send_header(name, value)
        if "content-length" not in headers:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        if isinstance(said.body, bytes):
            self.wfile.write(said.body if said.cut is None else said.body[: said.cut])
            if said.cut is not None:
                self.wfile.flush()
                self.close_connection = True
                self.connection.shutdown(2)
            return
        for piece in said.body:
            self.wfile.write(piece)

    def log_message(self, *args: Any) -> None:
        return


class Server:
    """Plays behaviours in order; the last one for ever."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.script = list(behaviours) or [agreeable]
        self.asked: list[Asked] = []
        self.abreast = self.most_abreast = 0
        self._lock = threading.Lock()
        self._httpd = _Listening(("127.0.0.1", 0), Handler)
        self._httpd.owner = self
        self.url = f"http://127.0.0.1:{self._httpd.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._httpd.serve_forever, args=(0.02,), daemon=True)

    @property
    def posts(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.payload is not None]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._httpd.shutdown()
        self._httpd.server_close()
        self._thread.join()


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Server]:
    with Server(*behaviours) as server:
        yield server
