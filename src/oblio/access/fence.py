"""Admission of subjects and the fence that every read and write passes.

Invariants: the first grant makes the row of a person and nothing before it does; a ticket counts only while its
generation is the subject's; what a person is called is sealed with the person, and found through an HMAC that the lock
of an erasure removes in its own transaction.
"""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from oblio.errors.access import AlreadyThere, ErasedSource, SubjectErased, SubjectLocked, TooManySources, UnknownItem
from oblio.errors.vault import ContentForged
from oblio.model.consent import live
from oblio.model.ids import HolderId, ItemId, SubjectId, TenantId, UnitId, new_id
from oblio.model.memory import PROFILE, Item, ItemState, ItemType
from oblio.model.provenance import MAX_SOURCES
from oblio.model.subject import Holder, HolderState, Ticket
from oblio.ports.access import Person, Profile
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Transaction

_FORMAT = 1
_NAMEABLE = frozenset({ItemType.MEMORY, ItemType.MESSAGE, ItemType.DERIVED})
"""What a write may name as its source: texts, not profiles, recall blocks or targets of requests."""


@dataclass(frozen=True, slots=True)
class SubjectFence:
    """Implements `ports.access.Fence` over the vault."""

    keys: Keys

    def find(self, tx: Transaction, tenant: TenantId, external: str, /) -> Ticket | None:
        """Return a ticket for the person of this external id, `None` while there is none.

        Raises:
            ContentForged: the row that was found is sealed as somebody else's: the database was changed from outside.
        """
        row = tx.holders.find(self.keys.lookup(tenant, external))
        if row is None:
            return None
        ticket = Ticket(tenant=tenant, subject=SubjectId(row.holder), generation=row.generation)
        sealed = self._profile(tx, ticket.subject)
        if row.tenant != tenant or not hmac.compare_digest(sealed.external.encode(), external.encode()):
            raise ContentForged
        return ticket

    def admit(self, tx: Transaction, tenant: TenantId, external: str, /, *, now: datetime) -> Ticket:
        """Return the ticket of this person, with a fresh key, profile and row if there is none yet."""
        found = self.find(tx, tenant, external)
        if found is not None:
            return found
        subject = SubjectId(HolderId(new_id()))
        holder = self.keys.admit(tx, Holder(tenant=tenant, holder=subject, lookup=self.keys.lookup(tenant, external)))
        profile = Profile(external=external, token=new_id(), index_key=secrets.token_bytes(32))
        item = Item(
            tenant=tenant, subject=subject, item=ItemId(new_id()), type=ItemType.PROFILE, kind=ItemType.PROFILE,
            deletion_class=PROFILE.name, unit=UnitId(new_id()), generation=holder.generation, saved=now,
        )  # fmt: skip
        tx.items.add(item)
        self.keys.seal(tx, _encode(profile), binding_of(item), holders=(subject,))
        return Ticket(tenant=tenant, subject=subject, generation=holder.generation)

    def enter(self, tx: Transaction, ticket: Ticket, /) -> Person:
        """See `ports.access.Fence.enter`."""
        row = tx.holders.get(ticket.subject)
        if row is None or row.state is HolderState.ERASED:
            raise SubjectErased
        if row.state is HolderState.LOCKED:
            raise SubjectLocked
        if row.generation != ticket.generation or row.tenant != ticket.tenant:
            raise SubjectErased
        return Person(
            tenant=ticket.tenant,
            subject=ticket.subject,
            generation=row.generation,
            purposes=live(tx.consents.of(ticket.subject)),
        )

    def check_sources(self, tx: Transaction, owners: Sequence[Person], sources: Sequence[ItemId], /) -> None:
        """See `ports.access.Fence.check_sources`."""
        if len(sources) > MAX_SOURCES:
            raise TooManySources(count=len(sources), limit=MAX_SOURCES)
        if gone := tx.tombstones.among(sources):
            raise ErasedSource(count=len(gone))
        rows = tx.items.any(sources)
        if spent := sum(row.state is ItemState.SPENT for row in rows.values()):
            raise ErasedSource(count=spent)
        allowed = {person.subject for person in owners}
        for source in sources:
            row = rows.get(source)
            if row is None or row.subject not in allowed or row.type not in _NAMEABLE:
                raise UnknownItem

    def check_new(self, tx: Transaction, item: Item, /) -> None:
        """See `ports.access.Fence.check_new`."""
        if tx.tombstones.among((item.item,)):
            raise ErasedSource(count=1)
        if tx.items.any((item.item,)):
            raise AlreadyThere

    def profile(self, tx: Transaction, person: Person, /) -> Profile:
        """See `ports.access.Fence.profile`."""
        return self._profile(tx, person.subject)

    def _profile(self, tx: Transaction, subject: SubjectId, /) -> Profile:
        for item in tx.items.of(subject, types=frozenset({ItemType.PROFILE}), limit=1):
            binding = binding_of(item)
            body = self.keys.open(tx, subject, (binding,)).get(binding.unit)
            if body is not None:
                return _decode(body)
        raise ContentForged


def _encode(profile: Profile) -> bytes:
    body = {"external": profile.external, "token": profile.token, "index_key": profile.index_key.hex()}
    return bytes([_FORMAT]) + json.dumps(body, ensure_ascii=False).encode()


def _decode(body: bytes) -> Profile:
    if body[0] != _FORMAT:
        raise ContentForged
    fields = json.loads(body[1:])
    return Profile(external=fields["external"], token=fields["token"], index_key=bytes.fromhex(fields["index_key"]))
