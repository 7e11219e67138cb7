"""What is done about each category, by field and by kind of memory.

The table is a value of the program: `DEFAULT` is what an installation runs with, and no setting changes it. A host that
builds its own `Gate` may pass another `Policy`; a cell that its table leaves out refuses. Kinds that take more need a
purpose of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol

from oblio.filter.rules.base import Rule
from oblio.model.screening import Reason


class Treatment(StrEnum):
    """What happens to one finding, mildest first."""

    KEEP = "keep"
    """Stored; the reason is still reported, so that a message with it is never promoted to a memory."""
    CUT = "cut"
    """Cut out whatever remains."""
    PSEUDONYMISE = "pseudonymise"
    """A mark takes its place where the rest still says something; otherwise the text is refused.

    No cell of `DEFAULT` does this: it is an extension for hosts with a policy of their own.
    """
    REDACT = "redact"
    """Cut out where the rest still says something; otherwise the text is refused."""
    REFUSE = "refuse"


class Marks(Protocol):
    """Marks of one subject that do not change: a value gets its mark once. An extension; the caller seals the map."""

    def mark(self, category: Reason, value: str, /) -> str:
        """Return the mark for a value, such as `phone-1`, without brackets."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRule:
    """What a kind of memory needs and takes."""

    purpose: str
    """Purpose whose live consent the kind needs."""
    takes: frozenset[Reason] = frozenset()
    """Refused categories that this kind stores."""


FIELDS: Final = ("memory", "message", "derived", "title", "name", "note")
_CUT_OUT: Final = (Reason.SECRET, Reason.PAYMENT, Reason.NATIONAL_ID)
_CONTACT: Final = (Reason.EMAIL, Reason.PHONE, Reason.ADDRESS)
_MEANING: Final = (Reason.HEALTH, Reason.ART9, Reason.THIRD_PARTY, Reason.CHILD)
_MEMORY: Final[Mapping[Reason, Treatment]] = MappingProxyType(
    dict.fromkeys((*_CUT_OUT, *_CONTACT), Treatment.REDACT) | dict.fromkeys(_MEANING, Treatment.REFUSE)
)
_MESSAGE: Final[Mapping[Reason, Treatment]] = MappingProxyType(
    dict.fromkeys(_CUT_OUT, Treatment.CUT) | dict.fromkeys((*_CONTACT, *_MEANING), Treatment.KEEP)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One version of the rules of an installation or tenant."""

    version: str = "1"
    treatments: Mapping[str, Mapping[Reason, Treatment]] = field(
        default_factory=lambda: MappingProxyType({name: _MESSAGE if name == "message" else _MEMORY for name in FIELDS})
    )
    """Per field, per category. A missing cell refuses."""
    kinds: Mapping[str, KindRule] = field(
        default_factory=lambda: MappingProxyType(
            {name: KindRule(purpose="memory") for name in ("preference", "goal", "difficulty", "fact", "session")}
            | {"sensitive": KindRule(purpose="sensitive", takes=frozenset({Reason.HEALTH, Reason.ART9}))}
        )
    )
    always_refused: frozenset[str] = frozenset({"art9.criminal_record"})
    """Ids of rules that no kind takes: GDPR article 10 does not rest on consent."""
    max_characters: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"message": 64_000}))
    """Longest text per field, in characters; 4,000 where nothing is said."""

    def limit(self, name: str, /) -> int:
        """Longest text of a field, in characters."""
        return self.max_characters.get(name, 4_000)

    def treatment(self, name: str, rule: Rule, /, *, kind: str | None) -> Treatment:
        """What to do about a finding of `rule` in field `name` of a memory of `kind`."""
        plain = self.treatments.get(name, {}).get(rule.category, Treatment.REFUSE)
        own = None if kind is None else self.kinds.get(kind)
        if own is None or plain is not Treatment.REFUSE or rule.id in self.always_refused:
            return plain
        return Treatment.KEEP if rule.category in own.takes else plain


DEFAULT: Final = Policy()
