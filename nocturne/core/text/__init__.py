"""Texts as the measures and gates see them: canonical tokens, names, values and the measures over them."""
