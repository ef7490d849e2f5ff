"""The command line's one entry: who reads the line, and what is said where it goes wrong."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nocturne.cli.plain import understood
from nocturne.cli.shell import OutputClosed, explain_failure, own_name, perform
from nocturne.errors import InputUnreadable, NocturneError

INTERRUPTED = 130
UNEXPECTED = 5


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises but for a trace that was asked for."""
    try:
        code = _performed(argv)
        sys.stdout.flush()
    except NocturneError as error:
        return _tell(explain_failure(error), error.exit_code)
    except (OutputClosed, BrokenPipeError):
        _close_output()
        return 0
    except KeyboardInterrupt:
        return _tell(_STOPPED, INTERRUPTED)
    except SystemExit as stop:
        _close_output()
        return stop.code if isinstance(stop.code, int) else 0
    except OSError as error:
        problem = _of_the_system(error)
        code = _tell(explain_failure(problem), problem.exit_code)
        _close_output()
        return code
    except Exception as error:
        if hasattr(error, "format_message"):
            return _usage(error)
        if type(error).__name__ == "Abort":
            return _tell(_STOPPED, INTERRUPTED)
        if os.environ.get("NOCTURNE_DEBUG"):
            raise
        return _tell(
            f"error: unexpected {type(error).__name__}: {error}\n"
            "hint:  nothing half-done was kept; NOCTURNE_DEBUG=1 shows where it happened",
            UNEXPECTED,
        )
    if code == INTERRUPTED:
        return _tell(_STOPPED, INTERRUPTED)
    return code if isinstance(code, int) else 0


def _performed(argv: Sequence[str]) -> Any:
    if list(argv) == ["--version"]:
        sys.stdout.write(own_name() + "\n")
        return 0
    call = understood(argv)
    if call is not None:
        return perform(call.run, call.told, before=call.before, argv=argv, several=call.several)
    from nocturne.cli.commands import app

    return app(list(argv), prog_name="nocturne", standalone_mode=False, obj=list(argv))


def _of_the_system(error: OSError) -> NocturneError:
    """What went wrong outside: with a file that was named, or with the output."""
    if os.environ.get("NOCTURNE_DEBUG"):
        raise error
    why = error.strerror or str(error)
    if error.filename is not None:
        return InputUnreadable(
            f"{error.filename}: {why}", hint="check the name, who owns it, and its folder"
        )
    return NocturneError(
        f"the answer could not be written: {why}", hint="what was finished before is kept"
    )


_STOPPED = "stopped: what was finished before is kept, nothing is half-written"


def _usage(error: Any) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(error.format_message() or error.ctx.get_help())
        sys.stdout.write("\n")
        return 2
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx is not None else "nocturne"
    message = error.format_message().strip()
    return _tell(f"error: {message[:1].lower()}{message[1:]}\nhint:  {path} --help", 2)


def _tell(text: str, code: int) -> int:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        _close_output()
    return code


def _close_output() -> None:
    """Point both streams at nothing, so that the interpreter's last flush cannot fail on a closed pipe."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nothing, stream.fileno())
        except (OSError, ValueError):
            continue
    os.close(nothing)


def _open_closed() -> None:
    """Whoever starts a program may have closed its streams: what it reads is empty then, what it says goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def main() -> None:
    """The ``nocturne`` command."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # What is read and judged is kept and holds no cycles: looking for some every 700 objects takes a third of a run.
    gc.set_threshold(50_000, 20, 50)
    code = run(sys.argv[1:])
    # What is left goes with the process: looking through it for cycles once more would be a tenth of a short run.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
