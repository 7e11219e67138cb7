"""Consent: who allowed which use, on which notice, and since when not any more.

Purposes do not imply each other: memory without history, history without memory, `sensitive` only beside memory.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from oblio.model.ids import DEFAULT_TENANT, SubjectId, TenantId


class Purpose(StrEnum):
    """What data may be kept or used for."""

    MEMORY = "memory"
    HISTORY = "history"
    SENSITIVE = "sensitive"
    ANALYTICS = "analytics"


class Basis(StrEnum):
    """Legal basis of a grant. Only history may rest on contract (GDPR article 6(1)(b)); the others on consent."""

    CONSENT = "consent"
    CONTRACT = "contract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One grant of one purpose; withdrawn when `withdrawn_at` is set. Rows are added, not rewritten."""

    tenant: TenantId = DEFAULT_TENANT
    subject: SubjectId
    purpose: Purpose
    basis: Basis = Basis.CONSENT
    notice: str
    """Version of the notice the person saw: a token chosen by the operator, never text."""
    role: str = "subject"
    granted_at: datetime
    withdrawn_at: datetime | None = None


def needed(kind: str, /) -> frozenset[Purpose]:
    """Return the purposes that must stand for a memory of this kind to be written or used."""
    return frozenset({Purpose.MEMORY, Purpose.SENSITIVE} if kind == "sensitive" else {Purpose.MEMORY})


def live(grants: tuple[Grant, ...], /) -> frozenset[Purpose]:
    """Return the purposes that stand: granted and not withdrawn; `sensitive` only while `memory` stands too."""
    standing = frozenset(g.purpose for g in grants if g.withdrawn_at is None)
    return standing if Purpose.MEMORY in standing else standing - {Purpose.SENSITIVE}
