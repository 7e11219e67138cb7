"""The erasure core on fakes: a store in memory, real keys in a folder, and what a test can steer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from oblio.access.fence import SubjectFence
from oblio.erasure.correct import Corrector
from oblio.erasure.destroy import Eraser
from oblio.erasure.intake import Intake, Taken, Wish
from oblio.erasure.look import Looking
from oblio.erasure.machine import Machine
from oblio.erasure.steps import Verifier
from oblio.errors.storage import FilesRestless
from oblio.model.audit import AuditEntry
from oblio.model.consent import Grant, Purpose
from oblio.model.erasure import Erasure, Scope, ScopeKind, Step
from oblio.model.ids import DEFAULT_TENANT, ItemId, RequestId, UnitId, new_id
from oblio.model.memory import Item, ItemType
from oblio.model.subject import Ticket
from oblio.ports.body import TextBody
from oblio.ports.keys import binding_of
from oblio.ports.store import Transaction
from oblio.testing.people import NOON, found
from oblio.testing.store import MemoryStore
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace

WHOLE = Scope(kind=ScopeKind.SUBJECT)


class Crash(BaseException):
    """Ends the work at a cut."""


@dataclass
class Notary:
    """Keeps facts and fixes receipts."""

    entries: list[AuditEntry] = field(default_factory=list)
    published: int = 0
    stays: Mapping[str, int] = field(default_factory=dict)

    def record(self, tx: Transaction, entry: AuditEntry, /) -> None:
        """Keep a fact."""
        self.entries.append(entry)

    def fix(
        self, tx: Transaction, row: Erasure, steps: Sequence[Step], /, *, queued: int = 0, stays: Mapping[str, int]
    ) -> None:
        """Fix the one receipt."""
        if tx.receipts.payload(row.request) is None:
            tx.receipts.add(row.request, b"receipt")
            self.stays = stays

    def publish(self) -> None:
        """Count."""
        self.published += 1

    def document(self, request: RequestId, /) -> bytes | None:
        """No test asks."""
        raise NotImplementedError


@dataclass
class Bytes:
    """Looks for needles in what the store in memory and the key place hold; a test may hide or invent some."""

    store: MemoryStore
    place: KeyPlace
    hidden: int = 0
    """How many needles at the front are not seen."""
    invented: int = 0
    """How often every needle is seen although it is gone."""
    restless: int = 0
    """How often the files grow too fast, unless writers are kept out."""

    def found(self, needles: Sequence[bytes], /) -> frozenset[int]:
        """Search."""
        if self.restless and not self.store._writing:
            self.restless -= 1
            raise FilesRestless(tries=5)
        if self.invented:
            self.invented -= 1
            return frozenset(range(len(needles)))
        image = self.store.image()
        wraps = [row.wrapped for row in image.unit_keys.values()]
        hay = b"\0".join([*image.contents.values(), *wraps, *(path.read_bytes() for path in self.place.files())])
        return frozenset(n for n, needle in enumerate(needles) if needle in hay and n >= self.hidden)


@dataclass
class Lock:
    """The engine's lock, free or taken by another process."""

    free: bool = True

    @contextmanager
    def hold(self, *, wait: bool) -> Iterator[bool]:
        """Enter."""
        yield self.free


@dataclass
class Desk:
    """Everything that an erasure needs."""

    folder: Path
    crash_at: str | None = None
    passed: list[str] = field(default_factory=list)
    now: datetime = NOON
    work: Callable[[datetime], int] = lambda _now: 0

    def __post_init__(self) -> None:
        """Make a new store."""
        store_id = new_id()
        self.store = MemoryStore()
        self.place = KeyPlace.create(self.folder / "keys", store_id)
        found(self.store, store_id)
        self.keys = Keyring(self.place, self.store)
        self.fence = SubjectFence(self.keys)
        self.notary, self.bytes, self.lock = Notary(), Bytes(self.store, self.place), Lock()
        self.verifier = Verifier(store=self.store, residue=self.bytes)

    def cut(self, point: str) -> None:
        """Note a step, and crash where the test wants it."""
        self.passed.append(point)
        if point == self.crash_at:
            self.crash_at = None
            raise Crash

    def rebuild(self, now: datetime) -> int:
        """Do what the test wants done when blanked items are made anew."""
        return self.work(now)

    @cached_property
    def eraser(self) -> Eraser:
        return Eraser(keys=self.keys, ledger=self.place.ledger, cut=self.cut)

    @cached_property
    def intake(self) -> Intake:
        return Intake(
            store=self.store,
            keys=self.keys,
            head=self.place.head,
            fence=self.fence,
            notary=self.notary,
            eraser=self.eraser,
            cut=self.cut,
        )

    @cached_property
    def machine(self) -> Machine:
        return Machine(
            store=self.store,
            keys=self.keys,
            notary=self.notary,
            eraser=self.eraser,
            verifier=self.verifier,
            rebuild=self.rebuild,
            lock=self.lock,
            clock=lambda: self.now,
            cut=self.cut,
        )

    @cached_property
    def corrector(self) -> Corrector:
        return Corrector(
            store=self.store,
            keys=self.keys,
            head=self.place.head,
            fence=self.fence,
            notary=self.notary,
            eraser=self.eraser,
            verifier=self.verifier,
            rebuild=self.rebuild,
            lock=self.lock,
            cut=self.cut,
        )

    @cached_property
    def looking(self) -> Looking:
        return Looking(store=self.store, ledger=self.place.ledger, verifier=self.verifier)

    def admit(self, name: str = "anna") -> Ticket:
        """Return a person who allowed memory."""
        with self.store.write() as tx:
            ticket = self.fence.admit(tx, DEFAULT_TENANT, name, now=self.now)
            tx.consents.add(Grant(subject=ticket.subject, purpose=Purpose.MEMORY, notice="1", granted_at=self.now))
        return ticket

    def add(self, owner: Ticket, /, *, type_: ItemType = ItemType.MEMORY, sources: Sequence[Item] = ()) -> Item:
        """Store one item and return its row."""
        item = Item(
            subject=owner.subject,
            item=ItemId(new_id()),
            type=type_,
            kind="fact",
            deletion_class="fact",
            unit=UnitId(new_id()),
            generation=owner.generation,
            saved=self.now,
        )
        with self.store.write() as tx:
            tx.items.add(item)
            self.keys.seal(tx, TextBody(text=item.item).encode(), binding_of(item), holders=(owner.subject,))
            tx.edges.add(item.item, [source.item for source in sources])
        return item

    def take(self, ticket: Ticket, /, *items: Item, key: str | None = None, digest: str | None = None) -> Taken:
        """Take a request about items, or about the whole person when none is named."""
        scope = Scope(kind=ScopeKind.ITEM, items=tuple(item.item for item in items)) if items else WHOLE
        return self.intake.take(ticket, Wish(scope=scope, digest=digest, idempotency=key, received_at=self.now))

    def erase(self, ticket: Ticket, /, *items: Item) -> Erasure:
        """Take a request and work on it."""
        return self.machine.work(self.take(ticket, *items).row.request)

    def steps(self, row: Erasure, /) -> dict[str, Step]:
        """Return the steps of a request by name."""
        with self.store.read() as tx:
            return {step.name: step for step in tx.erasures.steps(row.request)}

    def rows(self, *items: Item) -> list[Item]:
        """Return those of the items that still have a row."""
        with self.store.read() as tx:
            return list(tx.items.any([item.item for item in items]).values())
