"""``nocturne review``: a saved plan, decided by a person."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell
from nocturne.cli.taking import me
from nocturne.errors import NocturneError, UsageError

if TYPE_CHECKING:
    from nocturne.app.reviewing import Review
    from nocturne.store import SqliteStore

EXAMPLES = (
    ("nocturne sleep --plan night.json", "save tonight's judged plan"),
    ("nocturne review night.json", "decide it, proposal by proposal"),
    ("yes a | nocturne review night.json --yes", "by a script: accept all that holds, and apply it"),
)


def run(
    shell: Shell,
    plan: Annotated[Path, Argument(metavar="PLAN", help="A file that nocturne sleep --plan wrote.")],
    *,
    yes: Annotated[bool, Option("--yes", "-y", help="Apply without asking when all is decided.")] = False,
    by: Annotated[
        str | None, Option("--by", metavar="NAME", help="Whose word it is.", show_default="you")
    ] = None,
    allow_loss: Annotated[
        bool,
        Option("--allow-loss", help="Let a pass go beyond the policy's loss budget; it is recorded."),
    ] = False,
) -> int:
    """Walk a plan's proposals: each with its verdict, the facts before and after, and who said them.

    Type a to accept, r to reject, f ID to forget a fact itself, p to judge all under another policy, q to quit
    and go on later. A rejection is your ruling: on record, and not proposed again. Answers are read line by
    line, so that a script can give them; where they end, what was decided is kept in PLAN.review.
    """
    from nocturne.app.plans import load
    from nocturne.app.reviewing import beside, dump, key_of, rejudged, resume, settle
    from nocturne.cli import wiring
    from nocturne.report.data import review as data
    from nocturne.report.text import review as text

    loaded = load(plan)
    kept = beside(plan)
    with wiring.opened(shell, "rw") as store:
        if store.uuid() != loaded.store:
            raise UsageError(
                f"{plan} was made for another store",
                hint=f"nocturne sleep --plan {plan} makes one for this store",
            )
        review, policy = resume(loaded, key_of(plan), kept)
        if policy is not None:
            review.plan = rejudged(store, loaded, policy, lexicon=wiring.lexicon(), now=shell.now)
        walk = _Walk(shell, store, review)
        finished = walk.run()
        wiring.write(kept, dump(review))
        if not finished or not (yes or walk.confirms()):
            if shell.as_json:
                shell.emit(data.settled(review, None))
            elif not shell.quiet:
                shell.say(text.summary(review, width=shell.width))
                shell.note(f"nothing is applied; nocturne review {plan} goes on here")
            return 0
        started = perf_counter()
        done = settle(
            store,
            review,
            lexicon=wiring.lexicon(),
            now=shell.now,
            command=shell.command,
            by=by or me(),
            allow_loss=allow_loss,
        )
    kept.unlink(missing_ok=True)
    if shell.as_json:
        shell.emit(data.settled(review, done))
    elif not shell.quiet:
        shell.say(text.settled(done, seconds=perf_counter() - started, width=shell.width))
    return done.night.exit_code if done.night is not None else 0


class _Walk:
    """The proposals that hold, one after the other, with a line of input for each."""

    def __init__(self, shell: Shell, store: SqliteStore, review: Review) -> None:
        self._shell = shell
        self._store = store
        self._review = review
        self._speaks = not shell.as_json and not shell.quiet
        self._at = 0

    def run(self) -> bool:
        """Whether the end was reached; False where the person stopped or the input ended."""
        from nocturne.report.text import review as text

        if self._speaks:
            self._shell.say(text.opening(self._review, width=self._shell.width))
        while (places := self._places())[self._at :]:
            place = places[self._at]
            if place in self._review.decisions:
                self._at += 1
                continue
            self._show(place, len(places))
            line = self._read()
            if line is None or line.strip() in ("q", "quit"):
                return False
            self._take(place, line.strip())
        return True

    def confirms(self) -> bool:
        """Whether the person wants it done."""
        from nocturne.report.text import review as text

        if self._speaks:
            self._shell.say(text.summary(self._review, width=self._shell.width))
        line = self._read("apply this? [y/N] ")
        return line is not None and line.strip().casefold() in ("y", "yes")

    def _places(self) -> list[int]:
        return [place for place, entry in enumerate(self._review.plan.entries) if entry.accepted]

    def _show(self, place: int, total: int) -> None:
        from nocturne.app.reviewing import shown
        from nocturne.report.text import review as text

        if self._speaks:
            facts = shown(self._store, self._review.plan, place)
            page = text.entry(
                self._review, place, facts, number=self._at + 1, total=total, width=self._shell.width
            )
            self._shell.say(page)

    def _read(self, prompt: str = "a/r/f/p/s/b/A/q ? ") -> str | None:
        """A line of input, or None at its end. The prompt is for terminals alone."""
        if sys.stdin.isatty() and self._shell.err_styled:
            self._shell.err.print(prompt, end="", soft_wrap=True)
        line = sys.stdin.readline()
        return line or None

    def _take(self, place: int, line: str) -> None:
        review = self._review
        word, _, rest = line.partition(" ")
        match word:
            case "a" | "accept":
                review.decisions[place] = "accept"
            case "A":
                review.decisions.update(dict.fromkeys(review.open, "accept"))
            case "r" | "reject":
                review.decisions[place] = "reject"
                review.reasons[place] = rest.strip()
            case "s" | "skip" | "":
                self._at += 1
            case "b" | "back":
                self._back()
            case "f" | "forget":
                self._forget(rest.strip())
            case "p" | "policy":
                self._policy(rest.strip())
            case _:
                self._help(word)

    def _back(self) -> None:
        self._at = max(0, self._at - 1)
        self._review.decisions.pop(self._places()[self._at], None)

    def _forget(self, name: str) -> None:
        from nocturne.core import ids

        try:
            fact = ids.parse_fact(name)
        except UsageError as error:
            self._shell.complain(f"{error.message}: f m17")
            return
        if fact not in self._store.facts([fact]):
            self._shell.complain(f"no fact m{fact}")
            return
        if fact not in self._review.facts:
            self._review.facts.append(fact)
        if self._speaks:
            self._shell.note(f"m{fact} will be forgotten; decide the proposal as well")

    def _policy(self, name: str) -> None:
        from nocturne.app import policies
        from nocturne.app.reviewing import rejudged
        from nocturne.cli import wiring

        try:
            policy = policies.load(name)
        except NocturneError as error:
            self._shell.complain(error.message)
            return
        review = self._review
        review.plan = rejudged(
            self._store, review.plan, policy, lexicon=wiring.lexicon(), now=self._shell.now
        )
        held = set(self._places())
        review.decisions = {place: what for place, what in review.decisions.items() if place in held}
        self._at = 0
        if self._speaks:
            from nocturne.report.text import review as text

            self._shell.say(text.opening(review, width=self._shell.width))

    def _help(self, word: str) -> None:
        from nocturne.report.text import review as text

        if word != "?":
            self._shell.complain(f"{word!r} is no answer here")
        if self._speaks:
            self._shell.say(text.keys(width=self._shell.width))
