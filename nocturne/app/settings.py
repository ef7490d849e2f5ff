"""What ``nocturne.toml`` may hold: loaded where there is such a file, or something else was said to be checked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from nocturne.app.config import ProviderName


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Provider(_Section):
    """Who proposes."""

    name: ProviderName | None = None
    model: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    base_url: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    jobs: Annotated[int, Field(ge=1, le=64)] | None = None
    batch: Annotated[int, Field(ge=1, le=1000)] | None = None
    timeout: Annotated[float, Field(gt=0, le=86_400)] | None = None
    retries: Annotated[int, Field(ge=0, le=10)] | None = None
    context_tokens: Annotated[int, Field(ge=1024, le=10_000_000)] | None = None
    max_output_tokens: Annotated[int, Field(ge=64, le=1_000_000)] | None = None
    replay: str | None = None


class Limits(_Section):
    """What one run may spend."""

    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None
    deadline: Annotated[float, Field(gt=0)] | None = None


class Price(_Section):
    """Money for a million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class File(_Section):
    """The whole file."""

    provider: Provider = Provider()
    limits: Limits = Limits()
    prices: dict[str, Price] = Field(default_factory=dict)
