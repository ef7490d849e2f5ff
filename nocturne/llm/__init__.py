"""Who proposes: the built-in rules, models over the wire, a model on this machine, a file of replies."""
