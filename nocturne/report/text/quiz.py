"""A quiz as text: three lines where all is well, and every question that failed in full."""

from __future__ import annotations

from nocturne.app.quizzing import Item, Probed, Quiz
from nocturne.core.ids import fact_id
from nocturne.report.page import BAD, DIM, GOOD, ID, WARN, Page


def quiz(found: Quiz, *, width: int = 80) -> Page:
    """The whole quiz."""
    page = Page(width)
    if found.generated:
        _recall(page, found)
        _forgotten(page, found)
        if found.leaky:
            count = len(found.leaky)
            gave = (
                "question gave away half its answer and was"
                if count == 1
                else "questions gave away half of their answers and were"
            )
            page.line(("leaky       ", DIM), f"{count:<5,} {gave} replaced", hang=18)
    if found.contract:
        passed = sum(each.passed for each in found.contract)
        _line(page, "contract", passed, len(found.contract), "expectations hold")
        for each in found.contract:
            if not each.passed:
                what = f"{each.expectation.expect} “{each.expectation.text}”: {each.expectation.question}"
                page.line(("failed ", BAD), what, indent=2, hang=9)
                page.line((each.found, DIM), indent=9, hang=9)
    for problem in found.problems:
        page.line(("fails: ", BAD), problem, hang=7)
    if not found.problems:
        page.line(("passes", GOOD))
    return page


def _line(page: Page, name: str, part: int, whole: int, text: str) -> None:
    style = GOOD if part == whole and whole else BAD
    page.line((f"{name:<12}", DIM), (f"{part}/{whole}", style), f"   {text}", hang=18)


def _recall(page: Page, found: Quiz) -> None:
    asked, recalled = len(found.counted), found.recalled
    every = "all answerable" if asked and asked == recalled else "answerable"
    text = f"{every} from s{found.snapshot}"
    if found.baseline is not None:
        before = sum(item.before is True for item in found.items)
        text += f"; {before}/{len(found.items)} were answerable at s{found.baseline}"
    again = sum(item.attempts > 1 and item.passed for item in found.items)
    if again:
        text += f"; {again} at the second try"
    _line(page, "recall", recalled, asked, text)
    for item in found.items:
        if item.retired:
            page.line(
                (fact_id(item.fact.id), ID),
                f" was retired since, by {item.retired}: not counted",
                indent=2,
                hang=7,
            )
        elif not item.passed:
            _failed(page, item)


def _failed(page: Page, item: Item) -> None:
    page.entry((fact_id(item.fact.id), ID), item.fact.text, ("failed", BAD))
    page.line(("asked    ", DIM), item.question, indent=7, hang=16)
    page.line(("answered ", DIM), item.answer.text, indent=7, hang=16)
    page.line(("because  ", DIM), why(item), indent=7, hang=16)


def why(item: Item) -> str:
    """What failed about a question, in one sentence."""
    score, parts = item.score, []
    if item.untrue:
        parts.append(item.untrue)
    if score.missing and not score.passed:
        parts.append(f"{score.recalled} of {score.of} words, without {', '.join(score.missing)}")
    if score.lost_values:
        parts.append(f"not exactly: {', '.join(score.lost_values)}")
    if score.strange_values:
        parts.append(f"no cited fact has {', '.join(score.strange_values)}")
    if not score.polarity:
        parts.append("it denies what the fact does not, or the other way round")
    return "; ".join(parts) or "the fact has no content to measure"


def _forgotten(page: Page, found: Quiz) -> None:
    if not found.probes:
        page.line(
            ("forgotten   ", DIM),
            ("nothing to probe", WARN),
            ": nothing was forgotten, so nothing is proven",
            hang=18,
        )
        return
    passed = sum(each.probe.passed for each in found.probes)
    first = found.probes[0]
    if len(found.probes) == 1:
        _line(page, "forgotten", passed, 1, f"{fact_id(first.fact.id)}: {_conditions(first)}")
    else:
        _line(
            page,
            "forgotten",
            passed,
            len(found.probes),
            "absent from the store · said absent · nothing leaked",
        )
    for each in found.probes:
        if not each.probe.passed:
            page.line(("asked    ", DIM), each.question, indent=7, hang=16)
            page.line(("answered ", DIM), each.answer.text, indent=7, hang=16)
            if len(found.probes) > 1:
                page.line(
                    ("because  ", DIM), f"{fact_id(each.fact.id)}: {_conditions(each)}", indent=7, hang=16
                )


def _conditions(each: Probed) -> str:
    probe = each.probe
    return " · ".join(
        [
            "absent from the store" if probe.absent else f"still said by {fact_id(probe.still or 0)}",
            "said absent" if probe.said_absent else "not said to be absent",
            "nothing leaked" if not probe.leaked else f"leaked {', '.join(probe.leaked)}",
        ]
    )
