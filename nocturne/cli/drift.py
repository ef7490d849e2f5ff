"""``nocturne drift``: where the weight of the memory moves."""

from __future__ import annotations

from nocturne.cli import options
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne drift", "topics now against the last sleep thirty days back"),
    ("nocturne drift --json", "the same for a program"),
)


def run(shell: Shell, *, policy: options.PolicyOption = "default") -> int:
    """Show whether priorities pivoted, drift or are stable against thirty days back, and what moved.

    A topic is a schema with its members, or else a category; its weight is the summed strength of its facts.
    A pivot is deliberate where a decision or a superseded fact lies in a topic that moved.
    """
    from nocturne.app import policies
    from nocturne.app.drifting import drift
    from nocturne.cli import wiring
    from nocturne.report.data import drift as data
    from nocturne.report.text import drift as text

    chosen = policies.load(policy)
    with wiring.opened(shell) as store:
        found = drift(store, policy=chosen, now=shell.now)
    if shell.as_json:
        shell.emit(data.drift(found))
    else:
        shell.say(text.drift(found, width=shell.width))
    return 0
