"""The register of grants. A grant is the first thing that can exist of a person; without one nothing is written."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.errors.consent import BadNotice, BasisNotAllowed, NeedsMemory, UnknownPurpose
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.consent import Basis, Grant, Purpose
from oblio.model.retention import POLICY
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Person
from oblio.ports.gate import Gate
from oblio.ports.notary import Notary
from oblio.ports.store import Transaction

_NOTICE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class ConsentRegister:
    """Grants and withdrawals of one store."""

    fence: Fence
    notary: Notary
    gate: Gate

    def grant(self, tx: Transaction, ticket: Ticket, grant: Grant, /) -> None:
        """Store a grant that `checked` made; a grant that stands already with the same notice changes nothing.

        Raises:
            NeedsMemory: `sensitive` without a standing `memory`.
            NameRefused: the notice version tells something about a person.
        """
        self.gate.name(grant.notice)
        person = self.fence.enter(tx, ticket)
        if grant.purpose is Purpose.SENSITIVE and Purpose.MEMORY not in person.purposes:
            raise NeedsMemory
        standing = [g for g in tx.consents.of(ticket.subject) if g.purpose is grant.purpose and g.withdrawn_at is None]
        if any(g.notice == grant.notice and g.basis is grant.basis for g in standing):
            return
        tx.consents.withdraw(ticket.subject, grant.purpose, at=grant.granted_at)
        tx.consents.add(grant)
        self._note(tx, person, AuditAction.CONSENT_GRANTED, grant.purpose, now=grant.granted_at)

    def withdraw(self, tx: Transaction, ticket: Ticket, purpose: Purpose, /, *, now: datetime) -> bool:
        """End a purpose at once. Return whether it stood; use stops with this commit, nothing is erased by it.

        `sensitive` ends with `memory`: allowing memory again later must not revive it (rule X24).
        """
        person = self.fence.enter(tx, ticket)
        ended = {
            each
            for each in ((purpose, Purpose.SENSITIVE) if purpose is Purpose.MEMORY else (purpose,))
            if tx.consents.withdraw(ticket.subject, each, at=now) > 0
        }
        for each in sorted(ended):
            self._note(tx, person, AuditAction.CONSENT_WITHDRAWN, each, now=now)
        return purpose in ended

    def _note(
        self, tx: Transaction, person: Person, action: AuditAction, purpose: Purpose, /, *, now: datetime
    ) -> None:
        profile = self.fence.profile(tx, person)
        self.notary.record(
            tx,
            AuditEntry(
                time=now,
                action=action,
                subject=profile.token,
                target=purpose.value,
                actor=ActorRole.SUBJECT,
                policy=POLICY,
            ),
        )


def purpose_of(value: str, /) -> Purpose:
    """Return the purpose of this name.

    Raises:
        UnknownPurpose: there is none.
    """
    try:
        return Purpose(value)
    except ValueError:
        raise UnknownPurpose from None


def checked(ticket: Ticket, purpose: Purpose, /, *, notice: str, basis: Basis, now: datetime) -> Grant:
    """Return a grant whose fields may be stored.

    Raises:
        BadNotice: the notice version is not a token; it would be a place to put text.
        BasisNotAllowed: a purpose other than history on another basis than consent (GDPR articles 6 and 9).
    """
    if not isinstance(notice, str) or _NOTICE.fullmatch(notice) is None:
        raise BadNotice
    if basis is not Basis.CONSENT and purpose is not Purpose.HISTORY:
        raise BasisNotAllowed(purpose=purpose.value)
    return Grant(
        tenant=ticket.tenant, subject=ticket.subject, purpose=purpose, basis=basis, notice=notice, granted_at=now
    )
