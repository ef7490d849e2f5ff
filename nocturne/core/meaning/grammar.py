"""The closed-class words that the rewrites of one language lean on, ready for set look-ups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from nocturne.core.meaning.verbs import is_form
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.parts import MAY_BE_LEFT_OUT

_JOINTS = {
    "and": "and & + y e und et и да و और तथा एवं 和 与 及 以及 と や",
    "or": "or oder ou o u или أو या 或 或者 または か",
    "nor": "nor ni noch nem ни ولا",
}
_MARKS = ". ; ? ! …"
_INNER_MARKS = ', : ( ) — " …'
JOINTS = {word: joint for joint, words in _JOINTS.items() for word in words.split()}
"""What joins the items of a list, in every language; ``grammar.joints`` holds those of one."""

_JOINTS_OF = {
    "en": "and & or nor",
    "es": "y e o u ni",
    "pt": "e ou nem",
    "de": "und oder noch",
    "fr": "et ou ni",
    "ru": "и или ни",
    "ar": "و أو ولا",
    "hi": "और तथा एवं या",
    "zh": "和 与 及 以及 或 或者",
    "ja": "と や または か",
}
ENDS = frozenset(_MARKS.split())
PUNCTUATION = ENDS | frozenset(_INNER_MARKS.split())
ARTICLES = MAY_BE_LEFT_OUT - {"that"}
ARTICLE_MATTERS = frozenset(
    ("little", "few", "lot", "bit", "couple", "while", "most", "same", "only", "other", "others", "former", "latter",
     "more", "less", "number", "hundred", "thousand", "dozen")
)  # fmt: skip
"""Words before which an article changes the meaning: *a little* is not *little*."""

ORDINALS = frozenset(("first", "second", "third", "last", "next"))

FLOATING = frozenset(
    ("always", "usually", "often", "mostly", "sometimes", "occasionally", "currently", "now", "nowadays", "daily",
     "weekly", "monthly", "today", "tomorrow", "yesterday", "already", "still", "recently", "regularly", "normally",
     "typically", "generally", "first", "also", "later", "soon", "finally", "frequently", "rarely", "seldom")
)  # fmt: skip
"""Adverbs of time and frequency, which may stand anywhere in their clause."""

VERB_ADVERBS = FLOATING | frozenset(
    ("never", "not", "just", "only", "really", "even", "almost", "both", "either", "ever", "hardly", "barely",
     "absolutely", "probably", "definitely", "mainly", "actually", "simply", "once", "then")
)  # fmt: skip
"""What can stand between a subject and its verb."""

TIME_NOUNS = frozenset(
    ("morning", "afternoon", "evening", "night", "noon", "midnight", "day", "days", "week", "weeks", "weekend",
     "weekends", "month", "months", "year", "years", "time", "hour", "hours", "minute", "minutes", "spring", "summer",
     "autumn", "fall", "winter", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
     "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "january", "february",
     "march", "april", "june", "july", "august", "september", "october", "november", "december", "ago", "christmas",
     "easter", "birthday", "holidays")
)  # fmt: skip
BE = frozenset(("is", "was", "be", "been", "being", "am", "are", "were"))
SUBJECT_PRONOUNS = frozenset(
    ("§subj", "§user", "i", "we", "he", "she", "it", "they", "you", "there", "this", "that")
)
TIMELY = frozenset(
    ("since", "until", "till", "before", "after", "during", "when", "while", "every", "each", "last", "next", "daily",
     "weekly", "monthly", "ago", "today", "tomorrow", "yesterday", "once", "now", "currently", "always", "sometimes")
)  # fmt: skip
"""Heads of adjuncts that bound a statement in time."""

_ENGLISH_ADJUNCTS = frozenset(
    ("across", "above", "below", "behind", "beside", "inside", "outside", "through", "throughout", "around", "along",
     "against", "despite", "except", "besides", "as", "due", "according", "once", "whenever", "wherever", "unless",
     "into", "onto", "about", "beyond", "per", "whereas", "though", "provided", "using", "instead", "upon", "toward",
     "towards", "among", "amid")
)  # fmt: skip
_LIMITERS = frozenset(("only", "just", "even", "not", "never", "rarely", "seldom", "mostly", "mainly"))
_ORDERED = frozenset(
    ("first", "second", "third", "then", "finally", "order", "sequence", "steps", "step", "followed", "respectively",
     "ranking", "rank", "priority", "pipeline", "fallback", "precedence", "->", "=>", ">", "<", "chain", "stages")
)  # fmt: skip


_ALONE = frozenset(
    ("today", "tomorrow", "yesterday", "once", "heute", "morgen", "hoy", "hoje", "demain", "сегодня", "आज")
)
_CLAUSAL = frozenset(("but", "so", "yet", "aber", "pero", "mas", "mais", "но", "لكن", "लेकिन", "但", "但是"))


@dataclass(frozen=True, eq=False)
class Grammar:
    """One language's sets; ``known`` is False where nothing but the same words in the same order can be judged."""

    language: str
    known: bool
    negation: frozenset[str]
    modals: frozenset[str]
    hedges: frozenset[str]
    quantifiers: frozenset[str]
    conditionals: frozenset[str]
    reporting: frozenset[str]
    restrictors: frozenset[str]
    questions: frozenset[str]
    comparison: frozenset[str]
    connectives: frozenset[str]
    directions: frozenset[str]
    tense: frozenset[str]
    auxiliaries: frozenset[str]
    relatives: frozenset[str]
    pronouns: frozenset[str]
    determiners: frozenset[str]
    kin: frozenset[str]
    change_cues: frozenset[str]
    stopwords: frozenset[str]
    adjuncts: frozenset[str]
    joints: dict[str, str]
    ordered: frozenset[str]
    limiters: frozenset[str]
    inverting: frozenset[str]
    breaks: frozenset[str]
    verb_second: bool
    english: bool
    do_support: frozenset[str] = frozenset(("do", "did"))
    floating: frozenset[str] = frozenset()
    times: frozenset[str] = TIME_NOUNS
    opposing: frozenset[str] = frozenset()
    linking: frozenset[str] = frozenset()
    """Connecting words and those of direction."""
    punctuation: frozenset[str] = PUNCTUATION

    def fronts(self, adjunct: tuple[str, ...], rest: tuple[str, ...]) -> bool:
        """Whether the words can be an adjunct that was put first."""
        head = adjunct[0]
        if self.language == "ja":
            return adjunct[-1] in ("に", "で", "から", "まで", "へ")
        if self.language == "zh" and len(adjunct) <= 3 and (head.startswith("#:") or head[:1].isdigit()):
            return True
        if self.adjuncts & set(rest[:1]) and not self.verb_second:
            return False
        if head in self.floating and len(adjunct) == 1:
            return True
        if (head in self.adjuncts or head in self.conditionals) and (len(adjunct) > 1 or head in _ALONE):
            return True
        if head in self.limiters and len(adjunct) > 1 and adjunct[1] in self.adjuncts:
            return True
        if adjunct[-1] in self.times and len(adjunct) <= 4:
            timed = (
                head in self.determiners
                or head in self.quantifiers
                or head in TIMELY
                or head in ("one", "late")
            )
            return timed or len(adjunct) == 1 or head.startswith("#:") or head[:1].isdigit()
        return head in self.quantifiers and not self.english

    def free(self, clause: tuple[str, ...], start: int, end: int) -> bool:
        """Whether the adjunct at this place is whole, and of the whole clause rather than of one of two."""
        if end < len(clause):
            following = clause[end]
            if following in self.joints:
                return False
            if self.english and not (
                following in self.adjuncts or following in self.conditionals or clause[start] in self.floating
            ):
                return False
        return not any(
            (word in self.joints or word in _CLAUSAL) and starts_clause(clause, at + 1, self)
            for at, word in enumerate(clause[:start])
        )


def starts_clause(words: tuple[str, ...], at: int, grammar: Grammar) -> bool:
    """Whether a new statement begins here: a subject of its own, or a verb that takes over the last one."""
    if at >= len(words):
        return False
    word = words[at]
    if word in SUBJECT_PRONOUNS:
        return True
    if not grammar.english:
        return word in grammar.pronouns
    while word in VERB_ADVERBS and at + 1 < len(words):
        at += 1
        word = words[at]
    if word in grammar.auxiliaries or word in grammar.modals:
        return True
    if is_form(word, "third", "past"):
        return True
    following = words[at + 1] if at + 1 < len(words) else ""
    return is_form(word, "base") and bool(following) and words[0] in SUBJECT_PRONOUNS


def _times(tongue: Tongue) -> frozenset[str]:
    named = tongue.words("weekdays") | frozenset(tongue.table("months"))
    return named | {f"{word}s" for word in named}


@lru_cache(maxsize=64)
def grammar_of(lexicon: Lexicon, language: str, *, judged: bool = True) -> Grammar:
    """The grammar of a language in this lexicon."""
    tongue: Tongue = lexicon.of(language)
    words = tongue.words
    english = language == "en"
    adjuncts = words("adjuncts") | (_ENGLISH_ADJUNCTS if english else frozenset())
    joints = {word: JOINTS[word] for word in _JOINTS_OF.get(language, "").split()}
    return Grammar(
        language=language,
        known=judged and language in lexicon.tongues,
        negation=tongue.negation,
        modals=words("modals"),
        hedges=words("hedges"),
        quantifiers=words("quantifiers"),
        conditionals=words("conditionals"),
        reporting=words("reporting"),
        restrictors=words("restrictors"),
        questions=words("questions"),
        comparison=words("comparison"),
        connectives=words("connectives"),
        directions=words("directions"),
        tense=words("tense"),
        auxiliaries=words("auxiliaries"),
        relatives=words("relatives"),
        pronouns=words("pronouns"),
        determiners=words("determiners"),
        kin=words("kin"),
        change_cues=words("change_cues"),
        stopwords=tongue.stopwords,
        adjuncts=adjuncts,
        joints=joints,
        ordered=_ORDERED,
        limiters=_LIMITERS,
        inverting=words("auxiliaries") | frozenset(("do", "did")),
        breaks=adjuncts | frozenset(("before", "after", "to")),
        verb_second=language == "de",
        english=english,
        floating=FLOATING if english else frozenset(),
        times=TIME_NOUNS | _times(tongue),
        opposing=tongue.negation | (words("conditionals") - words("modals")),
        linking=words("connectives") | words("directions"),
    )
