"""Anthropic's ``/v1/messages``: one forced tool, whose input is the reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nocturne.llm.dialects import Call
from nocturne.llm.outcomes import Failure, Outcome
from nocturne.llm.prompting import Prompt
from nocturne.llm.replies import tool_outcome
from nocturne.llm.schema import reply_schema
from nocturne.llm.statuses import Answer, read

TOOL = "propose"
VERSION = "2023-06-01"


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The dialect; ``base_url`` is without ``/v1``."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    name: str = "anthropic"
    formats: tuple[str, ...] = ("tool", "none")

    def call(self, prompt: Prompt, *, form: str, most_tokens: int, dropped: frozenset[str]) -> Call:
        """See ``Dialect``."""
        payload: dict[str, Any] = {
            "model": self.model,
            "max_tokens": most_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if "temperature" not in dropped:
            payload["temperature"] = 0
        if form == "tool":
            schema = reply_schema(prompt.brief, nonce=prompt.expected.nonce is not None)
            told = "Hand in the one JSON object that the task asks for, as the input of this tool."
            payload["tools"] = [{"name": TOOL, "description": told, "input_schema": schema}]
            payload["tool_choice"] = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
        return Call(self._url("messages"), self._headers(), payload)

    def _url(self, last: str) -> str:
        base = self.base_url.rstrip("/")
        return f"{base}/{last}" if base.endswith("/v1") else f"{base}/v1/{last}"

    def _headers(self) -> dict[str, str]:
        headers = {"anthropic-version": VERSION}
        return headers | {"x-api-key": self.key} if self.key else headers

    def read(self, answer: Answer, prompt: Prompt, now: float) -> Outcome:
        """See ``Dialect``. The body is read strictly: the proposals are a part of it."""
        body = read(answer, now, strict=True)
        return body if isinstance(body, Failure) else tool_outcome(body, TOOL, prompt.expected)

    def models(self) -> Call:
        """See ``Dialect``."""
        return Call(self._url("models"), self._headers(), None)
