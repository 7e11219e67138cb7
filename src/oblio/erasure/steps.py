"""Looking again: by reading over a fresh connection, and at the bytes of every live file (rules X13, X14, K2).

A blind probe proves nothing. So the needles are looked for before anything is destroyed as well, and a check that did
not see all of them then never says `purged`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from oblio.errors.erasure import StepsDamaged
from oblio.errors.storage import FilesRestless
from oblio.model.erasure import Erasure, Level, Outcome, PlanAction, PlanItem, ScopeKind, Step
from oblio.model.ids import UnitId
from oblio.model.memory import ItemType
from oblio.model.subject import HolderState
from oblio.ports.store import Residue, Store, Transaction

ITEMS: Final = "items"
BYTES: Final = "bytes"
STORE: Final = "store"


def first_steps() -> tuple[Step, ...]:
    """Return the steps of a request about our own store, both pending; two levels, two steps (rule V6)."""
    return (
        Step(name=ITEMS, target=STORE, level=Level.LOGICAL),
        Step(name=BYTES, target=STORE, level=Level.PHYSICAL),
    )


def nothing_steps() -> tuple[Step, ...]:
    """Return the steps of a request about somebody of whom there is nothing."""
    return tuple(replace(step, outcome=Outcome.NO_DATA) for step in first_steps())


def step(steps: Sequence[Step], name: str, /) -> Step:
    """Return the step of this name.

    Raises:
        StepsDamaged: the request has none: the database was changed from outside.
    """
    for each in steps:
        if each.name == name:
            return each
    raise StepsDamaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """Decides outcomes. It changes nothing but the shape of files."""

    store: Store
    residue: Residue

    def baseline(self, needles: Sequence[bytes], /) -> int:
        """Return how many needles are in the live files now, before anything is destroyed."""
        return len(self._found(needles))

    def seen(self, needles: Sequence[bytes], /) -> int:
        """Like `baseline`, for a caller that keeps writers out already."""
        return len(self.residue.found(needles))

    def _found(self, needles: Sequence[bytes], /) -> frozenset[int]:
        """Look while others write, and keep them from it only where the files grow faster than they are read."""
        try:
            return self.residue.found(needles)
        except FilesRestless:
            with self.store.write():
                return self.residue.found(needles)

    def read_back(self, row: Erasure, plan: Sequence[PlanItem], done: Step, /) -> Step:
        """Return the logical step after reading everything again over a fresh connection."""
        with self.store.fresh() as tx:
            left = _readable(tx, row, plan)
        if left:
            return replace(done, outcome=Outcome.FAILED, reason="still_readable", attempts=done.attempts + 1)
        if done.count == 0:
            return replace(done, outcome=Outcome.NO_DATA, reason=None)
        return replace(done, outcome=Outcome.ERASED, reason=None)

    def purge(self, needles: Sequence[bytes], /) -> str | None:
        """Empty the log, look for the needles in every live file, rewrite the file if one is left.

        Returns:
            `None` when no needle is left, else a reason token: `reader_active` (try again) or `residue`.
        """
        if not self.store.settle():
            return "reader_active"
        if self._found(needles):
            self.store.compact()
            if not self.store.settle():
                return "reader_active"
            if self._found(needles):
                return "residue"
        return None

    def look(self, row: Erasure, needles: Sequence[bytes], planned: Step, /) -> Step:
        """Return the physical step after the byte check."""
        tried = replace(planned, attempts=planned.attempts + 1)
        if not needles:
            return replace(tried, outcome=Outcome.NO_DATA)
        reason = self.purge(needles)
        if reason == "reader_active":
            return replace(tried, reason=reason)
        if reason is not None:
            return replace(tried, outcome=Outcome.FAILED, reason=reason)
        if not planned.count:
            # Another request about the same items came first: what this one counted is gone, and not by it.
            return replace(tried, outcome=Outcome.NO_DATA, reason=None)
        if row.planned < len(needles):
            return replace(tried, outcome=Outcome.NOT_VERIFIED, reason="baseline_incomplete")
        return replace(tried, outcome=Outcome.PURGED, reason=None)


def _readable(tx: Transaction, row: Erasure, plan: Sequence[PlanItem], /) -> int:
    """Count what any read path still returns of what the request erased or blanked."""
    erased = [item.item for item in plan if item.action is PlanAction.ERASE]
    units: list[UnitId] = [item.unit for item in plan if item.unit and item.action is not PlanAction.SPEND]
    left = len(tx.items.any(erased)) + len(tx.contents.get(units)) + len(tx.unit_keys.holders(units))
    left += len(tx.edges.users(erased)) + len(tx.edges.sources(erased))
    if row.scope is ScopeKind.SUBJECT and row.subject is not None:
        holder = tx.holders.get(row.subject)
        gone = holder is not None and holder.state is HolderState.ERASED and holder.slot is None
        left += 0 if gone and holder is not None and holder.lookup is None else 1
        left += len(tx.consents.of(row.subject)) + len(tx.subject_keys.get(row.subject))
        left += len(tx.items.of(row.subject, types=frozenset(ItemType), limit=1))
    return left
