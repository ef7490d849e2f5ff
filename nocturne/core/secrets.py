"""Secrets in text: found by shape or by where they stand, replaced by ``[secret:kind]``, never kept."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
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
    |data|ctx|secrets|vault|params|user|form)[.\[]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z
    |[a-z_]+_(?:password|passwd|token|secret|key|hash)\Z|[~.]{0,2}/[\w.-]+/""",
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
    if len(bare) < 8 or re.search(r"\s", bare) or not _is_literal(bare) or re.fullmatch(r"[\d.,:/-]+", bare):
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


def _is_credential(value: str) -> bool:
    return (len(value) >= 20 or re.search(r"\d", value) is not None) and _is_no_placeholder(value)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern of one kind, tried where the lower-case text holds one of ``needles``.

    ``lead`` must match what stands right before the needle. ``accept`` looks at the pattern's ``value``
    group, or at the whole match; ``whole`` says that all of the match is replaced and not the value alone.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    lead: re.Pattern[str]
    accept: Callable[[str], bool] | None
    whole: bool


_LONGEST_LEAD = 16
_ANYTHING = ""
_NO_WORD = r"(?:\A|[^A-Za-z0-9])\Z"
_NO_LETTER = r"(?:\A|[^A-Za-z])\Z"


def _rule(
    kind: str,
    needles: str,
    pattern: str,
    accept: Callable[[str], bool] | None = None,
    *,
    lead: str = _NO_WORD,
    whole: bool = False,
) -> _Rule:
    compiled = re.compile(pattern, re.VERBOSE)
    return _Rule(kind, tuple(needles.split("|")), compiled, re.compile(lead, re.IGNORECASE), accept, whole)


_ASSIGN = r"""s?(?:\\?["'`])?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}"""
_VALUE = r"""(?P<value>\\?"[^"\n\\]{4,200}\\?"|'[^'\n]{4,200}'|`[^`\n]{4,200}`
    |[^\s"'`,;&<>(){}\[\]|\\]{4,200}+(?![(\[]))"""
# "passwords: make them long" goes on after the word; "password: swordfish" ends with it.
_NO_PROSE = r"(?<!:[ \t])(?<!:[ \t]{2})|(?![^\W\d_]+[ \t]+\w)"
_RANDOM = r"""\\?["'`]?(?P<value>[A-Za-z0-9+/_=~.-]{20,300})"""
_KEY_LEAD = r"(?:(?:api|secret|private|account|encryption|signing|access)[_-]?|[?&])\Z"
_WORD_LEAD = (
    r"(?:\A|[^A-Za-z]|(?:api|client|webhook|jwt|app|auth|access|refresh|session|id|bot|personal)[_-]?)\Z"
)

_SHAPES: tuple[_Rule, ...] = (
    _rule(
        "private-key",
        "-----begin",
        r"""-----BEGIN[ ](?:[A-Z0-9]+[ ])*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        (?:(?:[^-]|-(?!----))*-----END[ ](?:[A-Z0-9]+[ ])*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        |[A-Za-z0-9+/=\s:,\\]*)""",
        lead=_ANYTHING,
    ),
    _rule("jwt", "eyj", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{5,}){0,3}"),
    _rule("aws-key", "akia|asia|abia|acca|aroa|aida", r"A[A-Z]{3}[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _rule("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _rule("gitlab-token", "glpat-|glrt-|glptt-|gldt-|glcbt-|glsoat-", r"gl[a-z]+-[A-Za-z0-9_-]{20,}"),
    _rule("slack-token", "xox|xapp-", r"(?:xox[abeoprs]|xapp-\d)-[A-Za-z0-9-]{10,}", _has_digit),
    _rule("webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+_-]{20,}"),
    _rule("webhook", "/api/webhooks/", r"/api/webhooks/\d+/[A-Za-z0-9_-]{20,}", lead=_ANYTHING),
    _rule(
        "api-key",
        "sk-|pk-|rk-|wk-|sk_|pk_|rk_|wk_",
        r"""..[-_](?:(?:ant|proj|svcacct|or|live|test|admin|lf|prod)[-_])*(?:v\d-|api\d+-)?
        (?P<value>[A-Za-z0-9_-]{12,})""",
        _is_key_tail,
        whole=True,
    ),
    _rule("api-key", "aiza", r"AIza[0-9A-Za-z_-]{7,}(?![A-Za-z0-9_-])"),
    _rule(
        "api-key",
        "hf_|gsk_|r8_|nvapi-|pplx-|xai-|fw_|tvly-|sntrys_|dop_v1_|shpat_|npm_|dckr_pat_|pypi-|lin_api_|figd_|sbp_"
        "|ntn_|secret_|glsa_|phc_|phx_|rnd_|key-",
        r"(?:[a-z]+_)?[a-z0-9]+[-_](?P<value>[A-Za-z0-9_=-]{24,})",
        _is_key_tail,
        whole=True,
    ),
    _rule("api-key", "atatt3", r"ATATT3[A-Za-z0-9_=-]{24,}"),
    _rule("api-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _rule("api-key", ":aa", r":AA[A-Za-z0-9_-]{30,}", lead=r"(?:\A|\D)\d{8,10}\Z"),
    _rule("oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    _rule("oauth-token", "1//0", r"1//0[A-Za-z0-9_-]{30,}"),
    _rule("oauth-token", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _rule("oauth-token", "eaa", r"EAA[A-Za-z0-9]{60,}"),
    _rule(
        "password",
        "://",
        r"""://[^\s:/@"'<>]{0,100}:(?P<value>[^\s/@"'<>]{1,200})@(?=[\w\[$])""",
        _is_no_placeholder,
        lead=_ANYTHING,
    ),
    _rule(
        "bearer-token",
        "authorization",
        r"""(?i)authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:bearer|basic|token|apikey|digest)\s+
        (?P<value>[A-Za-z0-9._~+/=-]{8,})""",
        _is_credential,
        lead=_ANYTHING,
    ),
    _rule("bearer-token", "bearer", r"(?i)bearer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,}={0,2})", _has_digit),
    _rule(
        "password",
        "password|passwd|passphrase|passwort|contraseña|senha|mot de passe",
        rf"(?i)[a-zñ]+(?:[ ]de[ ]passe)?{_ASSIGN}(?:{_NO_PROSE}){_VALUE}",
        _is_literal,
        lead=_ANYTHING,
    ),
    _rule("password", "pwd", rf"(?i)pwd{_ASSIGN}{_VALUE}", _is_literal, lead=_NO_LETTER),
    _rule("password", "--pass", rf"(?i)--pass(?:word|wd)?[ =]{_VALUE}", _is_literal),
    _rule(
        "password",
        "password|passphrase|passcode|passwort|contraseña",
        r"""(?i)[a-zñ]+(?:\s+for\s+[^\n:=]{1,40}?)?\s+(?:is|was|ist|es)(?:\s+now)?:?\s+
        (?P<value>[^\s,;]{6,100})""",
        _is_chosen,
    ),
    _rule("token", "key", rf"(?i)key{_ASSIGN}{_VALUE}", _is_token, lead=_KEY_LEAD),
    _rule(
        "token", "secret|token|credential", rf"(?i)[a-z]{{5,10}}{_ASSIGN}{_VALUE}", _is_token, lead=_WORD_LEAD
    ),
    _rule(
        "token",
        "sig=|signature=",
        r"(?i)[a-z]+=(?P<value>[A-Za-z0-9._~%+/-]{12,})",
        _is_token,
        lead="[?&]\\Z",
    ),
    _rule(
        "token",
        "api key|api-key|api_key|apikey|secret key|token",
        r"(?i)(?:(?:api[ _-]?|secret[ ])key|token)\s+(?:is|was)(?:\s+now)?:?\s+(?P<value>[^\s,;]{12,200})",
        _is_token,
    ),
    _rule(
        "high-entropy",
        "key|secret|token|credential",
        rf"(?i)[a-z]+{_ASSIGN}{_RANDOM}",
        _is_random,
        lead=_ANYTHING,
    ),
    _rule(
        "high-entropy",
        "auth|cert|salt|nonce|sas",
        rf"(?i)[a-z]+{_ASSIGN}{_RANDOM}",
        _is_random,
        lead=_NO_LETTER,
    ),
)
_CARD = re.compile(r"[2-6](?<![\w.,:/#-][2-6])(?:[ -]?\d){12,18}(?![\w/:-])(?!\.\d)")


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with every secret replaced by ``[secret:kind]``, and how many of each kind: idempotent.

    Hashes, UUIDs, versions, variable names and placeholders stay.
    """
    counts: Counter[str] = Counter()
    lowered = _lowered(text)
    for rule in _SHAPES:
        found = sorted(_found(rule, text, lowered), key=lambda match: match.start())
        pieces: list[str] = []
        at = 0
        for match in found:
            if match.start() < at:
                continue
            mended = _mended(match, rule)
            if mended is not None:
                pieces += (text[at : match.start()], mended)
                at = match.end()
                counts[rule.kind] += 1
        if pieces:
            text = "".join((*pieces, text[at:]))
            lowered = _lowered(text)
    return _CARD.sub(lambda match: _card(match.group(), counts), text), counts


def _card(digits: str, counts: Counter[str]) -> str:
    if not _is_card(digits):
        return digits
    counts["card-number"] += 1
    return "[secret:card-number]"


def _lowered(text: str) -> str:
    """The text in lower case, character for character."""
    lowered = text.lower()
    if len(lowered) != len(text):
        return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return lowered


def _found(rule: _Rule, text: str, lowered: str) -> Iterator[re.Match[str]]:
    """The rule's matches, wherever one of its needles stands."""
    for needle in rule.needles:
        at = lowered.find(needle)
        while at >= 0:
            match = rule.pattern.match(text, at)
            if match is not None and rule.lead.search(text[max(0, at - _LONGEST_LEAD) : at]):
                yield match
            at = lowered.find(needle, at + 1)


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
    closing = re.search(r"\\?[\"'`]\Z" if opening else r"[.!?)]*\Z", value)
    return (
        whole[:start]
        + (opening.group() if opening else "")
        + mark
        + (closing.group() if closing else "")
        + whole[end:]
    )


def redact_turn(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn with secrets replaced in its text and in its tool payload."""
    text, counts = redact(turn.text)
    tool = turn.tool
    if tool is not None and tool.payload is not None:
        payload, found = redact(tool.payload)
        counts.update(found)
        tool = ToolCall(tool.name, tool.call_id, payload, tool.outcome)
    return (replace(turn, text=text, tool=tool), counts) if counts else (turn, counts)
