"""What is never a statement of fact by the person: each family of wording that is left out, by name."""

from __future__ import annotations

import re

from nocturne.llm.rules.cues import cue, words

FILE = "refuse.json"

ROLE_PLAY = cue(FILE, "role_play")
OPEN_PLAY = cue(FILE, "open_play")
END_PLAY = cue(FILE, "end_play")
PROMPT = cue(FILE, "prompt")
INJECTION = cue(FILE, "injection")
FORGET = cue(FILE, "forget")
OWN_ARTEFACT = cue(FILE, "own_artefact")
GENERATED = cue(FILE, "generated")
TOOL_TEXT = cue(FILE, "tool_text")
HEADED = cue(FILE, "headed")
SARCASM = cue(FILE, "sarcasm")
RETRACT = cue(FILE, "retract")
REPORTED = cue(FILE, "reported")
CONDITIONAL = cue(FILE, "conditional")
WOULD = cue(FILE, "would")
WOULD_LIKE = cue(FILE, "would_like")
QUESTIONING = cue(FILE, "questioning")
PHATIC = cue(FILE, "phatic")
POINTING = cue(FILE, "pointing")
TEAM_TALK = cue(FILE, "team_talk")
CORRECTED = cue(FILE, "corrected")
SHOWN = cue(FILE, "shown")
TOLD_YOU = cue(FILE, "told_you")
THERE = cue(FILE, "there")
ABOUT_YOU = cue(FILE, "about_you")
STANDING = cue(FILE, "standing")
LASTING = cue(FILE, "lasting")
CONTRAST = cue(FILE, "contrast")
PASTE_INTRO = cue(FILE, "paste_intro")
SELF = cue(FILE, "self")
SELF_KIND = cue(FILE, "self_kind")

DEICTIC = words(FILE, "deictic")
MOOD = words(FILE, "mood")
WEAK = words(FILE, "weak")

EVEN_IF = re.compile(r"\b(?:even if|as if)\b")
"""Cues of a condition that is none."""
