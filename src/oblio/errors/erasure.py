"""Errors about erasure requests."""

from oblio.errors.base import Fault


class PlanChanged(Fault):
    """The set of items is another one than the plan that was confirmed (rule X19)."""

    code = "erasure.plan_changed"
    says = "What would be erased has changed since the plan was made: it is {count} item(s) now. Nothing was erased."
    fix = "Look at the new plan and confirm its digest."


class ErasureNotFinal(Fault):
    """A request that has not reached its end; no proof is there yet."""

    code = "erasure.not_final"
    says = "Request {request} is {state}; no receipt was issued yet."
    fix = "It goes on by itself; `oblio erasure show {request}` says what it waits for."


class UnknownRequest(Fault):
    """A request id that does not exist, or a recovery code that does not open it."""

    code = "erasure.unknown_request"
    says = "There is no such request, or the recovery code does not open it."
    fix = "Check the request id and the code that were given when it was made."


class BadScope(Fault):
    """An erasure of nothing in particular."""

    code = "erasure.bad_scope"
    says = "An erasure names what it is about; nothing never means everything."
    fix = "Pass `Scope.of(id)` for an item, or `Scope.whole()` for the whole person."


class EraserBusy(Fault):
    """Another process is erasing and did not finish in time."""

    code = "erasure.busy"
    says = "Another process runs the erasures of this store."
    fix = "Wait for it; the request is durable and goes on there or at the next open."


class RequestDamaged(Fault):
    """A request without its sealed targets."""

    code = "erasure.damaged"
    says = "The rows of request {request} are damaged; it cannot go on. Other requests are not affected."
    fix = "Put back the newest backup of the database, then run `oblio restore`."


class StepsDamaged(Fault):
    """A request without its steps."""

    code = "erasure.steps_damaged"
    says = "The steps of a request are damaged; it cannot go on. Other requests are not affected."
    fix = "Put back the newest backup of the database, then run `oblio restore`."
