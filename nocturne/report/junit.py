"""A quiz as JUnit XML, for CI: one suite for recall, one for forgetting, one for the contract."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from nocturne.app.quizzing import Quiz
from nocturne.core.ids import fact_id
from nocturne.report.page import clean
from nocturne.report.text.quiz import why

Case = tuple[str, str, str | None, str | None]
"""Class, name, why it failed, why it was skipped."""


def quiz(found: Quiz) -> str:
    """The whole quiz as one document."""
    suites = [("recall", _recall(found)), ("forgotten", _forgotten(found))] if found.generated else []
    if found.contract:
        suites.append(("contract", _contract(found)))
    if found.faults:
        suites.append(("store", [("nocturne.quiz.store", fault, fault, None) for fault in found.faults]))
    cases = [case for _, listed in suites for case in listed]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_counts(cases)}>"]
    for name, listed in suites:
        lines.append(f'  <testsuite name="nocturne quiz: {name}"{_counts(listed)}>')
        lines += [line for case in listed for line in _case(case)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(cases: Sequence[Case]) -> str:
    failed = sum(case[2] is not None for case in cases)
    skipped = sum(case[3] is not None for case in cases)
    return f' tests="{len(cases)}" failures="{failed}" errors="0" skipped="{skipped}"'


def _case(case: Case) -> list[str]:
    kind, name, failed, skipped = case
    head = f"    <testcase classname={quoteattr(kind)} name={quoteattr(clean(name))}"
    if failed is None and skipped is None:
        return [f"{head}/>"]
    tag, text = ("failure", failed) if failed is not None else ("skipped", skipped)
    told = clean(text or "")
    return [f"{head}>", f"      <{tag} message={quoteattr(told)}>{escape(told)}</{tag}>", "    </testcase>"]


def _recall(found: Quiz) -> list[Case]:
    cases: list[Case] = []
    for item in found.items:
        name = f"{fact_id(item.fact.id)}: {item.question}"
        failed = None if item.passed or item.retired else f"{why(item)} (answered: {item.answer.text})"
        cases.append(
            ("nocturne.quiz.recall", name, failed, f"retired by {item.retired}" if item.retired else None)
        )
    if not found.counted:
        cases.append(("nocturne.quiz.recall", "something to ask", "no fact can be asked about", None))
    return cases


def _forgotten(found: Quiz) -> list[Case]:
    cases: list[Case] = []
    for each in found.probes:
        probe, name = each.probe, fact_id(each.fact.id)
        told = f"answered: {each.answer.text}"
        for what, passed in (
            ("absent from the store", probe.absent),
            ("said absent", probe.said_absent),
            ("nothing leaked", not probe.leaked),
        ):
            cases.append(("nocturne.quiz.forgotten", f"{name}: {what}", None if passed else told, None))
    if not found.probes:
        nothing = "nothing to probe"
        failed = nothing if found.require_forgotten else None
        cases.append(("nocturne.quiz.forgotten", nothing, failed, None if failed else nothing))
    return cases


def _contract(found: Quiz) -> list[Case]:
    return [
        (
            "nocturne.quiz.contract",
            f"{each.expectation.expect} {each.expectation.text}: {each.expectation.question}",
            None if each.passed else each.found,
            None,
        )
        for each in found.contract
    ]
