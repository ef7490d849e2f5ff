"""What the simulated person says: things that change, things that repeat, things that happen once.

Everything follows from the seed. Facts with a key have one right answer at a time, the latest value; sightings have
no single value by any rule, so that only recency tells which of them answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from nocturne.core.facts import Category


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SERVICES = _words(
    "mailer gateway indexer ledger crawler scheduler renderer archiver notifier importer exporter balancer resolver "
    "planner compiler parser monitor packer tracker sampler encoder router dispatcher validator translator formatter "
    "collector replicator publisher auditor registrar broker spooler watcher profiler linker loader mapper signer relay"
)
PEOPLE = _words(
    "Ines Oskar Ngozi Tomas Priya Marta Jonas Aiko Lucia Pavel Zeynep Anders Fatima Kofi Greta Hamid Ivana Jorge Keiko "
    "Liam Maya Nadia Otto Petra Quentin Rosa Samir Tilda Ulrich Vera Wanda Xenia Yusuf Zoe Bruno Clara Dario Elin "
    "Felix Gwen"
)
TOWNS = _words(
    "Porto Ghent Braga Turku Malmo Graz Leeds Lyon Parma Brno Cork Delft Gdansk Izmir Jena Kotor Lugano Murcia Namur "
    "Odense Pilsen Rouen Siena Tartu Uppsala Varna Wismar Zadar Aarhus Bergen Cadiz Derby Essen Faro Gorizia Halle"
)
FIRMS = _words(
    "Kestrel Halden Osprey Larkfield Brightwater Coppice Dunmore Eastgate Fernhill Glenrock Hartwell Ironbridge "
    "Juniper Kingsway Lowther Marlow Northgate Oakhurst Penrose Quarrymill Redcliff Silverdale Thornbury Umberland "
    "Valewood"
)
COLOURS = _words("grey brown white black spotted striped golden red blue green pale dark tawny ginger silver")
ANIMALS = _words("heron fox owl otter hare badger lynx falcon seal goat swan beaver raven adder newt weasel")
PLACES = _words(
    "lighthouse harbour mill orchard quarry chapel bridge station windmill tower barn meadow canal viaduct abbey dam "
    "jetty kiln fort garden"
)
PATTERNS = (
    "I went running along the old river path",
    "I cooked lentil soup in the big iron pot",
    "I practised slow scales on the borrowed cello",
    "I watered the tomato seedlings behind the kitchen window",
    "I reviewed pull requests for the billing module",
    "I walked the neighbour's dog around the duck pond",
    "I played chess against my uncle after supper",
    "I sorted spare screws in the wooden workshop drawer",
    "I read two chapters of the thick sailing manual",
    "I swam forty lengths in the outdoor pool",
)
HOWS = (
    "alone", "slowly", "barefoot", "twice", "again", "cheerfully", "quietly", "reluctantly", "early", "late", "happily",
    "hastily", "calmly", "carefully", "outside", "upstairs", "together", "yesterday", "today", "tonight",
)  # fmt: skip
THINGS = _words(
    "kettle ladder lamp saddle bucket hinge mirror rope basket trunk drum clock anchor barrel crate shovel stool "
    "shutter valve wheel candle carpet chimney cradle curtain ribbon"
)
STUFF = _words(
    "brass oak steel linen clay copper pine leather wool glass tin slate wicker marble cork rubber"
)
DEEDS = _words("mended sold painted borrowed cleaned lost found measured sketched carried weighed varnished")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said. ``key`` names what it answers and ``value`` how, where it answers anything."""

    text: str
    category: Category
    key: tuple[str, str] | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the word that a right answer has."""

    text: str
    key: tuple[str, str]
    value: str


@dataclass(frozen=True, slots=True)
class Size:
    """How much is said a day, and for how long."""

    days: int
    updates: int
    repeats: int
    sightings: int
    patterns: int
    singles: int
    services: int
    people: int

    @property
    def total(self) -> int:
        """How many statements in all."""
        daily = self.updates + self.repeats + self.sightings + self.patterns + self.singles
        return 2 * (self.services + self.people) + self.days * daily


class Script:
    """The days, in order; ``current`` has the latest value of every key said so far."""

    def __init__(self, seed: int, size: Size) -> None:
        self._random = Random(seed)  # noqa: S311 - a simulation, reproducible on purpose
        self._size = size
        self.current: dict[tuple[str, str], str] = {}
        self._told: dict[tuple[str, str], Statement] = {}
        services, people = SERVICES[: size.services], PEOPLE[: size.people]
        self._keys = [*product(("port", "version"), services), *product(("home", "employer"), people)]
        self._beasts = list(product(COLOURS, ANIMALS))

    def days(self) -> Iterator[list[Statement]]:
        """What is said each day, the first day with every key's first value."""
        size = self._size
        for day in range(size.days):
            said = [self._changed(key, first=True) for key in self._keys] if day == 0 else []
            said += [self._changed(key) for key in self._random.sample(self._keys, size.updates)]
            said += [self._told[key] for key in self._random.sample(self._keys, size.repeats)]
            said += [self._seen() for _ in range(size.sightings)]
            said += [self._pattern() for _ in range(size.patterns)]
            said += [self._single() for _ in range(size.singles)]
            yield said

    def questions(self, count: int) -> list[Question]:
        """So many on attributes and as many on sightings, each with the latest value."""
        attributes = [key for key in self.current if key[0] != "seen"]
        sightings = [key for key in self.current if key[0] == "seen"]
        chosen = [
            key
            for keys in (attributes, sightings)
            for key in self._random.sample(keys, min(count, len(keys)))
        ]
        return [Question(asked(key), key, self.current[key]) for key in chosen]

    def wondered(self, count: int) -> list[str]:
        """What is looked up in the course of a day: some keys often, most of them seldom."""
        weights = [1 / (place + 1) for place in range(len(self._keys))]
        return [asked(key) for key in self._random.choices(self._keys, weights, k=count)]

    def _changed(self, key: tuple[str, str], *, first: bool = False) -> Statement:
        kind, who = key
        value = self._value(kind)
        while value == self.current.get(key):
            value = self._value(kind)
        now = "" if first or self._random.random() < 0.5 else " now"
        verb = {
            "port": "runs on port",
            "version": "runs version",
            "home": "lives in",
            "employer": "works at",
        }[kind]
        subject = who if kind in ("home", "employer") else f"The {who}"
        return self._kept(Statement(f"{subject} {verb} {value}{now}.", "fact", key, value))

    def _value(self, kind: str) -> str:
        draw = self._random
        if kind == "port":
            return str(draw.randint(1024, 9999))
        if kind == "version":
            return f"{draw.randint(1, 9)}.{draw.randint(0, 19)}.{draw.randint(0, 9)}"
        return draw.choice(TOWNS if kind == "home" else FIRMS)

    def _kept(self, statement: Statement) -> Statement:
        if statement.key is not None:
            self.current[statement.key] = statement.value
            self._told[statement.key] = statement
        return statement

    def _seen(self) -> Statement:
        colour, animal = self._random.choice(self._beasts)
        place = self._random.choice(PLACES)
        text = f"I saw a {colour} {animal} near the {place}."
        return self._kept(Statement(text, "event", ("seen", f"{colour} {animal}"), place))

    def _pattern(self) -> Statement:
        return Statement(f"{self._random.choice(PATTERNS)} {self._random.choice(HOWS)}.", "event")

    def _single(self) -> Statement:
        draw = self._random
        deed, stuff, thing = draw.choice(DEEDS), draw.choice(STUFF), draw.choice(THINGS)
        return Statement(f"I {deed} the {stuff} {thing} for {draw.choice(PEOPLE)}.", "event")


def asked(key: tuple[str, str]) -> str:
    """The question that a key answers."""
    kind, who = key
    return {
        "port": f"Which port does the {who} run on?",
        "version": f"Which version does the {who} run?",
        "home": f"Where does {who} live?",
        "employer": f"Where does {who} work?",
        "seen": f"Where did I see a {who}?",
    }[kind]
