"""Questions about a fact, worded by code: of its attribute where it states one, else by a few of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nocturne.core.meaning.attributes import Stated

_ASKS: dict[str, tuple[str, ...]] = {
    "home": ("Where does {0} live?", "Which place is home to {0}?"),
    "employer": ("Where does {0} work?", "Who is the employer of {0}?"),
    "job": ("What is {0}'s job?", "What is the profession of {0}?"),
    "name": ("What is {0} called?", "Which name does {0} go by?"),
    "age": ("How old is {0}?",),
    "birthday": ("When is {0}'s birthday?", "On which day was {0} born?"),
    "partner": ("Who is {0}'s partner?", "Whom did {0} marry?"),
    "email": ("What is {0}'s email?", "By which mail address is {0} reached?"),
    "phone": ("What is {0}'s phone number?", "How is {0} called up?"),
    "address": ("What is {0}'s address?",),
    "timezone": ("In which time zone is {0}?",),
    "port": ("On which port does {0} listen?",),
    "version": ("Which version of {0} is it?",),
    "package-manager": ("Which package manager does {0} use?", "What does {0} install packages with?"),
    "deadline": ("When is the deadline of {0}?", "By which day is {0} due?"),
}
"""The plain question first; where it gives too much away, the next."""
CUES: dict[str, tuple[frozenset[str], ...]] = {
    "home": (frozenset({"where", "live"}), frozenset({"place", "home"}), frozenset({"home", "town"}),
             frozenset({"which", "city"}), frozenset({"what", "city"}), frozenset({"where", "lives"}),
             frozenset({"where", "reside"}), frozenset({"where", "based"}), frozenset({"where", "living"})),
    "employer": (frozenset({"where", "work"}), frozenset({"employer"}), frozenset({"which", "company"}),
                 frozenset({"where", "works"}), frozenset({"where", "working"}), frozenset({"who", "work", "for"})),
    "job": (frozenset({"job"}), frozenset({"profession"}), frozenset({"occupation"})),
    "name": (frozenset({"what", "called"}), frozenset({"what", "name"}), frozenset({"which", "name"})),
    "age": (frozenset({"how", "old"}), frozenset({"age"})),
    "birthday": (frozenset({"birthday"}), frozenset({"born"})),
    "partner": (frozenset({"partner"}), frozenset({"marry"}), frozenset({"married"}), frozenset({"wife"}),
                frozenset({"husband"})),
    "email": (frozenset({"email"}), frozenset({"mail", "address"}), frozenset({"e-mail"})),
    "phone": (frozenset({"phone"}), frozenset({"called", "up"}), frozenset({"call", "up"})),
    "address": (frozenset({"address"}),),
    "timezone": (frozenset({"time", "zone"}), frozenset({"timezone"})),
    "port": (frozenset({"port"}),),
    "version": (frozenset({"version"}),),
    "package-manager": (frozenset({"package", "manager"}), frozenset({"install", "packages"})),
    "deadline": (frozenset({"deadline"}), frozenset({"day", "due"}), frozenset({"when", "due"})),
}  # fmt: skip
"""Which words of a question ask for an attribute."""
STATES: dict[str, str] = {
    "home": "live lives living reside moved home based settled",
    "employer": "work works working employer joined employed company started",
    "job": "job work works profession engineer developer nurse teacher manager designer lead",
    "name": "name called",
    "age": "old years age turned",
    "birthday": "birthday born",
    "partner": "partner married wife husband engaged girlfriend boyfriend spouse",
    "email": "email e-mail mail",
    "phone": "phone mobile number",
    "address": "address",
    "timezone": "timezone zone time",
    "port": "port",
    "version": "version uses use runs",
    "package-manager": "use uses prefers switched pnpm npm yarn bun uv pip poetry conda cargo package manager",
    "deadline": "deadline due",
}
"""Words by which facts that state an attribute are looked for."""
_FRAME = "What is remembered of {0}: {1}?"
_PLAIN = "What is remembered of {0}?"
FRAME_WORDS = _FRAME.format("", "")
"""Words that are the question's own and say nothing of what is asked."""


def of_attribute(stated: Stated, holder: str) -> Iterator[str]:
    """The questions that ask for what the fact states, the plainest first."""
    for pattern in _ASKS.get(stated.attribute, ()):
        yield pattern.format(holder)


def of_words(holder: str, cues: Sequence[str]) -> str:
    """The question that names a few words of the fact and asks for the rest."""
    return _FRAME.format(holder, ", ".join(cues)) if cues else _PLAIN.format(holder)


def asked_attribute(words: Sequence[str]) -> str | None:
    """The attribute that a question's words ask for, or None."""
    said = frozenset(word.casefold() for word in words)
    for attribute, cues in CUES.items():
        if any(cue <= said for cue in cues):
            return attribute
    return None
