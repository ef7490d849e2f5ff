"""Made sentences of ten and more content words, for measuring gates and tokenising at scale.

Every sentence is a template with names and values in its slots. Two sentences say the same exactly where
template and slots are the same, so that each pair's truth is known without reading it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

PEOPLE = (
    *("Ana", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kavya", "Liam"),
    *(
        "Marta",
        "Nils",
        "Oona",
        "Pavel",
        "Quentin",
        "Rosa",
        "Stefan",
        "Tove",
        "Ursula",
        "Viktor",
        "Wanda",
        "Yusuf",
    ),
)
PLACES = (
    *(
        "Lisbon",
        "Porto",
        "Oslo",
        "Turin",
        "Gdansk",
        "Leeds",
        "Ghent",
        "Split",
        "Malmo",
        "Graz",
        "Cork",
        "Vigo",
    ),
    *("Basel", "Tartu", "Nantes", "Bergen", "Padua", "Utrecht", "Seville", "Aarhus", "Kaunas", "Dresden"),
)
MONTHS = ("January", "February", "April", "June", "August", "September", "October", "December")
THINGS = ("kiln", "loom", "lathe", "press", "boiler", "turbine", "furnace", "crane", "pump", "winch")

TEMPLATES = (
    "{a} moved the old {thing} from {p} to {q} in {month} because rent for the old workshop rose.",
    "{a} asked {b} to repair the broken {thing} at the {p} workshop before the safety inspection in {month}.",
    "{a} paid {n} euros for a used {thing} that the bankrupt factory outside {p} sold at auction in {month}.",
    "{a} trained {n} young apprentices on the heavy {thing} of the technical school in {p} during {month}.",
    "{a} sold the spare {thing} to {b} in {p} after {n} weeks of slow talks about price and transport costs.",
)
TAILS = (
    "with great care",
    "near the river",
    "after lunch",
    "by hand",
    "on a rainy day",
    "for the second time",
)


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence and what it says: template and slots."""

    text: str
    meaning: tuple[str, ...]


def told(count: int, seed: int = 1, *, duplicates: float = 0.15, swaps: float = 0.05) -> list[Told]:
    """``count`` sentences; some restate an earlier one, some change one name or value of an earlier one."""
    source = random.Random(seed)
    made: list[Told] = []
    slots: list[tuple[str, dict[str, str]]] = []
    while len(made) < count:
        kind = source.random()
        if made and kind < duplicates + swaps:
            template, held = slots[source.randrange(len(slots))]
            if kind >= duplicates:
                held = _swapped(template, held, source)
            tail = f" {source.choice(TAILS)}" if kind < duplicates and source.random() < 0.5 else ""
        else:
            template, held, tail = source.choice(TEMPLATES), _filled(source), ""
        text = template.format(**held)
        made.append(Told(f"{text[:-1]}{tail}.", _meaning(template, held)))
        slots.append((template, held))
    return made


def _filled(source: random.Random) -> dict[str, str]:
    a, b = source.sample(PEOPLE, 2)
    p, q = source.sample(PLACES, 2)
    number = str(source.randint(3, 4000))
    return {
        "a": a,
        "b": b,
        "p": p,
        "q": q,
        "n": number,
        "month": source.choice(MONTHS),
        "thing": source.choice(THINGS),
    }


def _swapped(template: str, held: dict[str, str], source: random.Random) -> dict[str, str]:
    used = [slot for slot in ("a", "b", "p", "q", "n", "month") if f"{{{slot}}}" in template]
    slot = source.choice(used)
    while True:
        other = _filled(source)[slot]
        if other not in held.values():
            return held | {slot: other}


def _meaning(template: str, held: dict[str, str]) -> tuple[str, ...]:
    return (template, *(held[slot] for slot in sorted(held) if f"{{{slot}}}" in template))
