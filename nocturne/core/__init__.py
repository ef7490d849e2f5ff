"""Pure: facts, proposals, verdicts, measures, gates and the mathematics of memory."""
