"""Instants as ISO 8601 and back: integer microseconds since the epoch, UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def from_iso(text: str) -> int:
    """An ISO 8601 date or time; without a zone it is read as UTC. ValueError where it is none."""
    moment = datetime.fromisoformat(text)
    return micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def micros(moment: datetime) -> int:
    """Microseconds since the epoch of an aware datetime, exactly."""
    return (moment - EPOCH) // _MICROSECOND


def moment_of(instant: int) -> datetime | None:
    """The instant as a datetime; None where the calendar does not reach it."""
    try:
        return EPOCH + timedelta(microseconds=instant)
    except OverflowError:
        return None


def iso(instant: int | None) -> str | None:
    """ISO 8601 with Z; microseconds only where there are any."""
    if instant is None:
        return None
    moment = moment_of(instant)
    if moment is None:
        return f"{instant} µs"
    return moment.replace(tzinfo=None).isoformat(timespec="auto") + "Z"
