"""The closed-class words of every language that the measures and the gates know, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

SUBJECT = "§subj"
OWNED = "§subj's"
USER = "§user"
USERS = "§user's"
Phrase = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a phrase, and the words that it becomes."""

_LISTS = (
    "stopwords", "modals", "hedges", "quantifiers", "connectives", "directions", "order", "tense", "comparison",
    "pronouns", "questions", "conditionals", "change_cues", "adjuncts", "weekdays", "kin", "plural_subject",
    "restrictors", "reporting", "relatives", "determiners", "auxiliaries", "participles", "subject_compounds",
    "number_joiners", "unstemmed", "abbreviations", "markers", "titles", "counters", "foreign_words", "date_joiners",
    "hour_words", "ordinal_suffixes", "particles", "takes_is", "after_has", "after_is", "after_gerund",
    "name_verb_endings", "strong", "marked", "date_suffixes",
)  # fmt: skip
_TABLES = (
    "contractions", "elisions", "phrases", "numbers", "scales", "ordinals", "months", "units", "currencies",
    "agreement", "aliases", "stems", "attributes", "clock_words", "unspaced", "afternoon",
    "contracted_endings", "participle_bases", "numbers_after",
)  # fmt: skip
_FUNCTION = (
    "stopwords", "modals", "hedges", "quantifiers", "connectives", "directions", "order", "comparison", "pronouns",
    "questions", "conditionals", "plural_subject", "restrictors", "relatives", "determiners", "auxiliaries",
    "unstemmed",
)  # fmt: skip
_NO_NAMES = tuple(kind for kind in _FUNCTION if kind not in ("modals", "auxiliaries", "unstemmed", "order"))


@dataclass(frozen=True, eq=False)
class Tongue:
    """One language's lists. Words are casefolded; entries with a space are phrases; keys of tables likewise."""

    language: str
    data: Mapping[str, Any] = field(repr=False)

    def words(self, kind: str) -> frozenset[str]:
        """The single words of a list, such as ``modals`` or ``quantifiers``."""
        return self._words[kind]

    def phrases_of(self, kind: str) -> tuple[tuple[str, ...], ...]:
        """The entries of a list that are several words, longest first."""
        return self._phrases[kind]

    def entries(self, kind: str) -> tuple[str, ...]:
        """A list as it is written in the file."""
        return tuple(self.data.get(kind, ()))

    def table(self, kind: str) -> Mapping[str, Any]:
        """A table, such as ``months`` or ``contractions``; empty where the language has none."""
        found: Mapping[str, Any] = self.data.get(kind, {})
        return found

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        kinds = {kind: frozenset(w for w in self.entries(kind) if " " not in w) for kind in _LISTS}
        kinds["negation"] = frozenset(self.data.get("negation", {}).get("words", ()))
        kinds["direction_prepositions"] = kinds["directions"]
        return kinds

    @cached_property
    def _phrases(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        kinds = {kind: _several(self.entries(kind)) for kind in _LISTS}
        kinds["negation"] = _several(self.data.get("negation", {}).get("phrases", ()))
        return kinds

    @cached_property
    def negation(self) -> frozenset[str]:
        """Words that negate by themselves."""
        return self._words["negation"]

    @cached_property
    def negation_phrases(self) -> tuple[tuple[str, ...], ...]:
        """Negations of several words, longest first."""
        return self._phrases["negation"]

    @cached_property
    def negative_prefixes(self) -> tuple[str, ...]:
        """Beginnings that turn an adjective or verb round, such as *un-*."""
        return tuple(self.data.get("negation", {}).get("prefixes", ()))

    @cached_property
    def negative_suffixes(self) -> tuple[str, ...]:
        """Endings that do, such as *-less*."""
        return tuple(self.data.get("negation", {}).get("suffixes", ()))

    @cached_property
    def negative_parts(self) -> tuple[str, ...]:
        """Stretches of characters that negate in a script without spaces."""
        return tuple(self.data.get("negation", {}).get("parts", ()))

    @cached_property
    def negative_verbs(self) -> frozenset[str]:
        """Verbs and adjectives that deny or end something, such as *stop*, *refuse*, *allergic*."""
        return frozenset(self.data.get("negation", {}).get("verbs", ()))

    @cached_property
    def stopwords(self) -> frozenset[str]:
        """Words that content leaves out."""
        return self._words["stopwords"]

    @cached_property
    def function(self) -> frozenset[str]:
        """Every closed-class word: these are never stemmed."""
        return frozenset().union(*(self._words[kind] for kind in _FUNCTION), self.negation)

    @cached_property
    def no_names(self) -> frozenset[str]:
        """Words whose capital does not make a name."""
        return frozenset().union(*(self._words[kind] for kind in _NO_NAMES), self.negation)

    @cached_property
    def markers(self) -> frozenset[str]:
        """Words that speak for this language when a text's language is found."""
        return self._words["markers"].union(
            *(self._words[kind] for kind in _FUNCTION if kind != "unstemmed"), self.negation
        )

    @cached_property
    def subject(self) -> Mapping[str, str]:
        """Single words to the form of the subject: ``i`` to ``§subj``."""
        forms: Mapping[str, Iterable[str]] = self.data.get("subject", {})
        return {word: form for form, words in forms.items() for word in words}

    @cached_property
    def phrase_heads(self) -> Mapping[str, Mapping[str, tuple[Phrase, ...]]]:
        """First and second word to the phrases that begin so and what they become, longest first."""
        heads: dict[str, dict[str, list[Phrase]]] = {}
        for phrase, outputs in self.table("phrases").items():
            words = tuple(phrase.split(" "))
            heads.setdefault(words[0], {}).setdefault(words[1], []).append((words, tuple(outputs)))
        return {
            head: {
                second: tuple(sorted(many, key=lambda one: -len(one[0]))) for second, many in seconds.items()
            }
            for head, seconds in heads.items()
        }

    @cached_property
    def counting(self) -> frozenset[str]:
        """Words that a number or an ordinal can begin with."""
        starts = {word.split("-")[0] for word in self.table("ordinals")}
        starts |= {word.split("-")[0] for word in self.table("numbers")}
        return frozenset({*self.table("scales"), *starts})

    @cached_property
    def endings(self) -> tuple[tuple[str, str], ...]:
        """Agreement endings of more than one letter and what stays of them."""
        return tuple((long, short) for long, short in self.data.get("endings", ()))

    @cached_property
    def name_verb_endings(self) -> tuple[str, ...]:
        """Endings of verbs by which a word before them is known for a name."""
        return self.entries("name_verb_endings")

    @cached_property
    def splits(self) -> tuple[tuple[str, str, str], ...]:
        """Beginnings that are two words: how they are written, the first word, what the second begins with."""
        return tuple((whole, first, second) for whole, first, second in self.data.get("splits", ()))

    @cached_property
    def day_first(self) -> bool | None:
        """Whether 3/4 is the third of April; None where people differ."""
        found: bool | None = self.data.get("day_first")
        return found


def _several(entries: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    many = [tuple(entry.split(" ")) for entry in entries if " " in entry]
    return tuple(sorted(many, key=lambda one: (-len(one), one)))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All languages, and the marker words of languages that are recognised only to be left unjudged."""

    data: Mapping[str, Any] = field(repr=False)

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Lexicon:
        """The lexicon of ``{"languages": {"en": {…}}, "others": {"id": […]}, "letters": {…}}``."""
        return cls(mapping)

    def to_json(self) -> Mapping[str, Any]:
        """What ``from_json`` took: lists, tables and strings only."""
        return self.data

    @cached_property
    def tongues(self) -> Mapping[str, Tongue]:
        """The languages that are judged, in the order in which they win a tie."""
        languages: Mapping[str, Mapping[str, Any]] = self.data["languages"]
        return {name: Tongue(name, languages[name]) for name in self.data["order"]}

    @cached_property
    def nobody(self) -> Tongue:
        """The empty tongue of a text whose language is not known."""
        return Tongue("und", self.data.get("und", {}))

    def of(self, language: str) -> Tongue:
        """The lists of a language; the empty ones for a language that is not known."""
        return self.tongues.get(language, self.nobody)

    def words(self, kind: str) -> frozenset[str]:
        """A list merged over all languages."""
        return self._merged.setdefault(
            kind, frozenset().union(*(tongue.words(kind) for tongue in self.tongues.values()))
        )

    @cached_property
    def _merged(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def speaks_for(self) -> Mapping[str, tuple[str, ...]]:
        """Word to the languages of Latin script that it is a sign of; twice where it is a strong one."""
        found: dict[str, list[str]] = {}
        for name, tongue in self.tongues.items():
            if tongue.data.get("script") == "Latin":
                for word in tongue.markers | tongue.words("strong"):
                    found.setdefault(word, []).append(name)
                for word in tongue.words("strong"):
                    found[word].append(name)
        for name, words in self.data.get("others", {}).items():
            for word in words:
                found.setdefault(word, []).append(name)
        return {word: tuple(names) for word, names in found.items()}

    @cached_property
    def letters(self) -> Mapping[str, tuple[str, ...]]:
        """Letter to the languages that it is a sign of."""
        return {letter: tuple(names) for letter, names in self.data.get("letters", {}).items()}
