"""What a store holds of one person, by raw SQL and raw files: no line of it comes from Oblio's own byte check.

The connection uses the same SQLite library as the store, and files that SQLite locks are never opened here while the
store is open: two libraries, or one closed descriptor, would take the locks away.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pysqlite3 import dbapi2

from oblio.testing.byte_probe import pieces

SLOT_START: Final = 4096
SLOT_BYTES: Final = 64
WRAP_BYTES: Final = 60


@contextmanager
def connected(path: Path, *, secure_delete: bool | None = None) -> Iterator[Any]:
    """Open a raw connection to a database; `secure_delete` is the build's default unless it is given."""
    with closing(dbapi2.connect(str(path), isolation_level=None)) as connection:
        if secure_delete is not None:
            connection.execute(f"PRAGMA secure_delete={'ON' if secure_delete else 'OFF'}")
        yield connection


def secure_delete_default() -> int:
    """Return what the SQLite build in use does when nobody asks."""
    with closing(dbapi2.connect(":memory:")) as connection:
        return int(connection.execute("PRAGMA secure_delete").fetchone()[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The stored bytes of one person at one moment."""

    sealed: Mapping[bytes, bytes] = field(repr=False)
    """Ciphertext by unit."""
    wraps: Mapping[bytes, bytes] = field(repr=False)
    """Wrapped unit keys by unit."""
    slots: Sequence[bytes] = field(repr=False)
    """Wrapped subject keys in the key files."""
    lookup: bytes = field(repr=False)
    """Keyed digest of the external id."""
    block: bytes | None = field(repr=False)
    """Unit of the recall block."""

    def needles(self, units: Sequence[bytes] | None = None, /) -> list[bytes]:
        """Return pieces of the ciphertext and the wrapped keys of some units, of all by default."""
        chosen = list(self.sealed) if units is None else units
        found = [piece for unit in chosen for piece in (*pieces(self.sealed[unit]), self.sealed[unit][1:13])]
        return found + [piece for unit in chosen for piece in wrap_needles(self.wraps[unit])]

    def keys(self) -> list[bytes]:
        """Return the pieces of the wrapped subject keys."""
        return [piece for slot in self.slots for piece in wrap_needles(slot)]


def wrap_needles(wrap: bytes) -> list[bytes]:
    """Return nonce, whole and tail of a wrapped key."""
    return [wrap[:12], wrap, wrap[-24:]]


def held(path: Path, keys: Path, subject: str) -> Held:
    """Read everything that a store holds of a subject."""
    holder = bytes.fromhex(subject)
    with connected(path) as connection:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return list(connection.execute(sql, (holder,)).fetchall())

        wraps = {row[0]: row[1] for row in rows("SELECT unit, wrapped FROM unit_keys WHERE holder = ?")}
        sealed = {
            row[0]: row[1]
            for row in rows(
                "SELECT c.unit, c.sealed FROM contents c JOIN unit_keys k ON k.unit = c.unit WHERE k.holder = ?"
            )
        }
        slot, lookup = rows("SELECT slot, lookup FROM holders WHERE holder = ?")[0]
        blocks = rows("SELECT unit FROM items WHERE subject = ? AND type = 'segment'")
    return Held(
        sealed=sealed,
        wraps=wraps,
        slots=[body for body in (slot_body(file, slot) for file in slot_files(keys)) if any(body)],
        lookup=lookup,
        block=blocks[0][0] if blocks else None,
    )


def slot_files(keys: Path) -> list[Path]:
    """Return the slot files of a key place."""
    return sorted(keys.glob("slots.*"))


def slot_body(file: Path, slot: int) -> bytes:
    """Return the wrapped key in a slot."""
    start = SLOT_START + SLOT_BYTES * slot
    return file.read_bytes()[start : start + WRAP_BYTES]
