"""What the in-memory store holds: one dictionary a table, frozen rows in it, so that a shallow copy is a snapshot."""

from dataclasses import dataclass, field, fields
from datetime import date
from typing import Self

from oblio.model.consent import Grant
from oblio.model.erasure import Erasure, PlanItem, Step
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, UnitId
from oblio.model.memory import Item
from oblio.model.subject import Holder
from oblio.ports.audit import NodeKey
from oblio.ports.tables import Rebuild, StoreRow, SubjectKeyRow, UnitKeyRow, VaultRow


@dataclass(slots=True, kw_only=True)
class State:
    """All tables. Rows are immutable values; only the dictionaries change, and only those of an open write."""

    singletons: dict[str, StoreRow | VaultRow] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    holders: dict[HolderId, Holder] = field(default_factory=dict)
    subject_keys: dict[tuple[HolderId, int], SubjectKeyRow] = field(default_factory=dict)
    unit_keys: dict[int, UnitKeyRow] = field(default_factory=dict)
    contents: dict[UnitId, bytes] = field(default_factory=dict)
    items: dict[ItemId, Item] = field(default_factory=dict)
    edges: dict[tuple[ItemId, ItemId], None] = field(default_factory=dict)
    consents: dict[int, Grant] = field(default_factory=dict)
    tombstones: dict[ItemId, date] = field(default_factory=dict)
    erasures: dict[RequestId, Erasure] = field(default_factory=dict)
    steps: dict[RequestId, tuple[Step, ...]] = field(default_factory=dict)
    plans: dict[RequestId, tuple[PlanItem, ...]] = field(default_factory=dict)
    rebuilds: dict[ItemId, Rebuild] = field(default_factory=dict)
    payloads: dict[RequestId, bytes] = field(default_factory=dict)
    documents: dict[RequestId, bytes] = field(default_factory=dict)
    imports: dict[tuple[SubjectId, bytes], str] = field(default_factory=dict)
    pending: dict[int, bytes] = field(default_factory=dict)
    leaves: dict[int, bytes | None] = field(default_factory=dict)
    nodes: dict[NodeKey, bytes] = field(default_factory=dict)
    checkpoints: dict[int, bytes] = field(default_factory=dict)

    def copy(self) -> Self:
        """Return an independent image; rows are shared because they never change."""
        return type(self)(**{f.name: dict(getattr(self, f.name)) for f in fields(self)})

    def next(self, counter: str, /) -> int:
        """Return the next number of a table's integer key; numbers are never given twice."""
        value = self.counters.get(counter, 0) + 1
        self.counters[counter] = value
        return value
