"""The key and item tables of the in-memory store; each class is one port of `oblio.ports.tables`."""

# ruff: noqa: D102 -- the ports say what each method must do

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NoReturn

from oblio.model.ids import HolderId, ItemId, SubjectId, UnitId
from oblio.model.memory import Item, ItemState, ItemType
from oblio.model.subject import Holder
from oblio.ports.tables import Cursor, StoreRow, SubjectKeyRow, UnitKeyRow, VaultRow
from oblio.testing.state import State


def clash(table: str, /) -> NoReturn:
    """Refuse a row that breaks a unique key.

    Raises:
        ValueError: always.
    """
    message = f"a row of {table} with this key exists"
    raise ValueError(message)


@dataclass(frozen=True, slots=True)
class MemorySingletons:
    """`Singletons` in memory."""

    state: State

    def store(self) -> StoreRow | None:
        row = self.state.singletons.get("store")
        return row if isinstance(row, StoreRow) else None

    def create(self, store: StoreRow, vault: VaultRow, /) -> None:
        if self.state.singletons:
            clash("store")
        self.state.singletons.update(store=store, vault=vault)

    def vault(self) -> VaultRow:
        row = self.state.singletons["vault"]
        if not isinstance(row, VaultRow):
            message = "the vault row has another type"
            raise TypeError(message)
        return row

    def put_vault(self, row: VaultRow, /) -> None:
        self.state.singletons["vault"] = row


@dataclass(frozen=True, slots=True)
class MemoryHolders:
    """`Holders` in memory. A slot, retired or not, has one owner."""

    state: State

    def _slots(self, *, but: HolderId | None = None) -> set[int]:
        rows = (row for row in self.state.holders.values() if row.holder != but)
        return {slot for row in rows for slot in (row.slot, row.retired_slot) if slot is not None}

    def _check(self, row: Holder) -> None:
        taken = self._slots(but=row.holder)
        if {row.slot, row.retired_slot} & taken or (row.slot is not None and row.slot == row.retired_slot):
            clash("holders by slot")
        if row.lookup is not None and (found := self.find(row.lookup)) and found.holder != row.holder:
            clash("holders by lookup")

    def add(self, row: Holder, /) -> None:
        if row.holder in self.state.holders:
            clash("holders")
        self._check(row)
        self.state.holders[row.holder] = row

    def get(self, holder: HolderId, /) -> Holder | None:
        return self.state.holders.get(holder)

    def find(self, lookup: bytes, /) -> Holder | None:
        return next((row for row in self.state.holders.values() if row.lookup == lookup), None)

    def put(self, row: Holder, /) -> None:
        if row.holder not in self.state.holders:
            raise KeyError(row.holder)
        self._check(row)
        self.state.holders[row.holder] = row

    def delete(self, holder: HolderId, /) -> None:
        self.state.holders.pop(holder, None)

    def free_slot(self) -> int:
        taken = self._slots()
        return next(slot for slot in range(len(taken) + 1) if slot not in taken)

    def owners(self, *, start: int, stop: int) -> Sequence[Holder]:
        rows = [(row.slot, row) for row in self.state.holders.values() if row.slot is not None]
        return [row for slot, row in sorted(rows, key=lambda pair: pair[0]) if start <= slot < stop]

    def last_slot(self) -> int:
        return max(self._slots(), default=-1)

    def retired(self) -> Sequence[Holder]:
        return [row for row in self.state.holders.values() if row.retired_slot is not None]

    def page(self, *, after: HolderId | None, limit: int) -> Sequence[Holder]:
        rows = sorted(self.state.holders.values(), key=lambda row: row.holder)
        return [row for row in rows if after is None or row.holder > after][:limit]


@dataclass(frozen=True, slots=True)
class MemorySubjectKeys:
    """`SubjectKeys` in memory."""

    state: State

    def add(self, row: SubjectKeyRow, /) -> None:
        if (row.holder, row.key_no) in self.state.subject_keys:
            clash("subject_keys")
        self.state.subject_keys[row.holder, row.key_no] = row

    def get(self, holder: HolderId, /) -> Sequence[SubjectKeyRow]:
        return [row for row in self.state.subject_keys.values() if row.holder == holder]

    def delete(self, holder: HolderId, /, *, key_no: int | None = None) -> int:
        gone = [key for key in self.state.subject_keys if key[0] == holder and key_no in {None, key[1]}]
        for key in gone:
            del self.state.subject_keys[key]
        return len(gone)

    def under(self, epoch: int, /, *, limit: int) -> Sequence[SubjectKeyRow]:
        return [row for row in self.state.subject_keys.values() if row.epoch == epoch][:limit]

    def rewrap(self, rows: Sequence[SubjectKeyRow], /) -> None:
        for row in rows:
            if (row.holder, row.key_no) in self.state.subject_keys:
                self.state.subject_keys[row.holder, row.key_no] = row


@dataclass(frozen=True, slots=True)
class MemoryUnitKeys:
    """`UnitKeys` in memory."""

    state: State

    def add(self, rows: Sequence[UnitKeyRow], /) -> None:
        taken = {(row.unit, row.holder) for row in self.state.unit_keys.values()} if rows else set()
        for row in rows:
            if (row.unit, row.holder) in taken:
                clash("unit_keys")
            seq = self.state.next("unit_keys")
            self.state.unit_keys[seq] = replace(row, seq=seq)

    def get(self, holder: HolderId, units: Iterable[UnitId], /) -> Mapping[UnitId, UnitKeyRow]:
        wanted = set(units)
        return {r.unit: r for r in self.state.unit_keys.values() if r.holder == holder and r.unit in wanted}

    def of(self, holder: HolderId, /, *, after: int, limit: int) -> Sequence[UnitKeyRow]:
        rows = (row for row in self.state.unit_keys.values() if row.holder == holder and row.seq > after)
        return sorted(rows, key=lambda row: row.seq)[:limit]

    def holders(self, units: Iterable[UnitId], /) -> Sequence[UnitKeyRow]:
        wanted = set(units)
        return [row for row in self.state.unit_keys.values() if row.unit in wanted]

    def rewrap(self, rows: Sequence[UnitKeyRow], /) -> None:
        for row in rows:
            stored = self.state.unit_keys[row.seq]
            self.state.unit_keys[row.seq] = replace(stored, key_no=row.key_no, wrapped=row.wrapped)

    def _drop(self, seqs: list[int]) -> int:
        for seq in seqs:
            del self.state.unit_keys[seq]
        return len(seqs)

    def delete(self, units: Iterable[UnitId], /) -> int:
        wanted = set(units)
        return self._drop([seq for seq, row in self.state.unit_keys.items() if row.unit in wanted])

    def delete_held(self, holder: HolderId, /) -> int:
        return self._drop([seq for seq, row in self.state.unit_keys.items() if row.holder == holder])


@dataclass(frozen=True, slots=True)
class MemoryContents:
    """`Contents` in memory."""

    state: State

    def add(self, unit: UnitId, sealed: bytes, /) -> None:
        if unit in self.state.contents:
            clash("contents")
        self.state.contents[unit] = sealed

    def get(self, units: Iterable[UnitId], /) -> Mapping[UnitId, bytes]:
        return {unit: self.state.contents[unit] for unit in units if unit in self.state.contents}

    def delete(self, units: Iterable[UnitId], /) -> int:
        return sum(self.state.contents.pop(unit, None) is not None for unit in set(units))


@dataclass(frozen=True, slots=True)
class MemoryItems:
    """`Items` in memory."""

    state: State

    def add(self, row: Item, /) -> None:
        if row.item in self.state.items:
            clash("items")
        self.state.items[row.item] = replace(row, seq=self.state.next("items"))

    def get(self, subject: SubjectId, item: ItemId, /) -> Item | None:
        row = self.state.items.get(item)
        return row if row is not None and row.subject == subject else None

    def any(self, items: Iterable[ItemId], /) -> Mapping[ItemId, Item]:
        return {item: self.state.items[item] for item in items if item in self.state.items}

    def of(
        self,
        subject: SubjectId,
        /,
        *,
        types: frozenset[ItemType],
        before: Cursor | None = None,
        limit: int | None = None,
    ) -> Sequence[Item]:
        rows = [row for row in self.state.items.values() if row.subject == subject and row.type in types]
        rows = [row for row in rows if before is None or row.seq < before.seq]
        return sorted(rows, key=lambda row: -row.seq)[:limit]

    def put(self, row: Item, /) -> None:
        self.state.items[row.item] = replace(
            self.state.items[row.item],
            state=row.state,
            unit=row.unit,
            version=row.version,
            saved=row.saved,
            deriver=row.deriver,
            kind=row.kind,
            expires=row.expires,
        )

    def mark(self, items: Iterable[ItemId], state: ItemState, /) -> int:
        present = [item for item in set(items) if item in self.state.items]
        for item in present:
            self.state.items[item] = replace(self.state.items[item], state=state)
        return len(present)

    def delete(self, items: Iterable[ItemId], /) -> int:
        return sum(self.state.items.pop(item, None) is not None for item in set(items))

    def counts(self, subject: SubjectId, /) -> Mapping[ItemType, int]:
        counted: dict[ItemType, int] = {}
        for row in self.state.items.values():
            if row.subject == subject:
                counted[row.type] = counted.get(row.type, 0) + 1
        return counted

    def expired(self, today: date, /, *, limit: int) -> Sequence[Item]:
        rows = (row for row in self.state.items.values() if row.expires is not None and row.expires < today)
        return sorted(rows, key=lambda row: row.seq)[:limit]


@dataclass(frozen=True, slots=True)
class MemoryEdges:
    """`Edges` in memory."""

    state: State

    def add(self, item: ItemId, sources: Iterable[ItemId], /) -> None:
        self.state.edges.update(dict.fromkeys((item, source) for source in sources))

    def sources(self, items: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        wanted = set(items)
        return _grouped([(item, source) for item, source in self.state.edges if item in wanted])

    def users(self, sources: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        wanted = set(sources)
        return _grouped([(source, item) for item, source in self.state.edges if source in wanted])

    def delete(self, items: Iterable[ItemId], /) -> int:
        wanted = set(items)
        gone = [edge for edge in self.state.edges if wanted & set(edge)]
        for edge in gone:
            del self.state.edges[edge]
        return len(gone)


def _grouped(pairs: Iterable[tuple[ItemId, ItemId]], /) -> Mapping[ItemId, frozenset[ItemId]]:
    groups: dict[ItemId, set[ItemId]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in groups.items()}
