"""Erasure requests, their steps, the items of their plans, and what is left to rebuild."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from oblio.errors.storage import RowMissing
from oblio.model.erasure import OPEN, UNFINISHED, Erasure, PlanItem, Step
from oblio.model.ids import ItemId, RequestId, SubjectId
from oblio.ports.tables import Rebuild
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session, among, is_

_E = schema.erasures.c
_ALL = sa.select(*columns_of(schema.erasures, Erasure)).order_by(_E.seq)
_GET = _ALL.where(is_(_E.request))
_FIND = _ALL.where(is_(_E.subject), is_(_E.idempotency))
_OF = _ALL.where(is_(_E.subject))
_OPEN = _ALL.where(among(_E.state))
_UPDATE = sa.update(schema.erasures).where(is_(_E.request, "key"))

_S = schema.erasure_steps.c
_STEP_KEY = ("name", "target", "level")
_STEPS = sa.select(*columns_of(schema.erasure_steps, Step)).where(is_(_S.request)).order_by(_S.seq)
_PUT_STEP = sa.update(schema.erasure_steps).where(
    is_(_S.request, "key"), *(is_(_S[name], f"key_{name}") for name in _STEP_KEY)
)

_P = schema.erasure_plans.c
_PLAN = sa.select(*columns_of(schema.erasure_plans, PlanItem)).where(is_(_P.request)).order_by(_P.seq)
_DROP_PLAN = sa.delete(schema.erasure_plans).where(is_(_P.request))

_R = schema.rebuilds.c
_REBUILDS = (
    sa.select(*columns_of(schema.rebuilds, Rebuild))
    .where(_R.attempts < sa.bindparam("below"))
    .order_by(_R.seq)
    .limit(sa.bindparam("size", type_=sa.Integer))
)
_QUEUED = sa.select(sa.func.count()).select_from(schema.rebuilds).where(is_(_R.request))
_PUT_REBUILD = sa.update(schema.rebuilds).where(is_(_R.item, "key"))
_DROP_REBUILD = sa.delete(schema.rebuilds).where(is_(_R.item))


class SqlErasures:
    """`Erasures` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def _many(self, statement: sa.Select[Any], **values: object) -> Sequence[Erasure]:
        return [value_of(Erasure, row) for row in self._session.rows(statement, values)]

    def add(self, row: Erasure, steps: Sequence[Step], plan: Sequence[PlanItem], /) -> None:
        """Insert a request with its steps and its plan.

        Raises:
            RowExists: the request is there, or two steps are the same.
        """
        self._session.change(sa.insert(schema.erasures).inline(), values_of(row))
        of = {"request": row.request}
        self._session.change_many(sa.insert(schema.erasure_steps).inline(), [{**of, **values_of(s)} for s in steps])
        self._session.change_many(sa.insert(schema.erasure_plans).inline(), [{**of, **values_of(p)} for p in plan])

    def get(self, request: RequestId, /) -> Erasure | None:
        """Return one request."""
        return next(iter(self._many(_GET, request=request)), None)

    def put(self, row: Erasure, /) -> None:
        """Write every changeable column.

        Raises:
            RowMissing: there is no such request.
        """
        if not self._session.change(_UPDATE, {**values_of(row), "key": row.request}):
            raise RowMissing(table="erasures")

    def find(self, subject: SubjectId, idempotency: bytes, /) -> Erasure | None:
        """Return the request of a subject with this digest of an idempotency key."""
        return next(iter(self._many(_FIND, subject=subject, idempotency=idempotency)), None)

    def of(self, subject: SubjectId, /) -> Sequence[Erasure]:
        """Return the requests of one subject, oldest first."""
        return self._many(_OF, subject=subject)

    def open(self) -> Sequence[Erasure]:
        """Return requests that are locked or in progress, oldest first."""
        return self._many(_OPEN, among=sorted(OPEN))

    def unfinished(self) -> Sequence[Erasure]:
        """Return requests that have not reached their end, those that wait for a person among them, oldest first."""
        return self._many(_OPEN, among=sorted(UNFINISHED))

    def steps(self, request: RequestId, /) -> tuple[Step, ...]:
        """Return the steps of one request in the order they were given."""
        return tuple(value_of(Step, row) for row in self._session.rows(_STEPS, {"request": request}))

    def put_step(self, request: RequestId, step: Step, /) -> None:
        """Write outcome, count, reason and attempts of the step with this name, target and level.

        Raises:
            RowMissing: the request has no such step.
        """
        values = values_of(step)
        key = {f"key_{name}": values.pop(name) for name in _STEP_KEY}
        if not self._session.change(_PUT_STEP, {**values, **key, "key": request}):
            raise RowMissing(table="erasure_steps")

    def plan(self, request: RequestId, /) -> tuple[PlanItem, ...]:
        """Return the items of a plan in the order they were given."""
        return tuple(value_of(PlanItem, row) for row in self._session.rows(_PLAN, {"request": request}))

    def put_plan(self, request: RequestId, plan: Sequence[PlanItem], /) -> None:
        """Replace the items of a plan."""
        self.drop_plan(request)
        rows = [{**values_of(item), "request": request} for item in plan]
        self._session.change_many(sa.insert(schema.erasure_plans).inline(), rows)

    def drop_plan(self, request: RequestId, /) -> None:
        """Delete the items of a plan."""
        self._session.change(_DROP_PLAN, {"request": request})

    def add_rebuilds(self, rows: Sequence[Rebuild], /) -> None:
        """Note items to rebuild; one that is noted already is replaced."""
        for row in rows:
            if not self._put_rebuild(row):
                self._session.change(sa.insert(schema.rebuilds).inline(), values_of(row))

    def rebuilds(self, *, below: int, limit: int) -> Sequence[Rebuild]:
        """Return what is left to rebuild and was tried fewer than `below` times, oldest first."""
        return [value_of(Rebuild, row) for row in self._session.rows(_REBUILDS, {"below": below, "size": limit})]

    def queued(self, request: RequestId, /) -> int:
        """Return how many items of one request wait to be made anew."""
        return self._session.number(_QUEUED, {"request": request}) or 0

    def _put_rebuild(self, row: Rebuild) -> int:
        values = values_of(row)
        return self._session.change(_PUT_REBUILD, {**values, "key": values.pop("item")})

    def put_rebuild(self, row: Rebuild, /) -> None:
        """Replace a rebuild that is noted; quiet when there is none."""
        self._put_rebuild(row)

    def drop_rebuild(self, item: ItemId, /) -> None:
        """Delete a rebuild; quiet when there is none."""
        self._session.change(_DROP_REBUILD, {"item": item})
