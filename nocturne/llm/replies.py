"""From what a model's server said to a typed outcome: ``Usable`` or ``Failure``. Pure.

Nothing is guessed: the repairs that are allowed are few, each is named in the outcome, brackets are never
closed, and a reasoning field is never read for an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.llm.outcomes import UNCOUNTED, Expected, Failure, Kind, Outcome, Tokens, Usable
from nocturne.passes import wire

MOST_STARTS = 64
SHOWN = 200
NONCE = "nonce"
_THINK = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_STRAY = re.compile(r"</?(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*```[A-Za-z0-9_-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_PLAIN = json.JSONDecoder()
_TOKENISH = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|api)[-_][A-Za-z0-9_\-*.]{4,}|\bBearer\s+\S+|\bAIza[0-9A-Za-z_\-]{10,}",
)


def scrub(text: str, secrets: tuple[str, ...] = ()) -> str:
    """``text`` without the given secrets and without anything that looks like a key."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[secret]")
    return _TOKENISH.sub("[secret]", text)


def shown(text: str) -> str:
    """The beginning of a text, on one line, for a message."""
    flat = " ".join(scrub(text).split())
    flat = flat.encode("utf-8", "backslashreplace").decode("utf-8")
    return flat if len(flat) <= SHOWN else flat[: SHOWN - 1] + "…"


def prose_mode_hint(kind: Kind) -> str | None:
    """What a person can do about content that is not the JSON that was asked for."""
    if kind == "prose":
        return "the model does not keep to JSON; try a larger model or a server that enforces json_schema"
    return None


def content_outcome(content: str, expected: Expected, tokens: Tokens = UNCOUNTED) -> Outcome:
    """Judge the text that the model wrote: exactly one object of the pass's shape, with the nonce."""
    repairs: list[str] = []
    text = content
    if text.startswith("\ufeff"):
        text, repairs = text[1:], ["byte order mark"]
    if not text.strip():
        return Failure("empty", "the content is blank", tokens=tokens)
    thought = _THINK.match(text)
    if thought:
        end = text.lower().find(f"</{thought[1].lower()}>")
        if end < 0:
            return Failure(
                "unclosed-think", f"<{thought[1]}> is never closed", "give the model more output tokens",
                tokens=tokens,
            )  # fmt: skip
        text = text[end + len(thought[1]) + 3 :]
        repairs.append("think block")
        if not text.strip():
            return Failure("empty", "nothing follows the think block", tokens=tokens)
    found = _one_object(text, expected, repairs)
    if isinstance(found, Failure):
        return Failure(found.kind, found.detail, found.hint, tokens=tokens)
    flaw = _flaw(found, expected)
    if flaw is not None:
        return Failure(flaw.kind, flaw.detail, flaw.hint, tokens=tokens)
    body = {key: value for key, value in found.items() if key != NONCE}
    return Usable(json.dumps(body), content, tuple(repairs), tokens)


def _one_object(text: str, expected: Expected, repairs: list[str]) -> dict[str, Any] | Failure:
    """The one object with a key of the pass; what had to be done to find it is added to ``repairs``."""
    fence = _FENCE.match(text)
    inner = fence[1] if fence and "```" not in fence[1] else None
    for candidate, noted in ((text, []), (inner, ["fence"])):
        if candidate is None:
            continue
        for source, also in ((candidate, []), (_without_commas(candidate), ["trailing comma"])):
            if also and source == candidate:
                continue
            try:
                data = wire.load(source)
            except wire.Malformed as error:
                if not _syntax(error):
                    return Failure("illegal-json", str(error))
                continue
            except ValueError as error:
                return Failure("illegal-json", _first_line(error))
            repairs += [*noted, *also]
            if isinstance(data, dict):
                return data
            return Failure("shape", f"the reply is a {type(data).__name__}, not an object")
    return _embedded(text, expected, repairs)


def _embedded(text: str, expected: Expected, repairs: list[str]) -> dict[str, Any] | Failure:
    stray = _STRAY.search(text)
    if stray:
        return Failure(
            "unclosed-think",
            f"a second or unopened {stray[0]}",
            "start the server with a reasoning parser, or switch thinking off",
        )
    for source, also in ((text, []), (_without_commas(text), ["trailing comma"])):
        if also and source == text:
            continue
        spans: list[str] = []
        for piece in _objects(source):
            if isinstance(piece, Failure):
                return piece
            if not any(f'"{key}"' in piece for key in expected.keys):
                continue
            try:
                data = wire.load(piece)
            except wire.Malformed as error:
                return Failure("illegal-json", str(error))
            if isinstance(data, dict) and expected.keys & set(data):
                spans.append(piece)
        if len(spans) > 1:
            return Failure("ambiguous", f"{len(spans)} objects in one reply, one was asked for")
        if spans:
            repairs += ["fence" if "```" in source else "text around the object", *also]
            loaded: dict[str, Any] = wire.load(spans[0])
            return loaded
    if "{" in text and any(f'"{key}"' in text for key in expected.keys):
        return Failure("broken-json", f"the JSON does not end or does not hold: {shown(text)}")
    return Failure("prose", f"no JSON object: {shown(text)}", prose_mode_hint("prose"))


def _objects(text: str) -> Iterator[str | Failure]:
    """Top-level objects that stand in a text, from the left; a bounded number of beginnings is tried."""
    at, tried = 0, 0
    while (at := text.find("{", at)) >= 0:
        tried += 1
        if tried > MOST_STARTS:
            return
        try:
            _, end = _PLAIN.raw_decode(text, at)
        except RecursionError:
            yield Failure("illegal-json", "nested too deeply")
            return
        except json.JSONDecodeError:
            at += 1
            continue
        except ValueError as error:
            yield Failure("illegal-json", _first_line(error))
            return
        yield text[at:end]
        at = end


def _syntax(error: wire.Malformed) -> bool:
    """Whether the text merely is not JSON; otherwise it is JSON that is refused."""
    return isinstance(error.__cause__, json.JSONDecodeError)


def _first_line(error: Exception) -> str:
    return str(error).split(";")[0].split("\n")[0][:SHOWN]


def _without_commas(text: str) -> str:
    """``text`` without commas that stand before a closing bracket, outside of strings."""
    if not re.search(r",\s*[\]}]", text):
        return text
    out: list[str] = []
    start = text.find("{")
    if start < 0:
        return text
    quoted = escaped = False
    position = start
    out.append(text[:start])
    while position < len(text):
        letter = text[position]
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter == ",":
            ahead = position + 1
            while ahead < len(text) and text[ahead].isspace():
                ahead += 1
            if ahead < len(text) and text[ahead] in "]}":
                position += 1
                continue
        out.append(letter)
        position += 1
    return "".join(out)


def _flaw(data: Mapping[str, Any], expected: Expected) -> Failure | None:
    legal = expected.keys
    unknown = sorted(set(data) - legal - {NONCE})
    if unknown:
        return Failure(
            "shape", f"unknown key {shown(unknown[0])}; {expected.pass_name} takes {_listed(legal)}"
        )
    if not legal & set(data):
        return Failure("shape", f"none of the keys that {expected.pass_name} takes: {_listed(legal)}")
    for key in sorted(legal & set(data)):
        if not isinstance(data[key], list):
            return Failure("shape", f"{key} is a {type(data[key]).__name__}, not a list")
    entries = sum(len(data[key]) for key in legal & set(data))
    if entries > expected.most_entries:
        return Failure(
            "flood",
            f"{entries:,} proposals for {expected.units:,} candidates; at most {expected.most_entries:,}",
        )
    if expected.nonce is not None:
        echoed = data.get(NONCE)
        if echoed is None:
            return Failure("nonce-missing", "the check word was not echoed", _NONCE_HINT)
        if echoed != expected.nonce:
            found = shown(str(echoed))[:40]
            return Failure(
                "nonce-missing", f"the check word is {expected.nonce}, the reply says {found}", _NONCE_HINT
            )
    return None


_NONCE_HINT = "the server may have cut the prompt, or the model is too weak to follow it"


def _listed(keys: frozenset[str]) -> str:
    return ", ".join(sorted(keys))


def prompt_was_cut(tokens: Tokens, expected: Expected) -> Failure | None:
    """Whether the server's own count shows that it did not read the whole prompt."""
    read, written = tokens.read, tokens.written or 0
    if read is None:
        return None
    window = next((size for size in (2048, 4096, 8192) if read + written == size), None)
    if 2 * read < expected.estimate:
        found = f"the server read {read:,} tokens of a prompt of at least {expected.estimate:,}"
    elif window and read < expected.estimate:
        found = f"the server stopped at exactly {window:,} tokens, prompt and reply together"
    else:
        return None
    return Failure(
        "prompt-cut",
        f"prompt truncated by the server: {found}",
        "raise the server's context length (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH), or set context_tokens",
        tokens=tokens,
    )


def chat_outcome(body: Any, expected: Expected) -> Outcome:
    """Judge the body of a 200 from ``/chat/completions``."""
    if not isinstance(body, dict):
        return Failure("not-json", f"the body is a JSON {type(body).__name__}, not an object")
    tokens = _chat_tokens(body.get("usage"))
    choices = body.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        return Failure("no-choices", "the body has no choices", tokens=tokens)
    if choices[0].get("error"):
        found = f"the first choice is an error: {shown(str(choices[0]['error']))}"
        return Failure("server-error", found, tokens=tokens)
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return Failure("no-choices", "the first choice has no message", tokens=tokens)
    finish = choices[0].get("finish_reason")
    if finish == "content_filter" or message.get("refusal"):
        said = message.get("refusal") or "the provider's content filter stopped the reply"
        return Failure("declined", shown(str(said)), tokens=tokens)
    cut = prompt_was_cut(tokens, expected)
    if cut is not None:
        return cut
    if finish in ("length", "max_tokens", "max_output_tokens"):
        return Failure("cut", "the reply reached the limit of output tokens", tokens=tokens)
    content = _joined(message.get("content"))
    if not content.strip():
        if any(isinstance(message.get(key), str) and message[key].strip() for key in _REASONING):
            return Failure(
                "reasoning-only",
                "only the reasoning field has text, and that is never read for an answer",
                "change the server's reasoning parser flag, or switch thinking off for this model",
                tokens=tokens,
            )
        what = "a tool call and no content" if message.get("tool_calls") else "the content is blank"
        return Failure("empty", what, tokens=tokens)
    return content_outcome(content, expected, tokens)


_REASONING = ("reasoning_content", "reasoning", "thinking")


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _chat_tokens(usage: Any) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    return Tokens(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def tool_outcome(body: Any, tool: str, expected: Expected) -> Outcome:
    """Judge the body of a 200 from ``/v1/messages`` where one tool was forced."""
    if not isinstance(body, dict):
        return Failure("not-json", f"the body is a JSON {type(body).__name__}, not an object")
    said = body.get("usage")
    usage = said if isinstance(said, dict) else {}
    counted = [_count(usage.get(key)) for key in _ANTHROPIC_IN]
    read = sum(part or 0 for part in counted) if counted[0] is not None else None
    tokens = Tokens(read, _count(usage.get("output_tokens")))
    blocks = body.get("content")
    if not (isinstance(blocks, list) and blocks):
        return Failure("no-choices", "the body has no content blocks", tokens=tokens)
    stop = body.get("stop_reason")
    if stop == "refusal":
        return Failure("declined", "the model declined to answer", tokens=tokens)
    cut = prompt_was_cut(tokens, expected)
    if cut is not None:
        return cut
    if stop in ("max_tokens", "model_context_window_exceeded"):
        return Failure("cut", "the reply reached the limit of output tokens", tokens=tokens)
    uses = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"]
    if len(uses) > 1:
        return Failure("ambiguous", f"{len(uses)} tool calls in one reply, one was asked for", tokens=tokens)
    if uses:
        if uses[0].get("name") != tool or not isinstance(uses[0].get("input"), dict):
            return Failure(
                "shape", f"a call of {shown(str(uses[0].get('name')))}, not of {tool}", tokens=tokens
            )
        return content_outcome(json.dumps(uses[0]["input"]), expected, tokens)
    text = _joined(blocks)
    if not text.strip():
        return Failure("empty", "neither a tool call nor a text", tokens=tokens)
    return content_outcome(text, expected, tokens)


_ANTHROPIC_IN = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
