"""Making derived items, and making them anew when an erasure took one of their sources.

A rebuild starts from the sources that remain, never from the old text (rule X8). Its result is stored only if, in the
transaction that stores it, the same sources are still there in the same versions, the owner's generation and consent
still stand, and the filter lets the text through. Otherwise the item stays blank.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from oblio.errors.access import (
    ErasedSource,
    NoSources,
    SubjectErased,
    SubjectLocked,
    TooDeep,
    UnknownDeriver,
    UnknownItem,
)
from oblio.errors.provenance import DeriverFailed
from oblio.errors.vault import KeyDestroyed
from oblio.model.consent import Purpose
from oblio.model.ids import ItemId, SubjectId, UnitId, new_id
from oblio.model.memory import DERIVED, Derived, Item, ItemState, ItemType, Kept, Recipe, Refused
from oblio.model.provenance import MAX_DEPTH, topological
from oblio.model.retention import is_expired
from oblio.model.screening import Reason, Screened, Verdict
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Person
from oblio.ports.body import TextBody
from oblio.ports.gate import Gate
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import Rebuild
from oblio.provenance.derivers import Derivers, token

DERIVED_ONLY: Final = frozenset({ItemType.DERIVED})
MAX_ATTEMPTS: Final = 5
"""Tries of one rebuild by itself; after that the item stays blank until somebody derives it anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The sources of one item as they were read, in the order they were written."""

    texts: tuple[str, ...] = field(repr=False)
    digest: bytes
    withheld: int
    """Sources that are there and whose owner does not allow this use, or is being erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Derived items of one store."""

    store: Store
    keys: Keys
    fence: Fence
    gate: Gate
    derivers: Derivers

    def derive(self, ticket: Ticket, recipe: Recipe, /, *, now: datetime) -> Kept | Refused:
        """Make and store one derived item.

        Raises:
            NoSources: no source is named (rule X6).
            TooManySources, TooDeep, ErasedSource: see the fence.
            UnknownItem: a source is nobody's, somebody else's, blank or expired.
            UnknownDeriver, DeriverFailed: nothing to make it with.
        """
        if not recipe.sources:
            raise NoSources
        name = token(recipe.name)
        self.gate.name(name)
        version, _ = self.derivers.get(recipe.deriver)
        with self.store.read() as tx:
            person = self._enter(tx, ticket, recipe)
            material = self._material(tx, recipe.sources, now=now)
            if material.withheld or Purpose.MEMORY not in person.purposes:
                return Refused(reasons=(Reason.CONSENT_MISSING,))
            if len(material.texts) < len(set(recipe.sources)):
                raise UnknownItem
        text = self._run(recipe.deriver, material.texts) if recipe.text is None else recipe.text
        verdict, screened = self._screen(text, person)
        if screened is None:
            return Refused(reasons=verdict.reasons)
        item = _item(person, recipe, name=name, version=version, now=now)
        with self.store.write() as tx:
            person = self._enter(tx, ticket, recipe)
            again = self._material(tx, recipe.sources, now=now)
            if again.withheld or Purpose.MEMORY not in person.purposes:
                return Refused(reasons=(Reason.CONSENT_MISSING,))
            if again.digest != material.digest:
                raise ErasedSource(count=1)
            self.fence.check_new(tx, item)
            tx.items.add(item)
            self.keys.seal(tx, TextBody.of(screened).encode(), binding_of(item), holders=(person.subject,))
            tx.edges.add(item.item, recipe.sources)
        return Kept(id=item.item, reasons=verdict.reasons)

    def derived(self, ticket: Ticket, /, *, now: datetime) -> Sequence[Derived]:
        """Return the person's derived items, newest first.

        One that is blank has no text, nor has one with a source that has expired: it may still say what that said.
        """
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            rows = tx.items.of(person.subject, types=DERIVED_ONLY)
            stale = expired(tx, rows, now=now)
            shown = [binding_of(row) for row in rows if row.unit and row.item not in stale]
            bodies = self.keys.open(tx, person.subject, shown)
            sources = tx.edges.sources([row.item for row in rows])
        return [_derived(row, bodies, sources.get(row.item, frozenset())) for row in rows]

    def rebuild_all(self, *, now: datetime, limit: int = 100) -> int:
        """Work on what erasures and corrections left blank. Return how many items were made anew.

        An item waits while one of its sources is blank and waiting too, so sources come before what needs them.
        """
        made = 0
        with self.store.read() as tx:
            jobs = tx.erasures.rebuilds(below=MAX_ATTEMPTS, limit=limit)
            sources = tx.edges.sources([job.item for job in jobs])
        waiting = {job.item: job for job in jobs}
        for item in topological({item: sources.get(item, frozenset()) for item in waiting}):
            if not any(source in waiting for source in sources.get(item, frozenset())):
                job = waiting[item]
                outcome = self._rebuild(job, now=now)
                made += outcome is True
                if outcome is not None:
                    del waiting[item]
        return made

    def _rebuild(self, job: Rebuild, /, *, now: datetime) -> bool | None:
        """Return true when made anew, false when it stays blank for good, `None` when it is to be tried again."""
        try:
            made = self._remake(job, now=now)
        except DeriverFailed:
            with self.store.write() as tx:
                tx.erasures.put_rebuild(replace(job, attempts=job.attempts + 1))
            return None
        except (UnknownDeriver, KeyDestroyed):
            # Nobody registered it in this process yet, or a source's owner is being erased right now.
            return None
        except (SubjectErased, SubjectLocked, UnknownItem):
            made = False
        if made is not None:
            with self.store.write() as tx:
                tx.erasures.drop_rebuild(job.item)
        return made

    def _remake(self, job: Rebuild, /, *, now: datetime) -> bool | None:
        """Like `_rebuild`; `None` when the sources changed meanwhile and the item is still blank."""
        with self.store.read() as tx:
            found = self._blank(tx, job)
            if found is None:
                return False
            row, person, sources = found
            material = self._material(tx, sources, now=now)
        if not material.texts or Purpose.MEMORY not in person.purposes:
            return False
        name = (row.deriver or "").partition("/")[0]
        text = self._run(name, material.texts)
        _, screened = self._screen(text, person)
        if screened is None:
            return False
        with self.store.write() as tx:
            again = self._blank(tx, job)
            if again is None or Purpose.MEMORY not in again[1].purposes:
                return False
            if self._material(tx, again[2], now=now).digest != material.digest:
                return None
            version, _ = self.derivers.get(name)
            unit = UnitId(new_id())
            row = replace(
                row, unit=unit, version=row.version + 1, state=ItemState.LIVE, saved=now, deriver=f"{name}/{version}"
            )
            self.keys.seal(tx, TextBody.of(screened).encode(), binding_of(row), holders=(row.subject,))
            tx.items.put(row)
        return True

    def _blank(self, tx: Transaction, job: Rebuild, /) -> tuple[Item, Person, tuple[ItemId, ...]] | None:
        row = tx.items.get(job.subject, job.item)
        if row is None or row.state is not ItemState.BLANK:
            return None
        ticket = Ticket(tenant=job.tenant, subject=job.subject, generation=row.generation)
        person = self.fence.enter(tx, ticket)
        return row, person, tuple(sorted(tx.edges.sources((row.item,)).get(row.item, frozenset())))

    def _enter(self, tx: Transaction, ticket: Ticket, recipe: Recipe, /) -> Person:
        person = self.fence.enter(tx, ticket)
        owners = (person, *(self.fence.enter(tx, other) for other in recipe.others))
        self.fence.check_sources(tx, owners, recipe.sources)
        if _depth(tx, recipe.sources) >= MAX_DEPTH:
            raise TooDeep(limit=MAX_DEPTH)
        return person

    def _material(self, tx: Transaction, sources: Sequence[ItemId], /, *, now: datetime) -> Material:
        rows = sorted(tx.items.any(sources).values(), key=lambda row: row.seq)
        stale = expired(tx, rows, now=now)
        there = [row for row in rows if row.unit and row.state is ItemState.LIVE and row.item not in stale]
        owners = {owner: self._owner(tx, owner, there) for owner in dict.fromkeys(row.subject for row in there)}
        usable = [row for row in there if _allows(owners[row.subject], row)]
        texts: dict[ItemId, str] = {}
        for owner in dict.fromkeys(row.subject for row in usable):
            bound = {row.item: binding_of(row) for row in usable if row.subject == owner}
            bodies = self.keys.open(tx, owner, list(bound.values()))
            texts.update(
                {item: TextBody.decode(bodies[at.unit]).text for item, at in bound.items() if at.unit in bodies}
            )
        line = "\n".join(f"{row.item}:{row.unit}" for row in usable)
        return Material(
            texts=tuple(texts[row.item] for row in usable if row.item in texts),
            digest=sha256(line.encode()).digest(),
            withheld=len(there) - len(usable),
        )

    def _owner(self, tx: Transaction, owner: SubjectId, rows: Sequence[Item], /) -> Person | None:
        """Return the person who owns sources, `None` when an erasure of them is under way or done."""
        mine = next(row for row in rows if row.subject == owner)
        try:
            return self.fence.enter(tx, Ticket(tenant=mine.tenant, subject=owner, generation=mine.generation))
        except (SubjectErased, SubjectLocked):
            return None

    def _run(self, name: str, texts: Sequence[str], /) -> str:
        _, function = self.derivers.get(name)
        text: object = None
        # Host code: its error may repeat what it was given. Ours is raised outside the block, so that it does not even
        # hang on ours as its context.
        with suppress(Exception):
            text = function(texts)
        if not isinstance(text, str) or not text.strip():
            raise DeriverFailed
        return text

    def _screen(self, text: str, person: Person, /) -> tuple[Verdict, Screened | None]:
        return self.gate.screen(text, kind=None, field="derived", consents=person.consents)


def _allows(owner: Person | None, row: Item) -> bool:
    """Say whether the standing consents of a source's own owner allow making something of it."""
    if owner is None or Purpose.MEMORY not in owner.purposes:
        return False
    if row.type is ItemType.MESSAGE:
        return Purpose.HISTORY in owner.purposes
    return row.type is not ItemType.MEMORY or owner.permits(row.kind)


def _item(person: Person, recipe: Recipe, *, name: str, version: str, now: datetime) -> Item:
    return Item(
        tenant=person.tenant,
        subject=person.subject,
        item=recipe.item or ItemId(new_id()),
        type=ItemType.DERIVED,
        kind=name,
        deletion_class=DERIVED.name,
        unit=UnitId(new_id()),
        generation=person.generation,
        saved=now,
        deriver=f"{recipe.deriver}/{version}",
    )


def _depth(tx: Transaction, sources: Sequence[ItemId], /) -> int:
    """Return the longest chain below `sources`, at most `MAX_DEPTH`."""
    level, depth = frozenset(sources), 0
    while level and depth < MAX_DEPTH:
        found = tx.edges.sources(level)
        level = frozenset(source for mine in found.values() for source in mine)
        depth += 1
    return depth


def expired(tx: Transaction, rows: Sequence[Item], /, *, now: datetime) -> frozenset[ItemId]:
    """Return those of `rows` that have expired, or were made, over any depth, from something that has."""
    known = {row.item: row for row in rows}
    edges: dict[ItemId, frozenset[ItemId]] = {}
    level = frozenset(known)
    while level:
        found = tx.edges.sources(level)
        edges.update(found)
        level = frozenset(source for mine in found.values() for source in mine) - known.keys()
        known.update(tx.items.any(level))
    gone = {item for item, row in known.items() if is_expired(row.expires, now=now)}
    for item in topological(edges):
        if edges[item] & gone:
            gone.add(item)
    return frozenset(gone & {row.item for row in rows})


def _derived(row: Item, bodies: Mapping[UnitId, bytes], sources: frozenset[ItemId]) -> Derived:
    body = bodies.get(row.unit) if row.unit else None
    return Derived(
        id=row.item,
        name=row.kind,
        deriver=row.deriver or "",
        text=None if body is None else TextBody.decode(body).text,
        state=row.state,
        saved=row.saved,
        sources=tuple(sorted(sources)),
    )
