"""Secrets in text: found by shape or by where they stand, replaced by ``[secret:kind]``, never kept."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from nocturne.core.facts import ToolCall, Turn

_PLACEHOLDER = re.compile(
    r"""\[secret:[a-z-]+\]|\[?redacted[\w-]*\]?|x{3,}|\*{3,}|\.{3,}|•+|<[^<>\s]*>|\$\{?[\w.()-]+\}?|%\w+%|\{\{.*
    |\$\(.*|your[-_\s].*|my[-_\s]?(?:password|token|secret|key)|change[-_\s]?me|placeholder|example|dummy|none|null
    |nil|true|false|undefined|required|optional|string|str|bytes|secret|password|passwd|token|hidden|unset|empty
    |default|env|authentication|authorization|expired|invalid|missing|wrong|prompt|field|here|is|was|and|or|not
    |the|a|an|to|in|for|with|reset|manager|protected|based|only|generated|stored|bearer|basic""",
    re.IGNORECASE | re.VERBOSE,
)
_HASH_LIKE = re.compile(
    r"[0-9a-f]{6,64}|[0-9A-F]{6,64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|v?\d+(?:[.\-+:/]\w+)*"
)
_CODE = re.compile(
    r"""[A-Za-z_][\w.]*\(|[A-Za-z_]\w*\[|(?:self|this|os|process|config|settings|env|props|req|request|options|args
    |data|ctx|secrets|vault|params|user|form)[.\[]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|[~.]{0,2}/[\w.-]+/""",
    re.VERBOSE,
)


def _entropy(text: str) -> float:
    """Shannon entropy of the characters, bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def _luhn(digits: str) -> bool:
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = ord(char) - 48
        if place % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


def _is_card(text: str) -> bool:
    """Whether the digits are those of a payment card: an issuer's prefix, its length, and the check digit."""
    digits = re.sub(r"\D", "", text)
    issuer = (
        (digits[0] == "4" and len(digits) in (13, 16, 19))
        or (len(digits) == 16 and (51 <= int(digits[:2]) <= 55 or 2221 <= int(digits[:4]) <= 2720))
        or (len(digits) == 15 and digits[:2] in ("34", "37"))
        or (len(digits) in (16, 19) and (digits[:4] == "6011" or digits[:2] in ("65", "35", "62")))
        or (len(digits) == 14 and digits[:2] in ("36", "38", "30"))
    )
    return issuer and len(set(digits)) > 1 and _luhn(digits)


def _bare(value: str) -> str:
    return value.strip("\"'`,;\\").rstrip(".!?)")


def _is_literal(value: str) -> bool:
    """Whether what follows ``password=`` is a value and no placeholder, variable, call or word of prose."""
    bare = _bare(value)
    return len(bare) >= 4 and not _PLACEHOLDER.fullmatch(bare) and not _CODE.match(bare)


def _is_chosen(value: str) -> bool:
    """Whether the word after "my password is" looks chosen: a digit, a sign, or a capital inside."""
    bare = _bare(value)
    looks_chosen = re.search(r"\d|[!@#$%^&*_+=~]|[a-z][A-Z]", bare) is not None
    return len(bare) >= 6 and looks_chosen and _is_literal(bare)


def _is_token(value: str) -> bool:
    """Whether a value under a token's name could be one: no word, no count, no commit."""
    bare = _bare(value)
    if len(bare) < 8 or not _is_literal(bare) or re.fullmatch(r"[\d.,:/-]+", bare):
        return False
    mixed = re.search(r"\d", bare) is not None and re.search(r"[A-Za-z]", bare) is not None
    return mixed or (
        len(bare) >= 16 and _entropy(bare) >= 3.0 and not re.fullmatch(r"[a-z_.-]+|[A-Za-z]+", bare)
    )


def _is_random(value: str) -> bool:
    """Whether a long value under a telling name is random: mixed kinds, high entropy, no hash or version."""
    if _PLACEHOLDER.fullmatch(value) or _HASH_LIKE.fullmatch(value) or _CODE.match(value):
        return False
    kinds = sum(re.search(kind, value) is not None for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return kinds >= 2 and re.search("[0-9]", value) is not None and _entropy(value) >= 3.3


def _is_key_tail(value: str) -> bool:
    """Whether the part after a vendor's prefix is a key and no compound of words or placeholder."""
    words = re.fullmatch(r"(?i)[x*._-]+|[a-z]+(?:[-_][a-z]+)+\d?", value)
    return words is None and re.search(r"\d", value) is not None


def _is_no_placeholder(value: str) -> bool:
    return not _PLACEHOLDER.fullmatch(_bare(value))


def _has_digit(value: str) -> bool:
    return re.search(r"\d", value) is not None and _is_no_placeholder(value)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern of one kind; ``accept`` looks at its ``value`` group, or at the match."""

    kind: str
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] | None = None
    whole: bool = False
    """Whether the match is replaced with its prefix, not the value alone."""


def _rule(
    kind: str, pattern: str, accept: Callable[[str], bool] | None = None, *, whole: bool = False
) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.VERBOSE), accept, whole)


_START = r"(?<![A-Za-z0-9])"
_ASSIGN = r"""(?:\\?["'`])?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}"""
_VALUE = r"""(?P<value>\\?"[^"\n\\]{4,200}\\?"|'[^'\n]{4,200}'|`[^`\n]{4,200}`
    |[^\s"'`,;&<>(){}\[\]|\\]{4,200}+(?![(\[]))"""
_PARTS = r"(?:[A-Za-z0-9]+[_.-]){0,5}"
_UNDER_TOKEN_NAME = rf"""(?i){_START}{_PARTS}(?:api[_-]?keys?|api[_-]?secret|secret[_-]?(?:access[_-]?)?key
    |client[_-]?secret|(?:auth|access|refresh|session|id|bot|personal)[_-]?token|private[_-]?key|account[_-]?key
    |encryption[_-]?key|signing[_-]?key|(?:webhook|jwt|app)[_-]?secret|secret|token|credential){_ASSIGN}"""
_UNDER_PASSWORD_NAME = rf"""(?i){_START}{_PARTS}(?:[A-Za-z]*password|[A-Za-z]*passwd|passphrase|pwd|passwort
    |contraseña|senha|mot[ ]de[ ]passe){_ASSIGN}"""

_RULES: tuple[_Rule, ...] = (
    _rule(
        "private-key",
        r"""-----BEGIN[ ](?:[A-Z0-9]+[ ])*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        (?:(?:[^-]|-(?!----))*-----END[ ](?:[A-Z0-9]+[ ])*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        |[A-Za-z0-9+/=\s:,\\]*)""",
    ),
    _rule("jwt", _START + r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{5,}){0,3}"),
    _rule("aws-key", _START + r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _rule("github-token", _START + r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    _rule("gitlab-token", _START + r"gl(?:pat|rt|ptt|dt|cbt|soat)-[A-Za-z0-9_-]{20,}"),
    _rule("slack-token", _START + r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"),
    _rule("webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+_-]{20,}"),
    _rule("webhook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}"),
    _rule(
        "api-key",
        _START
        + r"""[sprw]k[-_](?:(?:ant|proj|svcacct|or|live|test|admin|lf|prod)[-_])*(?:v\d-|api\d+-)?
        (?P<value>[A-Za-z0-9_-]{12,})""",
        _is_key_tail,
        whole=True,
    ),
    _rule("api-key", _START + r"AIza[0-9A-Za-z_-]{7,}(?![A-Za-z0-9_-])"),
    _rule(
        "api-key",
        _START
        + r"""(?:hf|gsk|r8|nvapi|pplx|xai|fw|tvly|sntrys|dop_v1|shpat|npm|dckr_pat|pypi|lin_api|ATATT3|figd
        |sbp|ntn|secret|glsa|phc|phx|rnd|key)[-_](?P<value>[A-Za-z0-9_=-]{24,})""",
        _is_key_tail,
        whole=True,
    ),
    _rule("api-key", _START + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _rule("api-key", _START + r"\d{8,10}:AA[A-Za-z0-9_-]{30,}"),
    _rule(
        "oauth-token",
        _START
        + r"""(?:ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}
        |EAA[A-Za-z0-9]{60,})""",
    ),
    _rule(
        "password",
        r"""\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@"'<>]{0,100}:(?P<value>[^\s/@"'<>]{1,200})@(?=[\w\[$])""",
        _is_no_placeholder,
    ),
    _rule(
        "bearer-token",
        r"""(?i)\b(?:proxy-)?authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:bearer|basic|token|apikey|digest)\s+
        (?P<value>[A-Za-z0-9._~+/=-]{8,})""",
        _is_no_placeholder,
    ),
    _rule("bearer-token", r"(?i)\bbearer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,}={0,2})", _has_digit),
    _rule("password", _UNDER_PASSWORD_NAME + _VALUE, _is_literal),
    _rule("password", r"(?i)(?:(?<=\s)|\A)(?:--password|--passwd|--pass)[ =]" + _VALUE, _is_literal),
    _rule(
        "password",
        r"""(?i)\b(?:password|passphrase|passcode|passwort|contraseña)(?:\s+for\s+[^\n:=]{1,40}?)?
        \s+(?:is|was|ist|es)(?:\s+now)?:?\s+(?P<value>[^\s,;]{6,100})""",
        _is_chosen,
    ),
    _rule("token", _UNDER_TOKEN_NAME + _VALUE, _is_token),
    _rule(
        "token",
        r"""(?i)\b(?:api[ _-]?key|(?:access|auth|secret|api|bot)[ -]?token|secret[ -]key|token)
        \s+(?:is|was)(?:\s+now)?:?\s+(?P<value>[^\s,;]{12,200})""",
        _is_token,
    ),
    _rule(
        "token",
        r"""(?i)[?&](?:access_token|api_key|apikey|key|token|sig|signature|secret|password)=
        (?P<value>[A-Za-z0-9._~%+/-]{12,})""",
        _is_token,
    ),
    _rule(
        "high-entropy",
        rf"""(?i){_START}{_PARTS}(?:key|secret|token|auth|credentials?|cert|salt|nonce|sas){_ASSIGN}\\?["'`]?
        (?P<value>[A-Za-z0-9+/_=~.-]{{20,300}})""",
        _is_random,
    ),
    _rule(
        "card-number",
        r"""(?<![\w.,:/\#-])(?P<value>\d(?:[ -]?\d){12,18})(?![\w/:-])(?!\.\d)""",
        _is_card,
    ),
)
_HINT = re.compile(
    r"""-----BEGIN|eyJ|A[KSBCRI][ICDO]A|gh[pousr]_|github_pat_|\bgl[a-z]{2,4}-|xox|xapp-|hooks\.slack|webhooks/
    |[sprw]k[-_]|AIza|SG\.|:AA|ya29|1//0|GOCSPX|EAA|://[^\s]{0,300}@|bearer|authorization|pass|pwd|senha|contrase
    |token|secret|key|auth|credential|cert|salt|nonce|sas\b|sig
    |(?:hf|gsk|r8|nvapi|pplx|xai|fw|tvly|sntrys|v1|shpat|npm|pat|pypi|api|ATATT3|figd|sbp|ntn|glsa|ph[cx]|rnd)[-_]
    |\d(?:[ -]?\d){12}""",
    re.IGNORECASE | re.VERBOSE,
)


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with every secret replaced by ``[secret:kind]``, and how many of each kind: idempotent.

    Hashes, UUIDs, versions, variable names and placeholders stay.
    """
    counts: Counter[str] = Counter()
    if not _HINT.search(text):
        return text, counts
    for rule in _RULES:
        pieces: list[str] = []
        at = 0
        for match in rule.pattern.finditer(text):
            mended = _mended(match, rule)
            if mended is not None:
                pieces += (text[at : match.start()], mended)
                at = match.end()
                counts[rule.kind] += 1
        if pieces:
            text = "".join((*pieces, text[at:]))
    return text, counts


def _mended(match: re.Match[str], rule: _Rule) -> str | None:
    """The match with its secret replaced, or None where it holds none."""
    whole = match.group()
    named = "value" in match.re.groupindex
    value = match.group("value") if named else whole
    if "[secret:" in whole or (rule.accept is not None and not rule.accept(value)):
        return None
    mark = f"[secret:{rule.kind}]"
    if rule.whole or not named:
        return mark
    start, end = match.start("value") - match.start(), match.end("value") - match.start()
    opening = re.match(r"\\?[\"'`]", value)
    closing = re.search(r"\\?[\"'`]\Z", value)
    left = opening.group() if opening else ""
    right = closing.group() if opening and closing else ""
    trail = re.search(r"[.!?)]*\Z", value)
    right = right or (trail.group() if trail and not opening else "")
    return whole[:start] + left + mark + right + whole[end:]


def redact_turn(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn with secrets replaced in its text and in its tool payload."""
    text, counts = redact(turn.text)
    tool = turn.tool
    if tool is not None and tool.payload is not None:
        payload, found = redact(tool.payload)
        counts.update(found)
        tool = ToolCall(tool.name, tool.call_id, payload, tool.outcome)
    return (replace(turn, text=text, tool=tool), counts) if counts else (turn, counts)
