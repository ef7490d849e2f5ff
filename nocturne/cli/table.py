"""The commands: a table of names, each with the module that holds it, loaded when the command is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its name, its group, one line of help, and the module that holds it."""

    name: str
    panel: str
    line: str
    module: str


COMMANDS: tuple[Entry, ...] = (
    Entry(
        "ingest",
        "remember",
        "read transcripts; put the facts that people stated into scratch",
        "nocturne.cli.ingest",
    ),
    Entry("sleep", "sleep", "consolidate: propose, judge, apply, record", "nocturne.cli.sleep"),
    Entry("apply", "sleep", "apply a plan that sleep --plan saved", "nocturne.cli.apply"),
    Entry("review", "sleep", "decide a saved plan, proposal by proposal", "nocturne.cli.review"),
    Entry("log", "inspect", "the snapshots, newest first", "nocturne.cli.log"),
    Entry("diff", "inspect", "what changed between two versions, and why", "nocturne.cli.diff"),
    Entry("show", "inspect", "one fact in full", "nocturne.cli.show"),
    Entry("why", "inspect", "a fact's lineage, down to who said it", "nocturne.cli.why"),
    Entry("facts", "inspect", "what the store holds, by block", "nocturne.cli.facts"),
    Entry(
        "decisions",
        "inspect",
        "what was decided, what it replaced, and why",
        "nocturne.cli.decisions",
    ),
    Entry("drift", "inspect", "where the weight of the memory moves", "nocturne.cli.drift"),
    Entry("report", "inspect", "the whole history as one page to look at", "nocturne.cli.report"),
    Entry("restore", "undo", "bring an earlier version back, as a new one", "nocturne.cli.restore"),
    Entry("quiz", "prove", "recall proven by questions, forgetting by probes", "nocturne.cli.quiz"),
    Entry("audit", "prove", "replay and re-measure the whole record", "nocturne.cli.audit"),
    Entry("gate", "prove", "judge proposals from stdin: the gates as a filter", "nocturne.cli.gate"),
    Entry("explain", "prove", "what a refusal's code checks, and why", "nocturne.cli.explain"),
    Entry("bench", "prove", "how honestly a model edits memory", "nocturne.cli.bench"),
    Entry("recall", "use", "the facts that answer a query, best first", "nocturne.cli.recall"),
    Entry("ask", "use", 'an answer that cites facts, or "not in memory"', "nocturne.cli.ask"),
    Entry("export", "use", "the facts as a prompt block, MEMORY.md or JSON", "nocturne.cli.export"),
    Entry("forget", "forget", "retire facts at a person's word, and keep them away", "nocturne.cli.forget"),
    Entry("purge", "forget", "erase the words everywhere, and leave a receipt", "nocturne.cli.purge"),
    Entry("simulate", "prove", "published figures, measured with a simulated clock", "nocturne.cli.simulate"),
    Entry("init", "setup", "create a store", "nocturne.cli.init"),
    Entry("backup", "setup", "copy the store whole", "nocturne.cli.backup"),
    Entry("doctor", "setup", "check that the store's file is whole", "nocturne.cli.doctor"),
    Entry("policy", "setup", "list, show or check the policies that rule a sleep", "nocturne.cli.policy"),
    Entry("provider", "setup", "check who proposes; fetch a small local model", "nocturne.cli.provider"),
)
