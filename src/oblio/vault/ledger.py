"""The erasure ledger: random ids of holders and units that were erased, outside every data backup (rule B1).

File `ledger`: version byte and 47 zero bytes, then records of 48 bytes: id 16, MAC 32. A MAC covers the one before it,
so a record cannot be changed, moved, left out or put in; a tail that was cut is found by the digest in the audit log.

A crash during an append leaves a tail that does not authenticate: the next append or opening cuts it off. A record that
does not authenticate although a later one does was not torn but changed, and is an error.

Opening and reading check the whole chain. An append checks the last record only, so that the millionth erasure costs
what the first did; what was changed further in front is found by the next opening.
"""

import fcntl
import hmac
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from oblio.errors.vault import FormatUnknown, KeyPlaceBroken, LedgerForged
from oblio.model.ids import ID_BYTES, raw, text
from oblio.ports.store import Cut
from oblio.vault.derive import MAC_BYTES
from oblio.vault.files import opened, read_at, replace_file, write_at

RECORD_BYTES: Final = ID_BYTES + MAC_BYTES
FORMAT: Final = 1
ROLE: Final = "ledger"
CUTS: Final = ("ledger.written", "ledger.synced")

_HEADER: Final = bytes((FORMAT,)).ljust(RECORD_BYTES, b"\0")


@contextmanager
def _locked(descriptor: int, kind: int) -> Iterator[None]:
    """Hold a lock on the open file. It is given back by name: a process that was forked meanwhile has it open too."""
    fcntl.flock(descriptor, kind)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class LedgerFile:
    """`Ledger` in a file of the key place."""

    def __init__(self, path: Path, key: bytes, /, *, cut: Cut) -> None:
        self._path = path
        self._key = key
        self._cut = cut

    def create(self) -> None:
        """Write an empty ledger."""
        replace_file(self._path, _HEADER, ROLE, cut=self._cut)

    def append(self, ids: Sequence[str], /) -> None:
        """Add ids, durably. One that is in the ledger already may be added again.

        Raises:
            LedgerForged: the last record does not authenticate, and is not the tail that a crash left.
        """
        if not ids:
            return
        with opened(self._path, os.O_RDWR, ROLE) as descriptor, _locked(descriptor, fcntl.LOCK_EX):
            end, last = self._end(descriptor) or self._repaired(descriptor)
            body = bytearray()
            for identifier in ids:
                last = self._mac(last, raw(identifier))
                body += raw(identifier) + last
            write_at(descriptor, bytes(body), end)
            self._cut("ledger.written")
            os.fdatasync(descriptor)
            self._cut("ledger.synced")

    def ids(self) -> Sequence[str]:
        """Return all ids in the order they were added.

        Raises:
            LedgerForged: a record does not authenticate.
        """
        records = self._records()
        return [text(record[:ID_BYTES]) for record in records]

    def digest(self) -> str:
        """Return the last MAC in hexadecimal: what the audit log keeps to find a tail that was cut."""
        records = self._records()
        return self._origin().hex() if not records else records[-1][ID_BYTES:].hex()

    def repair(self) -> None:
        """Cut off a tail that a crash left. Done when a key place is opened.

        Raises:
            LedgerForged: what does not authenticate is not the tail.
        """
        with opened(self._path, os.O_RDWR, ROLE) as descriptor, _locked(descriptor, fcntl.LOCK_EX):
            self._repaired(descriptor)

    def _origin(self) -> bytes:
        return hmac.new(self._key, _HEADER, sha256).digest()

    def _mac(self, last: bytes, identifier: bytes) -> bytes:
        return hmac.new(self._key, last + identifier, sha256).digest()

    def _records(self) -> list[bytes]:
        with opened(self._path, os.O_RDONLY, ROLE) as descriptor, _locked(descriptor, fcntl.LOCK_SH):
            records, bad = self._checked(descriptor)
        if bad is not None:
            raise LedgerForged(record=bad)
        return records

    def _end(self, descriptor: int) -> tuple[int, bytes] | None:
        """Return where the next record goes and the MAC before it; `None` when the end is torn or does not fit."""
        size = os.fstat(descriptor).st_size
        records = size // RECORD_BYTES - 1
        if size % RECORD_BYTES or records < 1 or read_at(descriptor, RECORD_BYTES, 0) != _HEADER:
            return None
        found = read_at(descriptor, 2 * RECORD_BYTES, size - 2 * RECORD_BYTES)
        before = self._origin() if records == 1 else found[ID_BYTES:RECORD_BYTES]
        identifier, mac = found[RECORD_BYTES : RECORD_BYTES + ID_BYTES], found[RECORD_BYTES + ID_BYTES :]
        return (size, mac) if hmac.compare_digest(mac, self._mac(before, identifier)) else None

    def _repaired(self, descriptor: int) -> tuple[int, bytes]:
        """Cut off a torn tail. Return where the next record goes and the MAC before it."""
        records, bad = self._checked(descriptor)
        good = records if bad is None else records[:bad]
        end = RECORD_BYTES * (1 + len(good))
        if os.fstat(descriptor).st_size > end:
            os.ftruncate(descriptor, end)
            os.fdatasync(descriptor)
        return end, good[-1][ID_BYTES:] if good else self._origin()

    def _checked(self, descriptor: int) -> tuple[list[bytes], int | None]:
        """Return all whole records and the number of the first bad one.

        Raises:
            LedgerForged: a bad record has a good one behind it.
        """
        found = read_at(descriptor, os.fstat(descriptor).st_size, 0)
        if len(found) < RECORD_BYTES:
            raise KeyPlaceBroken(role=ROLE)
        if found[:RECORD_BYTES] != _HEADER:
            raise FormatUnknown(version=found[0])
        stop = len(found) - len(found) % RECORD_BYTES
        records = [found[start : start + RECORD_BYTES] for start in range(RECORD_BYTES, stop, RECORD_BYTES)]
        bad = None
        last = self._origin()
        for number, record in enumerate(records):
            good = hmac.compare_digest(record[ID_BYTES:], self._mac(last, record[:ID_BYTES]))
            if good and bad is not None:
                raise LedgerForged(record=bad)
            if not good and bad is None:
                bad = number
            last = record[ID_BYTES:]
        return records, bad
