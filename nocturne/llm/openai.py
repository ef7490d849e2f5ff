"""Anything that speaks OpenAI's ``/chat/completions``: one plain POST, no stream, no tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nocturne.llm.dialects import Call
from nocturne.llm.outcomes import Failure, Outcome
from nocturne.llm.prompting import Prompt
from nocturne.llm.replies import chat_outcome
from nocturne.llm.schema import reply_schema
from nocturne.llm.statuses import Answer, read

FORMATS = ("json_schema", "json_object", "none")


@dataclass(frozen=True, slots=True)
class OpenAI:
    """The dialect. ``tight`` bounds lengths in the schema: for servers of our own."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    name: str = "openai"
    tight: bool = False
    formats: tuple[str, ...] = FORMATS

    def call(self, prompt: Prompt, *, form: str, most_tokens: int, dropped: frozenset[str]) -> Call:
        """See ``Dialect``. Without a format the key ``response_format`` is left out: some refuse ``text``."""
        payload: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
        }
        payload["max_completion_tokens" if "max_tokens" in dropped else "max_tokens"] = most_tokens
        if "temperature" not in dropped:
            payload["temperature"] = 0
        if "stream" not in dropped:
            payload["stream"] = False
        if form == "json_schema":
            schema = reply_schema(prompt.brief, nonce=prompt.expected.nonce is not None, tight=self.tight)
            named = {"name": prompt.brief.pass_name, "strict": True, "schema": schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": named}
        elif form == "json_object":
            payload["response_format"] = {"type": "json_object"}
        return Call(f"{self.base_url.rstrip('/')}/chat/completions", self._headers(), payload)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"} if self.key else {}

    def read(self, answer: Answer, prompt: Prompt, now: float) -> Outcome:
        """See ``Dialect``."""
        body = read(answer, now)
        return body if isinstance(body, Failure) else chat_outcome(body, prompt.expected)

    def models(self) -> Call:
        """See ``Dialect``."""
        return Call(f"{self.base_url.rstrip('/')}/models", self._headers(), None)
