"""What a scope comes to: the items it names, everything made from them, and what stays although it is near."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from oblio.errors.access import SourceCycle, UnknownItem
from oblio.model.erasure import Plan, PlanAction, PlanItem, Scope, ScopeKind
from oblio.model.ids import ItemId, SubjectId
from oblio.model.memory import Item, ItemType
from oblio.model.provenance import cascade
from oblio.ports.access import Person
from oblio.ports.store import Transaction

FORGETTABLE: Final = frozenset({ItemType.MEMORY, ItemType.DERIVED})
"""What an item scope may name."""

_INTERNAL: Final = frozenset({ItemType.PROFILE, ItemType.SEGMENT, ItemType.TARGET})
"""Types that a person never sees as items; they are erased with the rest and counted under their own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """Every item that vanishes or is blanked, with the row it has now."""

    erase: Mapping[ItemId, Item]
    blank: Mapping[ItemId, Item]

    @property
    def owners(self) -> frozenset[SubjectId]:
        """Whose items these are."""
        return frozenset(row.subject for rows in (self.erase, self.blank) for row in rows.values())


def closure(tx: Transaction, roots: Iterable[ItemId], /) -> Closure:
    """Follow provenance from `roots` over every depth and owner (rules X7, X8).

    Only a derived item can be made anew. A memory that loses one of its sources is erased, openly in the plan, rather
    than left without a text for ever.

    Raises:
        SourceCycle: the database was changed from outside; the whole person can still be erased.
    """
    start = frozenset(roots)
    while True:
        made = users_of(tx, start)
        try:
            fate = cascade(start, tx.edges.sources(made) if made else {})
        except ValueError:  # nothing writes a cycle but somebody behind our back
            raise SourceCycle from None
        rows = tx.items.any(start | {*fate.erase, *fate.blank})
        lost = frozenset(item for item in fate.blank if item in rows and rows[item].type is not ItemType.DERIVED)
        if not lost:
            return Closure(
                erase={item: rows[item] for item in (*sorted(start), *fate.erase) if item in rows},
                blank={item: rows[item] for item in fate.blank if item in rows},
            )
        start |= lost


def users_of(tx: Transaction, items: frozenset[ItemId], /) -> frozenset[ItemId]:
    """Return everything that was made from `items`, over any depth, without `items` themselves."""
    seen, level = set(items), items
    while level:
        level = frozenset(user for users in tx.edges.users(level).values() for user in users) - seen
        seen |= level
    return frozenset(seen - items)


def downstream(tx: Transaction, item: ItemId, /) -> Closure:
    """Return the derived items made from one that is being corrected: all are blanked, nothing vanishes.

    Memories that name it as a source stay: they are statements of their own.
    """
    rows = tx.items.any(users_of(tx, frozenset({item})))
    return Closure(erase={}, blank={each: row for each, row in rows.items() if row.type is ItemType.DERIVED})


def roots(tx: Transaction, person: Person, scope: Scope, /, *, types: frozenset[ItemType]) -> frozenset[ItemId]:
    """Return the items that a scope names.

    Raises:
        UnknownItem: one is not this person's, or is nothing that can be forgotten by itself.
    """
    if scope.kind is ScopeKind.SUBJECT:
        return frozenset(row.item for row in tx.items.of(person.subject, types=frozenset(ItemType)))
    rows = tx.items.any(scope.items)
    for item in scope.items:
        row = rows.get(item)
        if row is None or row.subject != person.subject or row.type not in types:
            raise UnknownItem
    return frozenset(scope.items)


def make(tx: Transaction, person: Person, scope: Scope, /, *, types: frozenset[ItemType] = FORGETTABLE) -> Plan:
    """Return the plan of a scope as things stand in this transaction."""
    named = roots(tx, person, scope, types=types)
    found = closure(tx, named)
    spent = _spent(tx, person, scope, named)
    items = [*touched(found), *(_plan_item(row, PlanAction.SPEND) for row in spent)]
    counts = Counter(row.type.value for row in found.erase.values() if row.type not in _INTERNAL)
    return Plan(
        scope=scope,
        generation=person.generation,
        items=tuple(items),
        counts=dict(sorted(counts.items())),
        blanked=len(found.blank),
        stays={"source_message": len(spent)} if spent else {},
    )


def touched(found: Closure, /) -> tuple[PlanItem, ...]:
    """Return the items of a plan that a closure erases and blanks."""
    return (
        *(_plan_item(row, PlanAction.ERASE) for row in found.erase.values()),
        *(_plan_item(row, PlanAction.BLANK) for row in found.blank.values()),
    )


def _plan_item(row: Item, action: PlanAction, /) -> PlanItem:
    return PlanItem(item=row.item, subject=row.subject, unit=row.unit, action=action)


def _spent(tx: Transaction, person: Person, scope: Scope, named: frozenset[ItemId], /) -> list[Item]:
    """Return the messages that a forgotten memory came from: they stay, and are never extracted again."""
    if scope.kind is ScopeKind.SUBJECT:
        return []
    direct = frozenset(source for mine in tx.edges.sources(named).values() for source in mine)
    rows = tx.items.any(direct - named)
    return [row for _, row in sorted(rows.items()) if row.type is ItemType.MESSAGE and row.subject == person.subject]
