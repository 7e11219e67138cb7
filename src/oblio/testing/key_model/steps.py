"""The operations of the model, one step at a time, and the planted mistakes in them.

A step between two commits of the real protocol is one step here, so that a crash can fall between any two of them.
Writers exclude each other; a reader may act between any two steps.
"""

# ruff: noqa: ARG001 -- every operation has the same form

from collections.abc import Iterator
from typing import Final

from oblio.testing.key_model.world import (
    EMPTY,
    Bounds,
    Reader,
    SlotFile,
    World,
    buried,
    crashed,
    free_slot,
    fresh,
    place,
    put,
    sync,
    update,
    value_at,
    zeroed,
)

MISTAKES: Final = (
    # Rule 1: a key in use is not written over where it is.
    "re-key in place",
    "a retired slot is free",
    # Rule 2: where to read and write during a rotation.
    "writer ignores progress",
    "reader ignores progress",
    "reader does not ask again",
    # Rule 3: the file is durable before the commit that relies on it.
    "create commits before sync",
    "batch commits before sync",
    "re-key commits before sync",
    # Rule 4: first zeros, then a commit, then the slot is free.
    "slot freed before zeroing",
    "retired slot forgotten before zeroing",
    # Rule 5: a destruction zeroes every file, durably.
    "erase zeroes one file",
    "settle zeroes one file",
    "erase does not sync",
    "settle does not sync",
    # Rotation: the end is checked, the key set comes first, the horizon is the end of a run that starts afterwards.
    "finish without a last look",
    "old key destroyed before the switch",
    "key set written after the old key died",
    "key set not read back",
    "the end is noted before the old key died",
    "a run under way counts",
    "horizon counts from the lock",
)


def successors(world: World, bounds: Bounds, mistakes: frozenset[str], /) -> Iterator[World]:
    """Yield every world that one step, one crash or one act of the reader leads to."""
    # An operation that has done nothing yet leaves nothing to a crash that it did not find.
    if world.crashes < bounds.crashes and world.job is not None and world.job[1] > 0:
        yield from crashed(world)
    if bounds.readers:
        yield from _reads(world, mistakes)
    if world.job is None:
        yield from _begins(world, bounds, mistakes)
        return
    name, step, holder, slot = world.job
    yield from _STEPS[name](world, step, (holder, slot), mistakes)


def _begins(world: World, bounds: Bounds, mistakes: frozenset[str]) -> Iterator[World]:
    free = free_slot(world, mistakes)
    for holder, row in enumerate(world.rows, start=1):
        # Holders are alike, so they come in order.
        if row.state == "absent" and free is not None and all(r.state != "absent" for r in world.rows[: holder - 1]):
            yield world._replace(job=("create", 0, holder, free))
        elif row.state in {"live", "locked"} and row.slot is not None:
            yield world._replace(job=("erase", 0 if row.state == "live" else 1, holder, row.slot))
        if row.state == "live" and row.retired is None and row.key_no % 10 == 1 and free is not None:
            target = row.slot if "re-key in place" in mistakes and row.slot is not None else free
            yield world._replace(job=("rekey", 0, holder, target))
        if row.retired is not None:
            yield world._replace(job=("settle", 0, holder, row.retired))
    if world.retiring is not None:
        yield world._replace(job=("retire", 0, 0, 0))
    elif world.new is not None:
        yield world._replace(job=("batch", 0, 0, world.progress))
    elif world.started < bounds.rotations:
        yield world._replace(job=("begin", 0, 0, 0))


def _next(world: World, step: int) -> World:
    name, _, holder, slot = world.job or ("", 0, 0, 0)
    return world._replace(job=(name, step, holder, slot))


def _create(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    holder, slot = at
    early = "create commits before sync" in mistakes
    commit = update(world, holder, state="live", slot=slot, key_no=fresh(world, 1))
    if step == 0:
        yield _next(put(world, place(world, slot, mistakes), slot, (holder, fresh(world, 1))), 1)
    elif step == 1:
        yield _next(commit if early else sync(world), 2)
    else:
        yield (sync(world) if early else commit)._replace(job=None)


def _erase(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    holder, slot = at
    row = world.rows[holder - 1]
    if step == 0:
        locked = update(world, holder, state="locked")
        if "horizon counts from the lock" in mistakes:
            locked = locked._replace(lock=(*locked.lock, (holder, world.started)))
        if "slot freed before zeroing" in mistakes:
            locked = update(locked, holder, slot=None, retired=None)
        yield _next(locked, 1)
    elif step == 1:
        world = zeroed(world, slot, mistakes, "erase zeroes one file")
        if row.retired is not None:
            world = zeroed(world, row.retired, mistakes, "erase zeroes one file")
        yield _next(world, 2)
    elif step == 2:  # noqa: PLR2004 -- a step number
        yield _next(world if "erase does not sync" in mistakes else sync(world), 3)
    else:
        gone = update(world, holder, state="gone", slot=None, retired=None, old_no=0)
        for key_no in {row.key_no, row.old_no} - {0}:
            gone = buried(gone, holder, key_no, mistakes)
        yield gone._replace(job=None)


def _rekey(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    holder, slot = at
    row = world.rows[holder - 1]
    early = "re-key commits before sync" in mistakes
    retired = None if "retired slot forgotten before zeroing" in mistakes or row.slot == slot else row.slot
    commit = update(
        world, holder, slot=slot, retired=retired, key_no=fresh(world, 2), old_no=0 if retired is None else row.key_no
    )
    if step == 0:
        yield _next(put(world, place(world, slot, mistakes), slot, (holder, fresh(world, 2))), 1)
    elif step == 1:
        yield _next(commit if early else sync(world), 2)
    else:
        done = (sync(world) if early else commit)._replace(job=None)
        if retired is None:  # a mistake: the old key counts as gone with the commit
            done = buried(done, holder, row.key_no, mistakes)
        yield done


def _settle(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    holder, slot = at
    if step == 0:
        yield _next(zeroed(world, slot, mistakes, "settle zeroes one file"), 1)
    elif step == 1:
        yield _next(world if "settle does not sync" in mistakes else sync(world), 2)
    else:
        done = update(world, holder, retired=None, old_no=0)._replace(job=None)
        yield buried(done, holder, world.rows[holder - 1].old_no, mistakes)


def _begin(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    epoch = world.cur + 1
    if step == 0:
        yield _next(world._replace(keys=world.keys | {epoch}), 1)
    elif step == 1:
        empty = (EMPTY,) * len(world.files[0].disk)
        files = tuple(f for f in world.files if f.epoch != epoch)
        yield _next(world._replace(files=(*files, SlotFile(epoch, empty, empty))), 2)
    else:
        yield world._replace(new=epoch, progress=0, started=world.started + 1, job=None)


def _batch(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    slot = at[1]
    early = "batch commits before sync" in mistakes
    last = max((s for row in world.rows for s in (row.slot, row.retired) if s is not None), default=-1)
    if step == 0 and (slot > last or ("finish without a last look" in mistakes and slot > 0)):
        if "old key destroyed before the switch" in mistakes:
            world = world._replace(keys=world.keys - {world.cur})
        yield world._replace(job=("finish", 0, 0, 0))
    elif step == 0:
        owner = any(row.slot == slot for row in world.rows)
        value = value_at(world, world.cur, slot) if owner else EMPTY
        yield _next(put(world, world.new or 0, slot, value or EMPTY), 1)
    elif step == 1:
        yield _next(world._replace(progress=slot + 1) if early else sync(world), 2)
    else:
        done = sync(world) if early else world._replace(progress=slot + 1)
        yield done._replace(job=None)


def _finish(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    ended = "the end is noted before the old key died" in mistakes
    yield world._replace(
        cur=world.new or 0, new=None, retiring=world.cur, finished=world.finished + int(ended), job=None
    )


def _retire(world: World, step: int, at: tuple[int, int], mistakes: frozenset[str]) -> Iterator[World]:
    old = world.retiring or 0
    late = "key set written after the old key died" in mistakes
    written = world._replace(
        key_set=world.cur,
        ghosts=world.ghosts
        | {(*value, world.cur) for f in world.files if f.epoch == world.cur for value in f.seen if value != EMPTY},
    )
    if step == 0:
        yield _next(world if late else written, 1)
        yield _next(world, 1)  # the destination lost it without an error
    elif step == 1:
        if world.key_set == world.cur or late or "key set not read back" in mistakes:
            yield _next(world, 2)
        else:
            yield _next(world, 0)
    elif step == 2:  # noqa: PLR2004 -- a step number
        # A wrap under a dead epoch can open nothing any more.
        ghosts = frozenset(ghost for ghost in world.ghosts if ghost[2] != old)
        yield _next(world._replace(keys=world.keys - {old}, ghosts=ghosts), 3)
    elif step == 3:  # noqa: PLR2004 -- a step number
        files = tuple(f for f in world.files if f.epoch != old)
        yield _next((written if late else world)._replace(files=files), 4)
    else:
        ended = "the end is noted before the old key died" not in mistakes
        yield world._replace(retiring=None, finished=world.finished + int(ended), job=None)


_STEPS: Final = {
    "create": _create,
    "erase": _erase,
    "rekey": _rekey,
    "settle": _settle,
    "begin": _begin,
    "batch": _batch,
    "finish": _finish,
    "retire": _retire,
}


def _reads(world: World, mistakes: frozenset[str]) -> Iterator[World]:
    if world.reader is None:
        for holder, row in enumerate(world.rows, start=1):
            if row.state == "live":
                yield world._replace(reader=Reader(holder, row, world.vault))
        return
    holder, row, (cur, new, progress, _) = world.reader
    slot = row.slot or 0
    moved = new is not None and slot < progress and "reader ignores progress" not in mistakes
    epoch = new if moved and new is not None else cur
    found = value_at(world, epoch, slot) == (holder, row.key_no) and epoch in world.keys
    changed = world.rows[holder - 1] != row or world.vault != world.reader.vault
    if found or (changed and "reader does not ask again" not in mistakes):
        yield world._replace(reader=None)
    else:
        yield world._replace(fault="a reader met a fault about a live key")
