"""What asking about a brief would send, without asking: for a preview of the cost, and for the benchmark."""

from __future__ import annotations

from dataclasses import dataclass

from nocturne.llm.batching import likely_tokens, portions, shown, units
from nocturne.llm.caller import Manner
from nocturne.llm.prompting import line, render
from nocturne.llm.schema import output_tokens
from nocturne.passes.briefs import Brief, PromoteBrief


@dataclass(frozen=True, slots=True)
class Sending:
    """Calls, likely tokens sent, and about how many a full answer takes."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def plus(self, other: Sending) -> Sending:
        """Both together."""
        return Sending(
            self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out
        )


def sending(brief: Brief, manner: Manner | None = None) -> Sending:
    """What one pass's brief takes, in the portions that it would be asked in."""
    how, brief = manner or Manner(), shown(brief)
    count = len(units(brief))
    if not count:
        return Sending()
    each = max(1, output_tokens(brief) // count)
    most = max(1, min(how.batch, how.most_output // each))
    frame = render(brief, asker="", nonce=how.nonce).system
    room = max(256, how.context_tokens - how.most_output - 2 * likely_tokens(frame))
    total = Sending()
    for part in portions(brief, budget=room, most=most):
        prompt = render(part.brief, asker="", nonce=how.nonce)
        sent = likely_tokens(prompt.system) + likely_tokens(prompt.user)
        total = total.plus(Sending(1, sent, output_tokens(part.brief)))
    return total


def whole_store(everything: PromoteBrief) -> int:
    """Tokens of every fact's line, once: what sending the store whole would take at the least."""
    return sum(
        likely_tokens(line({"id": f"m{fact.id}", "text": fact.text})) for fact in everything.facts.values()
    )
