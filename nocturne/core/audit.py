"""The audit's second half: every accepted mutation measured anew with core's measures, never with the gates.

It runs in step with the replay (``core.replay``), which rebuilds the facts from the record: what is measured is what
the record says, under the policy and the lexicon that it names, and no later state can change the outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nocturne.core.chain import DEFAULTS
from nocturne.core.facts import BLOCKS, Fact, Turn
from nocturne.core.policy import Policy, exact
from nocturne.core.record import Problem, Version
from nocturne.core.retention import loss, over_capacity, stale
from nocturne.core.text.analysis import analyse
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content, coverage, names, similarity, values

Words = Callable[[str], str | None]
Said = Callable[[int], Turn | None]
Buried = Callable[[frozenset[str]], bool]
_SUBJECTS = "I me my mine myself we us our ours the user user's assistant"
_MOST = 200


@dataclass(slots=True)
class Measured:
    """What measuring anew found: how much was measured, what could not be because it was erased, what does not hold."""

    accepted: int = 0
    held: int = 0
    erased: int = 0
    passes: int = 0
    breaches: int = 0
    """Facts of which a pass made less than its kind allows."""
    traced: int = 0
    tombstones: int = 0
    problems: list[Problem] = field(default_factory=list)


class Remeasure:
    """Watches a replay; ``sweep`` then follows every active fact down to its turns."""

    def __init__(
        self,
        *,
        words: Words,
        turn: Said,
        policies: Mapping[str, Policy],
        lexicons: Mapping[str, Lexicon],
        settings: Mapping[int, tuple[str, str]] | None = None,
    ) -> None:
        """``settings`` are those on record before the replay begins: an entry's policy and lexicon, by digest."""
        self.found = Measured()
        self.words = words
        self.turn = turn
        self._policies = policies
        self._lexicons = lexicons
        self._settings: dict[int, tuple[Policy | None, Lexicon | None]] = {
            seq: (policies.get(policy), lexicons.get(lexicon))
            for seq, (policy, lexicon) in (settings or {}).items()
        }
        self._retired: dict[int, Version] = {}
        self._started: int | None = None
        self._lost = 0
        self._allowed = False
        self._policy: Policy | None = None
        self._over: frozenset[int] | None = None
        self._stood: dict[int, Version] = {}
        self._lexicon: Lexicon | None = self._settings[max(self._settings)][1] if self._settings else None

    def __call__(
        self,
        seq: int,
        entry: Mapping[str, Any],
        before: Mapping[int, Version | None],
        state: Mapping[int, Version],
    ) -> None:
        """One entry of the ledger, what stood before it of the facts that it names, and what stands now."""
        kind = entry["type"]
        if kind == "setting":
            policy = self._policies.get(entry["policy"])
            self._lexicon = self._lexicons.get(entry["lexicon"])
            self._settings[seq] = (policy, self._lexicon)
        elif kind == "snapshot":
            self._conserve(seq, entry["label"], state)
            self._snapshot(seq, entry)
        elif kind == "mutation" and entry["accepted"] and entry["kind"] in _CHECKS:
            self._measure(seq, entry, before, state)
        for fact, old in before.items():
            now = state.get(fact)
            if old is not None and _active(old):
                self._stood.setdefault(fact, old)
            if (
                kind == "mutation"
                and old is not None
                and _active(old)
                and now is not None
                and not _active(now)
            ):
                self._retired[fact] = old
                self._lost += now.columns.get("successor") is None and entry["pass"] == "forget"

    def _snapshot(self, seq: int, entry: Mapping[str, Any]) -> None:
        label = entry["label"]
        self._retired.clear()
        self._over = None
        if label == "consolidation:start":
            command = self.words(entry["command"]) if "command" in entry else None
            self._started, self._lost = entry["active"], 0
            # An erased command line cannot say any more whether the loss was allowed.
            self._allowed = command is None or "--allow-loss" in command.split()
            self._policy = self._policies.get(entry.get("policy", ""))
        elif label.startswith("pass:") and label.endswith(":after"):
            self.found.passes += 1
            if self._policy is not None and self._started is not None and not self._allowed:
                measured = loss(self._lost, self._started, self._policy)
                if measured.crossed:
                    what = f"{self._lost} of {self._started} facts went, the budget allows {measured.allowed}"
                    self._tell(f"ledger {seq}", what)

    def _conserve(self, seq: int, label: str, state: Mapping[int, Version]) -> None:
        """After a pass every fact that stood before it stands, or what took its place does, with all its words."""
        stood, self._stood = self._stood, {}
        name = label.removeprefix("pass:").removesuffix(":after")
        if label != f"pass:{name}:after" or name == "forget" or self._lexicon is None:
            return
        for fact, old in stood.items():
            heir = _heir(fact, state)
            if heir is None:
                fault = "no live fact took its place"
            elif name == "contradict" or heir.columns["text"] == old.columns["text"]:
                continue
            else:
                before, after = self.words(old.columns["text"]), self.words(heir.columns["text"])
                if before is None or after is None:
                    continue
                lost = content(before, self._lexicon) - content(after, self._lexicon)
                if not lost:
                    continue
                fault = f"what took its place lost {', '.join(sorted(lost))}"
            self.found.breaches += 1
            self._tell(f"m{fact} in {name} before ledger {seq}", fault)

    def _measure(
        self,
        seq: int,
        entry: Mapping[str, Any],
        before: Mapping[int, Version | None],
        state: Mapping[int, Version],
    ) -> None:
        self.found.accepted += 1
        policy, lexicon = self._settings.get(entry.get("under", 0), (None, None))
        if policy is None or lexicon is None:
            self._tell(f"ledger {seq}", "the policy or lexicon that it was judged under is not on record")
            return
        scene = _Scene(self, entry, before, state, policy, lexicon)
        try:
            faults = _CHECKS[entry["kind"]](scene)
        except _Erased:
            self.found.erased += 1
            return
        for fault in faults:
            self._tell(f"ledger {seq} {entry['kind']}", fault)
        self.found.held += not faults

    def overflow(self, scene: _Scene, now: int) -> frozenset[int]:
        """What capacity takes of the facts as the pass found them."""
        if self._over is None:
            found = {fact: version for fact, version in scene.after.items() if _active(version)}
            found |= self._retired
            found |= {fact: old for fact, old in scene.before.items() if old is not None and _active(old)}
            facts = {fact: _fact(fact, version) for fact, version in found.items()}
            self._over = frozenset(over_capacity(facts, scene.policy, now).ids)
        return self._over

    def _tell(self, where: str, what: str) -> None:
        if len(self.found.problems) < _MOST:
            self.found.problems.append(Problem(where, what))

    def sweep(self, state: Mapping[int, Version], lexicon: Lexicon, tombstones: Buried) -> None:
        """Every active fact: all its words in its turns, no name or value that they lack, and not a buried one."""
        for fact, version in state.items():
            if not _active(version):
                continue
            hash_ = version.columns.get("text")
            if hash_ is None:
                self._tell(f"m{fact}", "the record gives it no text")
                continue
            text = self.words(hash_)
            if text is None:
                self.found.erased += 1
                continue
            turns = [self.turn(turn) for turn, _, _ in sorted(version.spans)]
            if any(turn is None or turn.text is None for turn in turns):
                self.found.erased += 1
                continue
            faults = list(untraced(text, [turn for turn in turns if turn is not None], lexicon))
            for fault in faults:
                self._tell(f"m{fact}", fault)
            self.found.traced += not faults
            if tombstones(content(text, lexicon)):
                self._tell(f"m{fact}", "a person does not want this text back, and it is active")


class _Erased(Exception):
    """A text that the measure needs was purged."""


@dataclass(frozen=True, slots=True)
class _Scene:
    audit: Remeasure
    entry: Mapping[str, Any]
    before: Mapping[int, Version | None]
    after: Mapping[int, Version]
    policy: Policy
    lexicon: Lexicon

    def ref(self, key: str) -> int:
        """A fact that the proposal names; the one that it is about stands in the entry's own column."""
        found = json.loads(self.entry.get("refs", "{}")).get(key, self.entry.get("fact"))
        return int(found)

    def listed(self, key: str) -> list[int]:
        return [int(item) for item in json.loads(self.entry.get("refs", "{}")).get(key, ())]

    def text(self, version: Version | None) -> str:
        found = self.audit.words(version.columns["text"]) if version is not None else None
        if found is None:
            raise _Erased
        return found

    def turns(self, version: Version) -> list[Turn]:
        found = [self.audit.turn(turn) for turn, _, _ in sorted(version.spans)]
        if any(turn is None for turn in found):
            raise _Erased
        return [turn for turn in found if turn is not None]

    def changed(self) -> list[int]:
        return [fact for fact, _ in self.entry.get("changes", ())]


def _active(version: Version) -> bool:
    return bool(version.columns.get("active", 1))


def _heir(fact: int, state: Mapping[int, Version]) -> Version | None:
    """The active version at the end of a fact's chain of successors, or None where the chain breaks."""
    seen: set[int] = set()
    current: int | None = fact
    while current is not None and current not in seen and current in state:
        seen.add(current)
        if _active(state[current]):
            return state[current]
        current = state[current].columns.get("successor")
    return None


def lacking(text: str, sources: Iterable[str], lexicon: Lexicon) -> list[str]:
    """Content, names and values of the text that no source has, each as a sentence."""
    held = list(sources)
    found = []
    missing = coverage(text, held, lexicon).missing
    if missing:
        found.append(f"no source has {', '.join(missing)}")
    # Names are compared unstemmed (James is not Jame), but without a possessive and in canonical form.
    said = {_owned(word) for source in held for word in analyse(source, lexicon).words}
    strange = [
        name
        for name in sorted(names(text, lexicon, held))
        if fold(name) not in said and not {_owned(word) for word in analyse(name, lexicon).words} <= said
    ]
    if strange:
        found.append(f"no source names {', '.join(strange)}")
    valued = {value for source in held for value in values(source, lexicon)}
    odd = sorted(values(text, lexicon) - valued)
    if odd:
        found.append(f"no source has the value {', '.join(odd)}")
    return found


def _owned(word: str) -> str:
    return word.removesuffix("'s").removesuffix("'")


def untraced(text: str, turns: Iterable[Turn], lexicon: Lexicon) -> list[str]:
    """What of a fact its turns do not say; the speaker's name and the forms of the subject are allowed."""
    cited = list(turns)
    speakers = list(dict.fromkeys(turn.speaker for turn in cited if turn.speaker))
    # Among English words too: there a stem takes the s off Ines as it does in the fact.
    labels = [*speakers, " ".join((_SUBJECTS, *speakers))]
    return lacking(text, [*(turn.text for turn in cited), *labels], lexicon)


def _encode(scene: _Scene) -> list[str]:
    faults: list[str] = []
    for fact in scene.changed():
        version = scene.after[fact]
        turns = scene.turns(version)
        faults += untraced(scene.text(version), turns, scene.lexicon)
        about_itself = version.columns.get("block") == "persona"
        wanted = "assistant" if about_itself else "human"
        faults += [f"t{turn.id} is {turn.provenance}" for turn in turns if turn.provenance != wanted]
    return faults or ([] if scene.changed() else ["it made no fact"])


def _drop(scene: _Scene) -> list[str]:
    drop, keep = scene.ref("fact"), scene.ref("duplicate_of")
    gone, kept = scene.text(scene.before.get(drop)), scene.text(scene.before.get(keep))
    lexicon, floor = scene.lexicon, exact(scene.policy.dedupe.floor)
    measure = similarity(gone, kept, lexicon)
    faults = lacking(gone, [kept], lexicon)
    if measure is None or measure < floor:
        faults.append(f"similarity {_share(measure)} is below {_share(floor)}")
    if not _active(scene.after[keep]):
        faults.append(f"m{keep}, for which m{drop} was dropped, is not active")
    if scene.after[drop].columns.get("successor") != keep:
        faults.append(f"m{drop} does not name m{keep} as what took its place")
    return faults


def _merge(scene: _Scene) -> list[str]:
    into = scene.ref("into")
    members = [into, *scene.listed("sources")]
    sources = [scene.text(scene.before.get(fact)) for fact in members]
    text = scene.text(scene.after[into])
    faults = lacking(text, sources, scene.lexicon)
    for fact, source in zip(members, sources, strict=True):
        faults += [f"of m{fact}: {fault}" for fault in lacking(source, [text], scene.lexicon)]
    for fact in members[1:]:
        now = scene.after[fact]
        if _active(now) or now.columns.get("successor") != into:
            faults.append(f"m{fact} was not retired into m{into} by the same mutation")
    return faults


def _promote(scene: _Scene) -> list[str]:
    legal = ("persona", "human", "episodes")
    return [
        f"m{fact} went to {scene.after[fact].columns.get('block')}"
        for fact in scene.changed()
        if scene.after[fact].columns.get("block") not in legal
    ]


def _forget(scene: _Scene) -> list[str]:
    policy, now = scene.policy, scene.entry["at"]
    faults = []
    for id_ in scene.changed():
        version = scene.before.get(id_)
        if version is None:
            return [f"m{id_} was not there"]
        fact = _fact(id_, version)
        rule = scene.entry.get("rule")
        if rule == "forget:evidence":
            if fact.block != "schemas" or fact.pinned:
                faults.append(f"m{id_} rests on no evidence, or is pinned")
            continue
        if rule != "person:forget" and (policy.is_protected(fact.category) or fact.pinned):
            faults.append(f"m{id_} is protected or pinned")
        if rule == "forget:stale":
            if not stale(fact, policy, now):
                faults.append(f"m{id_} is not past the limit of {policy.forget.stale_days} days")
        elif rule == "forget:capacity":
            if id_ not in scene.audit.overflow(scene, now):
                faults.append(f"m{id_} is not what a capacity of {policy.forget.capacity} takes")
        elif rule != "person:forget":
            faults.append(f"{rule} is no rule of forgetting")
    return faults


def _contradict(scene: _Scene) -> list[str]:
    old, new = scene.ref("old"), scene.ref("new")
    first, second = scene.before.get(old), scene.before.get(new)
    if first is None or second is None:
        return ["it names a fact that was not there"]
    if content(scene.text(first), scene.lexicon) == content(scene.text(second), scene.lexicon):
        words = [analyse(scene.text(each), scene.lexicon).words for each in (first, second)]
        if words[0] == words[1]:
            return [f"m{old} and m{new} say the same"]
    faults = []
    ended = scene.after[old]
    if _active(ended) or ended.columns.get("successor") != new or ended.columns.get("valid_until") is None:
        faults.append(f"m{old} was not ended in favour of m{new}")
    if not _active(scene.after[new]):
        faults.append(f"m{new} is not active")
    if first.columns.get("subject") != second.columns.get("subject"):
        one, two = (_subject(scene, each) for each in (first, second))
        if one != two:
            faults.append(f"m{old} is about {one}, m{new} about {two}")
    return faults


def _subject(scene: _Scene, version: Version) -> str | None:
    hash_ = version.columns.get("subject")
    return "user" if hash_ is None else scene.audit.words(hash_)


def _schematise(scene: _Scene) -> list[str]:
    rules = scene.policy.schematise
    members = [parent for _, parent, role in scene.entry.get("links", ()) if role == "evidence"]
    faults = []
    if len(members) < rules.min_members:
        faults.append(f"it rests on {len(members)} facts, {rules.min_members} are needed")
    texts = [scene.text(scene.before.get(fact)) for fact in members]
    for fact in scene.changed():
        text = scene.text(scene.after[fact])
        faults += lacking(text, [*texts, _SUBJECTS], scene.lexicon)
    for fact in members:
        if not _active(scene.after[fact]):
            faults.append(f"m{fact} is its evidence and did not stay")
    return faults


def _share(value: Fraction | None) -> str:
    return "nothing" if value is None else f"{value.numerator}/{value.denominator}"


def _fact(id_: int, version: Version) -> Fact:
    """What retention looks at of a fact, as the record has it."""
    held = {**DEFAULTS, **version.columns}
    return Fact(
        id_,
        "",
        held["block"] if held["block"] in BLOCKS else "scratch",
        held["category"],
        held["recorded_at"],
        said_at=held["said_at"],
        confirmed_at=held["confirmed_at"],
        pinned=bool(held["pinned"]),
        importance=held["importance"],
    )


_CHECKS: Mapping[str, Callable[[_Scene], list[str]]] = {
    "encode": _encode,
    "drop": _drop,
    "merge": _merge,
    "promote": _promote,
    "forget": _forget,
    "contradict": _contradict,
    "schematise": _schematise,
}
