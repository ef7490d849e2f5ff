"""The purely lexical rules that the gates are measured against: containment, one-sided coverage, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "ours",
        "you",
        "your",
        "yours",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "it",
        "its",
        "they",
        "them",
        "their",
        "theirs",
        "user",
        "users",
        "this",
        "that",
        "these",
        "those",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "having",
        "and",
        "or",
        "but",
        "if",
        "of",
        "at",
        "by",
        "for",
        "with",
        "about",
        "to",
        "from",
        "in",
        "on",
        "up",
        "as",
        "into",
        "than",
        "so",
        "too",
        "very",
        "just",
        "also",
        "then",
        "there",
        "here",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "what",
        "why",
        "how",
    ]
)
_WORD = re.compile(r"[^\W_]+(?:[.:/@_-][^\W_]+)*", re.UNICODE)


def _tokens(text: str) -> list[str]:
    flat = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "")
    return _WORD.findall(flat)


def _stem(token: str) -> str:
    if len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us")):
        return token[:-1]
    return token


def content(text: str) -> frozenset[str]:
    """Stemmed tokens without stopwords."""
    return frozenset(_stem(token) for token in _tokens(text) if token not in _STOP)


def similarity(first: str, second: str) -> float:
    """The shared share of the smaller content set; 0 where one is empty."""
    one, two = content(first), content(second)
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


def _names(text: str) -> set[str]:
    found = re.findall(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’-]*", text)
    return {name.removesuffix("'s").casefold() for name in found if name != "I" and not name.startswith("I'")}


def accepts_drop(source: str, text: str) -> bool:
    """Similarity of at least 0.9."""
    return similarity(source, text) >= 0.9


def accepts_merge(sources: Sequence[str], text: str) -> bool:
    """Every content token of the text is somewhere in the sources, and so is every name."""
    vocabulary = {form for source in sources for token in _tokens(source) for form in (token, _stem(token))}
    wanted = content(text)
    heard = {token for source in sources for token in _tokens(source)}
    return bool(wanted) and wanted <= vocabulary and all(set(_tokens(name)) <= heard for name in _names(text))


def accepts(sources: Sequence[str], text: str) -> bool:
    """Whether either gate lets the row through."""
    return all(accepts_drop(source, text) for source in sources) or accepts_merge(sources, text)
