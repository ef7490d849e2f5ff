"""Which proposer to use and within what limits: flags over the environment over ``nocturne.toml``.

Keys come from the environment alone, and a key goes only where its owner meant it to go: a vendor's own
variable to the vendor's host (or the base URL that is set beside it in the environment), ``NOCTURNE_API_KEY``
to any base URL that is configured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from nocturne.errors import InputUnreadable, UsageError

if TYPE_CHECKING:
    from pydantic import ValidationError

    from nocturne.app.settings import File, Provider

ProviderName = Literal["rules", "openai", "anthropic", "local", "replay"]
PROVIDERS: tuple[ProviderName, ...] = get_args(ProviderName)
FILE = "nocturne.toml"
HOSTED: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
_VENDORS: Mapping[str, tuple[str, str, str]] = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "api.openai.com"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "api.anthropic.com"),
    "openrouter": ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "openrouter.ai"),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may spend. ``deadline`` is in seconds from its start; None is no limit."""

    max_tokens: int | None = None
    max_calls: int | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens read and written."""

    read: Fraction
    written: Fraction


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """Everything that making a proposer needs. ``chosen_by`` says where the provider's name came from."""

    provider: ProviderName = "rules"
    model: str | None = None
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    key_name: str | None = None
    """The environment variable that the key came from, or that it is missing from."""
    jobs: int = 4
    batch: int | None = None
    """Candidates a call; None is what the provider takes well."""
    timeout: float | None = None
    """Seconds for one request; None is what the provider needs."""
    retries: int = 2
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    limits: Limits = Limits()
    prices: Mapping[str, Price] = field(default_factory=dict)
    replay: Path | None = None
    record: Path | None = None
    cache_dir: Path | None = None
    data_dir: Path | None = None
    writes_cache: bool = True
    chosen_by: str = "default"


_FROM_ENVIRONMENT: Mapping[str, str] = {
    "NOCTURNE_PROVIDER": "name",
    "NOCTURNE_MODEL": "model",
    "NOCTURNE_BASE_URL": "base_url",
    "NOCTURNE_JOBS": "jobs",
    "NOCTURNE_TIMEOUT": "timeout",
    "NOCTURNE_REPLAY": "replay",
}


def find_file(folder: Path, environ: Mapping[str, str]) -> Path | None:
    """The ``nocturne.toml`` that counts: ``$NOCTURNE_CONFIG``, the folder's, the user's; None without any."""
    named = environ.get("NOCTURNE_CONFIG")
    if named:
        return Path(named)
    places = (folder / FILE, user_dir(environ, "config") / FILE)
    return next((place for place in places if place.is_file()), None)


def user_dir(environ: Mapping[str, str], what: Literal["cache", "config", "data"]) -> Path:
    """The user's directory of a kind for nocturne, by the XDG rules."""
    variable, default = {
        "cache": ("XDG_CACHE_HOME", ".cache"),
        "config": ("XDG_CONFIG_HOME", ".config"),
        "data": ("XDG_DATA_HOME", ".local/share"),
    }[what]
    given = environ.get(variable, "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(given) if given.startswith("/") else home / default
    return base / "nocturne"


def load(
    folder: Path,
    environ: Mapping[str, str],
    *,
    provider: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    jobs: int | None = None,
    limits: Limits = Limits(),
    replay: Path | None = None,
    record: Path | None = None,
    dry_run: bool = False,
) -> ProviderConfig:
    """Put flags, environment and file together. UsageError names the key and what it may be."""
    path = find_file(folder, environ)
    kept = _read(path) if path is not None else None
    said = _from_environment(environ)
    flags = {"name": provider, "model": model, "base_url": base_url, "jobs": jobs}
    flags["replay"] = str(replay) if replay is not None else None
    merged, origin = _merge(
        [
            (str(path), kept.provider.model_dump(exclude_none=True) if kept is not None else {}),
            ("environment", said),
            ("command line", {key: value for key, value in flags.items() if value is not None}),
        ]
    )
    if kept is None and not merged:
        # Nothing was said: the built-in rules need no settings, and nobody waits for pydantic to find none.
        return ProviderConfig(
            limits=limits,
            record=record,
            cache_dir=user_dir(environ, "cache"),
            data_dir=user_dir(environ, "data"),
            writes_cache=not dry_run,
        )
    settings = _validated(merged)
    name = settings.name
    if name is None:
        name, chosen = ("replay", origin["replay"]) if "replay" in origin else ("rules", "default")
    else:
        chosen = origin["name"]
    url = settings.base_url if settings.base_url is not None else _vendor_url(name, environ)
    if url is not None:
        _check_url(url)
    key, key_name = _key(name, url, environ)
    return ProviderConfig(
        provider=name,
        model=settings.model,
        base_url=url,
        key=key,
        key_name=key_name,
        **{field: value for field in _PLAIN if (value := getattr(settings, field)) is not None},
        limits=limits if kept is None else _within(limits, kept),
        prices={
            name: Price(_exact(price.input), _exact(price.output))
            for name, price in (kept.prices if kept is not None else {}).items()
        },
        replay=Path(settings.replay) if settings.replay else None,
        record=record,
        cache_dir=user_dir(environ, "cache"),
        data_dir=user_dir(environ, "data"),
        writes_cache=not dry_run,
        chosen_by=chosen,
    )


_PLAIN = ("jobs", "batch", "timeout", "retries", "context_tokens", "max_output_tokens")


def _within(limits: Limits, kept: File) -> Limits:
    """The limits that were given, and the file's where none was."""
    return Limits(
        limits.max_tokens if limits.max_tokens is not None else kept.limits.max_tokens,
        limits.max_calls if limits.max_calls is not None else kept.limits.max_calls,
        limits.deadline if limits.deadline is not None else kept.limits.deadline,
    )


def _merge(layers: list[tuple[str, dict[str, Any]]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Later layers over earlier ones; a provider named anew does not inherit the other's model and URL."""
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for where, layer in layers:
        if layer.get("name") not in (None, merged.get("name")):
            for key in ("model", "base_url"):
                if merged.get("name") is not None:
                    merged.pop(key, None)
        merged |= layer
        origin |= dict.fromkeys(layer, where)
    return merged, origin


def _exact(amount: float) -> Fraction:
    return Fraction(str(amount))


def _read(path: Path) -> File:
    import tomllib

    from pydantic import ValidationError

    from nocturne.app.settings import File

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputUnreadable(
            f"there is no {path}", hint="unset NOCTURNE_CONFIG, or write the file"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputUnreadable(f"{path} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    for key in ("api_key", "key", "token"):
        if key in data.get("provider", {}) or key in data:
            raise UsageError(
                f"{path} holds {key}; keys are read from the environment alone",
                hint="delete that line, and set NOCTURNE_API_KEY",
            )
    try:
        return File.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{path}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{where} is not a key of nocturne.toml"
    return f"{where} is {first['input']!r}; {first['msg'].removeprefix('Input ')}"


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for variable, key in _FROM_ENVIRONMENT.items():
        if environ.get(variable):
            said[key] = environ[variable]
    return said


def _validated(merged: dict[str, Any]) -> Provider:
    from pydantic import ValidationError

    from nocturne.app.settings import Provider

    name = merged.get("name")
    if name is not None and name not in PROVIDERS:
        raise UsageError(f"no provider is called {name}", hint=f"providers: {', '.join(PROVIDERS)}")
    try:
        return Provider.model_validate(merged)
    except ValidationError as error:
        raise UsageError(f"provider.{_first(error)}") from error


def _vendor_url(name: str, environ: Mapping[str, str]) -> str | None:
    if name not in HOSTED:
        return None
    return environ.get(_VENDORS[name][1]) or HOSTED[name]


_LIKE = "as in http://localhost:1234/v1"


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise UsageError(f"{url!r} is not a base URL: {error}", hint=_LIKE) from error
    if not whole:
        raise UsageError(f"{url!r} is not a base URL", hint=_LIKE)
    if parts.username or parts.password or parts.query:
        raise UsageError(
            f"the base URL of {parts.hostname} holds a password or a query",
            hint="set NOCTURNE_API_KEY instead",
        )


def _key(name: str, url: str | None, environ: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The key for a base URL, and the variable it belongs in. A vendor's key never goes to another's host."""
    if name not in HOSTED or url is None:
        return None, None
    if environ.get("NOCTURNE_API_KEY"):
        return environ["NOCTURNE_API_KEY"], "NOCTURNE_API_KEY"
    host = (urlsplit(url).hostname or "").lower()
    for variable, url_variable, own in _VENDORS.values():
        beside = environ.get(url_variable)
        if host == own or (beside and beside.rstrip("/") == url.rstrip("/")):
            return environ.get(variable) or None, variable
    return None, "NOCTURNE_API_KEY"
