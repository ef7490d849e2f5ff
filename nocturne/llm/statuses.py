"""From a status, headers and body to the body's JSON or a typed failure, whatever the dialect. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from nocturne.llm.outcomes import Failure
from nocturne.llm.replies import shown
from nocturne.passes import wire

_CONTEXT = re.compile(
    r"context[ _-]?(?:length|size|window)|maximum context|prompt is too long|too many (?:input )?tokens"
    r"|exceeds? the (?:available )?context|input is too long|request too large|exceed_context"
)
_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|guided_json|guided decoding|structured[ _]outputs?|grammar"
    r"|output_config|tool_choice"
)
_PARAMETERS = ("max_tokens", "temperature", "stream")
_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|insufficient (?:balance|credits?|funds)"
    r"|credit balance|payment required|out of credits"
)
_RATE = re.compile(r"rate[ _-]?limit|too many requests|overloaded")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came over the wire, whole. Header names are in lower case; ``body`` is bounded by the reader."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait by a Retry-After header (a number or a date); None where it says nothing usable.

    ``now`` is in seconds since the Unix epoch.
    """
    if value is None:
        return None
    value = value.strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def read(answer: Answer, now: float, *, strict: bool = False) -> Any | Failure:
    """The body's JSON where the call went through, else what went wrong.

    ``strict`` refuses duplicate keys and the like in the body itself, for dialects that answer in it.
    """
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    body, flaw = _json(answer.body, strict=strict)
    wait = retry_after(answer.headers.get("retry-after"), now)
    if answer.status == 200 and kind == "text/event-stream":
        return Failure(
            "streamed",
            "the server streamed although nobody asked it to",
            "switch streaming off at the server or proxy",
        )
    if answer.status != 200:
        return status_failure(answer.status, _message(body, answer.body), _code(body), wait)
    if flaw is not None:
        return flaw
    if isinstance(body, dict) and body.get("error"):
        return _error_in_body(body, wait)
    return body


def _json(raw: bytes, *, strict: bool) -> tuple[Any, Failure | None]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, Failure("not-json", f"the body is not UTF-8: {shown(raw[:200].decode('latin-1'))}")
    try:
        return (wire.load(text) if strict else json.loads(text)), None
    except wire.Malformed as error:
        if not isinstance(error.__cause__, json.JSONDecodeError):
            return None, Failure("illegal-json", str(error))
    except json.JSONDecodeError:
        pass
    except RecursionError:
        return None, Failure("illegal-json", "nested too deeply")
    except ValueError as error:
        return None, Failure("illegal-json", str(error).split(";")[0])
    what = shown(text[:1000]) or "an empty body"
    return None, Failure(
        "not-json", f"the body is not JSON: {what}", "is the base URL that of a model server?"
    )


def _message(body: Any, raw: bytes) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict) and error.get("message"):
        return str(error["message"])
    if isinstance(error, str) and error:
        return error
    for key in ("message", "detail", "errors", "error"):
        if isinstance(body, dict) and body.get(key):
            return str(body[key])
    return raw[:1000].decode("utf-8", "replace")


def _code(body: Any) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return ""
    return " ".join(str(error.get(key) or "") for key in ("type", "code", "param")).strip()


def _error_in_body(body: Mapping[str, Any], wait: float | None) -> Failure:
    """An error that came with status 200 is judged by its own code, else as the server's fault."""
    error = body["error"]
    code = error.get("code") if isinstance(error, dict) else None
    number = (
        int(code) if isinstance(code, int | str) and str(code).isdigit() and len(str(code)) == 3 else None
    )
    message, words = _message(body, b""), _code(body)
    if number is not None and number >= 300:
        return status_failure(number, message, words, wait)
    said = f"{words} {message}".casefold()
    if _QUOTA.search(said):
        return status_failure(402, message, words, wait)
    if _RATE.search(said):
        return status_failure(429, message, words, wait)
    if "authentication" in said or "api key" in said or "unauthorized" in said:
        return status_failure(401, message, words, wait)
    if _CONTEXT.search(said) or _FORMAT.search(said) or "invalid_request" in said:
        return status_failure(400, message, words, wait)
    return Failure(
        "server-error", f"status 200 with an error in the body: {shown(message)}", retry_after=wait
    )


def status_failure(status: int, message: str, code: str, wait: float | None) -> Failure:
    """The failure that a status other than 200 means, by its message where the status alone is not enough."""
    said = f"{code} {message}".casefold()
    found = f"status {status}: {shown(message)}"
    if status in (401, 403):
        return Failure(
            "auth", found, "set the provider's key in the environment (nocturne provider check says which)"
        )
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(said)):
        return Failure("quota", found, "the account has no quota left; retrying would not help")
    if status == 429:
        return Failure("rate-limited", found, "ask with fewer --jobs, or later", retry_after=wait)
    if status in (400, 404, 422) and _names_a_missing_model(said):
        return Failure("model-missing", found, "name a model that the server has with --model")
    if status in (404, 405):
        return Failure(
            "not-found", found, "give the base URL up to and with its version, as in http://localhost:1234/v1"
        )
    if 300 <= status < 400:
        return Failure(
            "redirected", found, "give the base URL that the redirect leads to; none is followed with a key"
        )
    if status == 413 or (status in (400, 422, 500) and _CONTEXT.search(said)):
        return Failure("context-exceeded", found, "set context_tokens to what the model takes")
    if status in (400, 422):
        refused = next((name for name in _PARAMETERS if _unsupported(name, said)), None)
        if refused:
            return Failure("parameter-refused", found, parameter=refused)
    if status in (400, 422, 500, 501) and _FORMAT.search(said):
        return Failure("format-refused", found)
    if status >= 500 or status in (408, 409, 425):
        return Failure("server-error", found, retry_after=wait)
    return Failure("bad-request", found)


def _names_a_missing_model(said: str) -> bool:
    return "model" in said and any(
        words in said
        for words in (
            "not found",
            "not exist",
            "no such",
            "not loaded",
            "no models loaded",
            "unknown model",
            "not_found",
        )
    )


def _unsupported(name: str, said: str) -> bool:
    return name in said and any(
        words in said
        for words in ("unsupported", "not supported", "deprecated", "unknown parameter", "unrecognized")
    )
