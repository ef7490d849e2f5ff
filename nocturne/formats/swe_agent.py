"""SWE-agent trajectories (``.traj``): thoughts, actions and observations. No person speaks in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.content import first_text, joined_text
from nocturne.formats.reading import Context, Reader, Records, call, objects, result

_INTERRUPTED = ("EXECUTION TIMED OUT", "COMMAND TIMED OUT", "The command was interrupted")


def _claims(value: Mapping[str, Any]) -> bool:
    steps = value.get("trajectory")
    return isinstance(steps, list) and all(isinstance(step, dict) and "action" in step for step in steps[:5])


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for value in objects(records, context):
        yield from _setting(value.get("history"), context)
        steps = value.get("trajectory")
        for place, step in enumerate(steps if isinstance(steps, list) else ()):
            if isinstance(step, dict):
                yield from _step(step, context)
            else:
                context.skip("malformed: step", f" step {place}")


def _setting(history: Any, context: Context) -> Iterator[Turn]:
    """What the agent was told before its first step: system prompt, demonstrations, the task."""
    for message in history if isinstance(history, list) else ():
        if not isinstance(message, dict) or message.get("role") not in ("system", "user"):
            return
        text, _ = joined_text(message.get("content"))
        if text.strip():
            yield context.turn(text, "injected", session=context.session, role=message["role"])


def _step(step: Mapping[str, Any], context: Context) -> Iterator[Turn]:
    said = first_text((step.get("thought"), step.get("response")))
    if said:
        yield context.turn(said, "assistant", session=context.session, role="assistant")
    action, observation = step.get("action"), step.get("observation")
    if isinstance(action, str) and action.strip():
        name = action.split()[0][:60]
        yield context.turn(
            name, "tool", session=context.session, role="assistant", tool=call(name, None, action)
        )
        if isinstance(observation, str):
            cut_off = observation.lstrip().startswith(_INTERRUPTED)
            yield context.turn(
                observation,
                "tool",
                session=context.session,
                role="tool",
                tool=result(name, None, "interrupted" if cut_off else "ok"),
            )
    elif not said:
        context.skip("empty step")


READER = Reader(
    name="swe-agent",
    version=1,
    accepts="SWE-agent trajectories ({trajectory: [{action, observation, thought}]})",
    read=_read,
    claims=_claims,
)
