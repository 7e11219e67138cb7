"""Looking again at an erasure, at any later time: over a fresh connection, without trusting what the request says.

While a request is unfinished its plan names every item, and each is read again. Once it is completed the plan and the
request's own key are gone, so its items cannot be told from those of other erasures any more. What can still be read:

* the person, for a request about a person: no key, no item, no consent, no way to find them;
* the request's own key and sealed targets: gone;
* everything that the ledger in the key place names - the units of this request among those of all others - has neither
  ciphertext nor a wrapped key in the database.
"""

from dataclasses import dataclass

from oblio.erasure.steps import ITEMS, Verifier, step
from oblio.errors.erasure import UnknownRequest
from oblio.model.erasure import Erasure, Outcome, ScopeKind, State
from oblio.model.ids import HolderId, RequestId, SubjectId, UnitId
from oblio.model.memory import ItemType
from oblio.model.subject import HolderState
from oblio.ports.keys import Ledger
from oblio.ports.store import Store, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was found. Every count that ends in `left` is 0 in a sound store once a request is completed."""

    request: RequestId
    state: State
    person_left: int | None
    """Rows that still belong to the person; `None` when the request was not about a whole person."""
    request_left: int
    """Rows of the request's own key and targets; an unfinished request has them and needs them."""
    named: int
    """Ids in the erasure ledger, of all requests."""
    units_left: int
    """Those of `named` that still have ciphertext or a wrapped key."""
    plan_left: bool | None
    """Whether something of the plan can still be read, as it can while it is only locked; `None` when the plan is gone,
    as it is after completion."""

    @property
    def clean(self) -> bool:
        """Whether nothing was found that must not be there."""
        finished = self.state is not State.COMPLETED or self.request_left == 0
        return finished and not (self.person_left or self.units_left or self.plan_left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """Looks. It changes nothing."""

    store: Store
    ledger: Ledger
    verifier: Verifier

    def again(self, request: RequestId, /) -> Look:
        """Look again at one request.

        Raises:
            UnknownRequest: there is none.
            LedgerForged: the ledger was changed.
        """
        named = self.ledger.ids()
        with self.store.fresh() as tx:
            row = tx.erasures.get(request)
            if row is None:
                raise UnknownRequest
            return Look(
                request=request,
                state=row.state,
                person_left=self._person(tx, row),
                request_left=_own(tx, request),
                named=len(named),
                units_left=_units(tx, [UnitId(each) for each in named]),
                plan_left=self._plan(tx, row),
            )

    def _person(self, tx: Transaction, row: Erasure, /) -> int | None:
        if row.scope is not ScopeKind.SUBJECT:
            return None
        if row.subject is None:
            return 0
        holder = tx.holders.get(row.subject)
        alive = holder is None or holder.state is not HolderState.ERASED or holder.slot is not None
        found = int(alive or (holder is not None and holder.lookup is not None))
        found += len(tx.items.of(row.subject, types=frozenset(ItemType)))
        found += len(tx.consents.of(row.subject)) + len(tx.subject_keys.get(row.subject))
        return found + len(tx.unit_keys.of(row.subject, after=0, limit=1))

    def _plan(self, tx: Transaction, row: Erasure, /) -> bool | None:
        plan = tx.erasures.plan(row.request)
        if not plan:
            return None
        done = step(tx.erasures.steps(row.request), ITEMS)
        return self.verifier.read_back(row, plan, done).outcome is Outcome.FAILED


def _own(tx: Transaction, request: RequestId, /) -> int:
    targets = tx.items.of(SubjectId(request), types=frozenset({ItemType.TARGET}))
    wraps = tx.unit_keys.of(request, after=0, limit=1)
    return len(targets) + len(wraps) + int(tx.holders.get(HolderId(request)) is not None)


def _units(tx: Transaction, named: list[UnitId], /) -> int:
    held = {row.unit for row in tx.unit_keys.holders(named)}
    return len(held | tx.contents.get(named).keys())
