"""The words by which transcripts name who speaks, and the provenance class of each."""

from __future__ import annotations

from typing import Any

from nocturne.core.facts import Provenance

_CLASSES: dict[Provenance, tuple[str, ...]] = {
    "human": (
        "user",
        "human",
        "person",
        "me",
        "customer",
        "client",
        "users",
        "human_user",
        "prompter",
        "you",
    ),
    "assistant": (
        "assistant",
        "ai",
        "bot",
        "gpt",
        "model",
        "chatgpt",
        "claude",
        "gemini",
        "grok",
        "bing",
        "bard",
        "copilot",
        "agent",
        "llm",
        "chatbot",
        "assistant_message",
    ),
    "tool": (
        "tool",
        "function",
        "function_call",
        "tool_call",
        "observation",
        "ipython",
        "tool_result",
        "environment",
    ),
    "injected": ("system", "developer", "context"),
    "derived-summary": ("summary", "derived-summary", "compaction"),
    "thinking": ("thinking", "reasoning", "thought", "thoughts"),
    "subagent": ("subagent",),
    "profile": ("profile", "instructions"),
}
_BY_ROLE = {role: provenance for provenance, roles in _CLASSES.items() for role in roles}
_BY_ROLE["injected"] = "injected"


def provenance_of(role: Any) -> Provenance | None:
    """The class of a role's word, whatever its case; None for a word that no known format uses."""
    return _BY_ROLE.get(role.strip().lower()) if isinstance(role, str) else None
