"""One POST or GET over httpx: bounded in bytes and in time, never redirected, never retried here."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from nocturne.llm.outcomes import Failure
from nocturne.llm.replies import scrub, shown
from nocturne.llm.statuses import Answer

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 8_000_000
CONNECT_SECONDS = 10.0
_LOCAL_NAMES = ("localhost", "ip6-localhost", "host.docker.internal")


class Transport(Protocol):
    """Whoever carries a request: the wire, or a test's own server behind it."""

    def post(self, url: str, headers: Mapping[str, str], payload: Any, seconds: float) -> Answer | Failure:
        """The answer, whatever its status, or why there is none."""
        ...

    def get(self, url: str, headers: Mapping[str, str], seconds: float) -> Answer | Failure:
        """As ``post``, without a body."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


def host_of(url: str) -> str:
    """Host and port of a URL, without user, password, path or query."""
    parts = urlsplit(url)
    name = parts.hostname or ""
    name = f"[{name}]" if ":" in name else name
    try:
        port = parts.port
    except ValueError:
        port = None
    return f"{name}:{port}" if port else name


def is_near(url: str) -> bool:
    """Whether the URL is this machine's or its network's: where an abandoned request keeps a server busy."""
    name = (urlsplit(url).hostname or "").lower()
    if name in _LOCAL_NAMES or name.endswith((".local", ".localhost")):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_private or address.is_loopback


class Wire:
    """The real thing. One client for all threads; made at the first request."""

    def __init__(self, *, secrets: tuple[str, ...] = (), most_bytes: int = MOST_BYTES) -> None:
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()
        self._secrets = secrets
        self._most = most_bytes

    def _open(self, *, near: bool) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    follow_redirects=False, trust_env=not near, headers={"accept-encoding": "identity"}
                )
            return self._client

    def post(self, url: str, headers: Mapping[str, str], payload: Any, seconds: float) -> Answer | Failure:
        """See ``Transport``."""
        return self._carry("POST", url, headers, payload, seconds)

    def get(self, url: str, headers: Mapping[str, str], seconds: float) -> Answer | Failure:
        """See ``Transport``."""
        return self._carry("GET", url, headers, None, seconds)

    def _carry(
        self, method: str, url: str, headers: Mapping[str, str], payload: Any, seconds: float
    ) -> Answer | Failure:
        import httpx

        end = time.monotonic() + seconds
        limit = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        host = host_of(url)
        try:
            client = self._open(near=is_near(url))
            with client.stream(method, url, headers=dict(headers), json=payload, timeout=limit) as response:
                return self._read(response, end, seconds)
        except httpx.ConnectTimeout:
            return Failure(
                "unreachable", f"no answer from {host} within {min(seconds, CONNECT_SECONDS):g} s", _START
            )
        except httpx.TimeoutException:
            return _too_slow(host, seconds)
        except httpx.ConnectError as error:
            return Failure("unreachable", f"cannot connect to {host}: {self._said(error)}", _START)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            return Failure(
                "not-found", f"not a base URL: {self._said(error)}", "as in http://localhost:1234/v1"
            )
        except httpx.HTTPError as error:
            return Failure("disconnected", f"{host} broke off the reply: {self._said(error)}")

    def _read(self, response: httpx.Response, end: float, seconds: float) -> Answer | Failure:
        headers = {name.lower(): value for name, value in response.headers.items()}
        host = host_of(str(response.url))
        if headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            return Failure("not-json", f"{host} compressed the reply although it was asked not to")
        if headers.get("content-length", "").isdigit() and int(headers["content-length"]) > self._most:
            return _too_large(host, f"announces {int(headers['content-length']):,} bytes", self._most)
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > self._most:
                return _too_large(host, "goes on", self._most)
            if time.monotonic() > end:
                return _too_slow(host, seconds)
        return Answer(response.status_code, headers, bytes(body))

    def _said(self, error: Exception) -> str:
        return shown(scrub(str(error) or type(error).__name__, self._secrets))

    def close(self) -> None:
        """See ``Transport``."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


_START = "start the server, or give its --base-url"


def _too_slow(host: str, seconds: float) -> Failure:
    return Failure(
        "timeout",
        f"no whole reply from {host} within {seconds:g} s",
        "a local server may still be generating; raise the time-out, or use a smaller model",
    )


def _too_large(host: str, how: str, most: int) -> Failure:
    return Failure("too-large", f"the reply from {host} {how}; at most {most:,} bytes are read")
