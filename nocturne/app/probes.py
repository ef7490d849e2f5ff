"""What ``nocturne provider check`` found: one probe after another, each with the way out where it failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail", "skipped"]


@dataclass(frozen=True, slots=True)
class Probe:
    """One question to a provider. ``fix`` is what to do where the state is not ``ok``."""

    name: str
    state: State
    found: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Checkup:
    """Every probe of one provider, in order."""

    provider: str
    model: str | None
    host: str | None
    probes: tuple[Probe, ...]

    @property
    def holds(self) -> bool:
        """Whether a sleep could use this provider."""
        return not any(probe.state == "fail" for probe in self.probes)

    @property
    def exit_code(self) -> Literal[0, 4]:
        """4 where the provider cannot be used."""
        return 0 if self.holds else 4

    def with_probes(self, more: Iterable[Probe]) -> Checkup:
        """The same with further probes at the end."""
        return Checkup(self.provider, self.model, self.host, (*self.probes, *more))
