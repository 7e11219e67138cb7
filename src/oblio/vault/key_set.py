"""The key set: what opens the data sets of a store, small, and only the newest exists (rule B1).

Layout: version byte, store id 16, u64 epoch, u64 counter; u32 number of holders, each id 16, i64 slot (-1 for none),
u32 key number, u32 version, u32 generation, wrapped key 60; u32 number of unit keys, each unit 16, holder 16, u32 key
number, wrapped key 60; u32 number of ledger ids, each 16; HMAC-SHA256 32 over all of it. Wrapped keys stay wrapped: the
epoch key is not in it.

No setting names a destination yet: a store opened by `oblio.wiring` writes no key set after a rotation.
"""

import hmac
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from oblio.errors.vault import FormatUnknown, KeyPlaceBroken, WrongStore
from oblio.model.ids import HolderId, UnitId, raw, text
from oblio.model.subject import Holder
from oblio.ports.store import Transaction
from oblio.ports.tables import UnitKeyRow
from oblio.vault.derive import MAC_BYTES
from oblio.vault.envelope import WRAPPED_BYTES
from oblio.vault.holder_keys import HolderKeys
from oblio.vault.place import KeyPlace

FORMAT: Final = 1
ROLE: Final = "key set"

_PAGE: Final = 1000
_HEAD: Final = struct.Struct(">B16sQQ")
_COUNT: Final = struct.Struct(">I")
_HOLDER: Final = struct.Struct(f">16sqIII{WRAPPED_BYTES}s")
_UNIT: Final = struct.Struct(f">16s16sI{WRAPPED_BYTES}s")
_ID: Final = struct.Struct(">16s")


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderKeyRecord:
    """A holder and its wrapped key."""

    holder: HolderId
    slot: int | None
    key_no: int
    version: int
    generation: int
    wrapped: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """What a key set holds. Restoring it beside an older data set opens what still lives, and nothing else."""

    store: str
    epoch: int
    counter: int
    holders: Sequence[HolderKeyRecord]
    units: Sequence[UnitKeyRow]
    erased: Sequence[str]
    """Ids of holders and units in the erasure ledger."""


def key_set_body(tx: Transaction, place: KeyPlace, keys: HolderKeys, /) -> bytes:
    """Return the key set as a write transaction sees it: no other writer can move a key meanwhile."""
    vault = tx.singletons.vault()
    holders, units = [], []
    for row in _holders(tx):
        wraps = keys.wraps(tx, row)
        if wraps:
            holders.append(_packed_holder(row, wraps[-1]))
            units += [_UNIT.pack(raw(u.unit), raw(u.holder), u.key_no, u.wrapped) for u in _units(tx, row.holder)]
    erased = [raw(identifier) for identifier in place.ledger.ids()]
    body = b"".join(
        (
            _HEAD.pack(FORMAT, raw(place.store_id), vault.cur, vault.counter),
            *(part for records in (holders, units, erased) for part in (_COUNT.pack(len(records)), *records)),
        )
    )
    return body + place.derived.mac(ROLE, body)


def read_key_set(body: bytes, place: KeyPlace, /) -> KeySet:
    """Read what `key_set_body` wrote.

    Raises:
        FormatUnknown: it has another version.
        WrongStore: it belongs to another store.
        KeyPlaceBroken: it does not authenticate.
    """
    if body[:1] != bytes((FORMAT,)):
        raise FormatUnknown(version=body[0] if body else 0)
    signed, mac = body[:-MAC_BYTES], body[-MAC_BYTES:]
    if len(signed) < _HEAD.size:
        raise KeyPlaceBroken(role=ROLE)
    _, store, epoch, counter = _HEAD.unpack_from(signed)
    if store != raw(place.store_id):
        raise WrongStore
    if not hmac.compare_digest(mac, place.derived.mac(ROLE, signed)):
        raise KeyPlaceBroken(role=ROLE)
    holders, at = _records(signed, _HEAD.size, _HOLDER)
    units, at = _records(signed, at, _UNIT)
    erased, _ = _records(signed, at, _ID)
    return KeySet(
        store=place.store_id,
        epoch=epoch,
        counter=counter,
        holders=[_read_holder(record) for record in holders],
        units=[_read_unit(record) for record in units],
        erased=[text(record[0]) for record in erased],
    )


def _holders(tx: Transaction) -> Iterator[Holder]:
    after: HolderId | None = None
    while rows := tx.holders.page(after=after, limit=_PAGE):
        yield from rows
        after = rows[-1].holder


def _units(tx: Transaction, holder: HolderId) -> Iterator[UnitKeyRow]:
    after = 0
    while rows := tx.unit_keys.of(holder, after=after, limit=_PAGE):
        yield from rows
        after = rows[-1].seq


def _packed_holder(row: Holder, wrapped: bytes) -> bytes:
    slot = -1 if row.slot is None else row.slot
    return _HOLDER.pack(raw(row.holder), slot, row.key_no, row.version, row.generation, wrapped)


def _records(body: bytes, at: int, record: struct.Struct) -> tuple[list[Any], int]:
    (count,) = _COUNT.unpack_from(body, at)
    at += _COUNT.size
    stop = at + count * record.size
    return list(record.iter_unpack(body[at:stop])), stop


def _read_holder(record: tuple[Any, ...]) -> HolderKeyRecord:
    holder, slot, key_no, version, generation, wrapped = record
    return HolderKeyRecord(
        holder=HolderId(text(holder)),
        slot=None if slot < 0 else slot,
        key_no=key_no,
        version=version,
        generation=generation,
        wrapped=wrapped,
    )


def _read_unit(record: tuple[Any, ...]) -> UnitKeyRow:
    unit, holder, key_no, wrapped = record
    return UnitKeyRow(unit=UnitId(text(unit)), holder=HolderId(text(holder)), key_no=key_no, wrapped=wrapped)
