"""Errors about erasure requests."""

from oblio.errors.base import Fault


class PlanChanged(Fault):
    """The set of items is another one than the plan that was confirmed (rule X19)."""

    code = "erasure.plan_changed"
    says = "What would be erased has changed since the plan was made: it is {count} item(s) now. Nothing was erased."
    fix = "Look at the new plan and confirm its digest."


class ErasureNotFinal(Fault):
    """A request that has not reached its end; the content is dead, the proof is not there yet."""

    code = "erasure.not_final"
    says = "Request {request} is {state}; no receipt was issued yet."
    fix = "Run `oblio erasure show {request}`, then `oblio erasure retry {request}`."


class UnknownRequest(Fault):
    """A request id that does not exist, or a recovery code that does not open it."""

    code = "erasure.unknown_request"
    says = "There is no such request, or the recovery code does not open it."
    fix = "Check the request id and the code that were given when it was made."


class EmptyScope(Fault):
    """An erasure of nothing in particular."""

    code = "erasure.empty_scope"
    says = "An erasure names what it is about; nothing never means everything."
    fix = "Pass the id of a memory to `forget`, or call `erase()` for the whole person."


class EraserBusy(Fault):
    """Another process is erasing and did not finish in time."""

    code = "erasure.busy"
    says = "Another process runs the erasures of this store."
    fix = "Wait for it; the request is durable and goes on there or at the next open."


class StoreClosed(Fault):
    """Reading or writing an old copy before its erasures were replayed."""

    code = "store.closed"
    says = "This database is an older copy than its key place knows; {count} erasure(s) since then must be replayed."
    fix = "Run `oblio restore --db PATH`: it replays them, then the store opens."
