"""A small model of the key protocol: what is on the disk, what is in the database, and every way a crash can go.

It holds no cryptography: a wrapped key is the pair (holder, key number), and the epoch is that of the file it is in.
`successors` yields every next world, one step or one crash further; `complaint` says what is wrong with a world.
A `frozenset` of planted mistakes changes the protocol; each of them must lead to a complaint.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

TORN: Final = (-1, -1)
EMPTY: Final = (0, 0)

Value = tuple[int, int]
"""Holder and key number; `EMPTY` for zero bytes, `TORN` for a half-written slot."""


class Row(NamedTuple):
    """A holder in the database."""

    state: str = "absent"
    slot: int | None = None
    retired: int | None = None
    key_no: int = 0
    """A key is random, so one that a crash left behind is another key than the one of the second attempt."""
    old_no: int = 0
    """Number of the key in the retired slot."""


class SlotFile(NamedTuple):
    """A key file: what a power cut leaves, and what processes see until then."""

    epoch: int
    disk: tuple[Value, ...]
    seen: tuple[Value, ...]


class Reader(NamedTuple):
    """A reader between its query and its `pread`."""

    holder: int
    row: Row
    vault: tuple[int, int | None, int, int | None]


class World(NamedTuple):
    """Everything that survives or does not survive a crash."""

    rows: tuple[Row, ...]
    cur: int = 1
    new: int | None = None
    progress: int = 0
    retiring: int | None = None
    files: tuple[SlotFile, ...] = ()
    keys: frozenset[int] = frozenset({1})
    key_set: int | None = 1
    """Epoch of the one key set at the destination."""
    ghosts: frozenset[tuple[int, int, int]] = frozenset()
    """Every (holder, key number, epoch) ever written to a file or key set."""
    dead: frozenset[tuple[int, int, int]] = frozenset()
    """(holder, key number, rotations started when the erasure was certain)."""
    lock: tuple[tuple[int, int], ...] = ()
    """(holder, rotations started at its lock), kept only by the mistake that counts from there."""
    started: int = 0
    finished: int = 0
    job: tuple[str, int, int, int] | None = None
    """Operation, step, holder, slot."""
    reader: Reader | None = None
    crashes: int = 0
    fault: str = ""

    @property
    def vault(self) -> tuple[int, int | None, int, int | None]:
        """Return the columns of the vault row that a reader looks at."""
        return self.cur, self.new, self.progress, self.retiring


class Bounds(NamedTuple):
    """How far an exploration goes."""

    holders: int = 2
    slots: int = 3
    rotations: int = 1
    crashes: int = 1
    readers: bool = False


def start(bounds: Bounds) -> World:
    """Return the world of a new store: one empty key file under epoch 1."""
    empty = (EMPTY,) * bounds.slots
    return World(rows=(Row(),) * bounds.holders, files=(SlotFile(1, empty, empty),))


def place(world: World, slot: int, mistakes: frozenset[str]) -> int:
    """Which file a slot is read from and written to."""
    if world.new is not None and slot < world.progress and "writer ignores progress" not in mistakes:
        return world.new
    return world.cur


def put(world: World, epoch: int, slot: int, value: Value) -> World:
    """Write a slot without syncing it."""
    files = tuple(
        f._replace(seen=(*f.seen[:slot], value, *f.seen[slot + 1 :])) if f.epoch == epoch else f for f in world.files
    )
    ghosts = world.ghosts if value == EMPTY else world.ghosts | {(*value, epoch)}
    return world._replace(files=files, ghosts=ghosts)


def sync(world: World) -> World:
    """Make every write durable."""
    return world._replace(files=tuple(f._replace(disk=f.seen) for f in world.files))


def value_at(world: World, epoch: int, slot: int) -> Value | None:
    """Return what processes see in a slot, `None` where the file is gone."""
    return next((f.seen[slot] for f in world.files if f.epoch == epoch), None)


def update(world: World, holder: int, **columns: object) -> World:
    """Change columns of a holder, committed."""
    rows = list(world.rows)
    rows[holder - 1] = rows[holder - 1]._replace(**columns)  # type: ignore[arg-type]  # names of columns of Row
    return world._replace(rows=tuple(rows))


def free_slot(world: World, mistakes: frozenset[str]) -> int | None:
    """Return the smallest slot nobody owns, `None` when all are taken."""
    taken = {row.slot for row in world.rows}
    if "a retired slot is free" not in mistakes:
        taken |= {row.retired for row in world.rows}
    return next((slot for slot in range(len(world.files[0].disk)) if slot not in taken), None)


def zeroed(world: World, slot: int, mistakes: frozenset[str], mistake: str) -> World:
    """Zero a slot in every file, without syncing it."""
    epochs = [f.epoch for f in world.files if f.epoch == world.cur or mistake not in mistakes]
    for epoch in epochs:
        world = put(world, epoch, slot, EMPTY)
    return world


def fresh(world: World, number: int, /) -> int:
    """Return the number of a new key: the first or second of its holder, never one made before a crash."""
    return 10 * world.crashes + number


def buried(world: World, holder: int, key_no: int, mistakes: frozenset[str]) -> World:
    """Note that this key must be gone now, and how many rotations had started by then."""
    started = world.started
    if "a run under way counts" in mistakes:
        started = world.finished
    if "horizon counts from the lock" in mistakes:
        started = next((at for who, at in world.lock if who == holder), started)
    return world._replace(dead=world.dead | {(holder, key_no, started)})


def crashed(world: World) -> Iterator[World]:
    """Yield every disk that a power cut can leave: each unsynced slot old, new or torn."""
    choices = [
        [(old,) if old == new else (old, new, TORN) for old, new in zip(f.disk, f.seen, strict=True)]
        for f in world.files
    ]
    calm = world._replace(job=None, reader=None, crashes=world.crashes + 1)
    for disks in product(*(list(product(*slots)) for slots in choices)):
        files = tuple(SlotFile(f.epoch, disk, disk) for f, disk in zip(world.files, disks, strict=True))
        yield calm._replace(files=files)


def complaint(world: World) -> str:
    """Return what is broken in this world, or nothing."""
    if world.key_set not in world.keys:
        return "the only key set is sealed under a dead epoch"
    return world.fault or _lost(world) or _undead(world)


def _lost(world: World) -> str:
    for holder, row in enumerate(world.rows, start=1):
        if row.state != "live" or row.slot is None:
            continue
        epoch = place(world, row.slot, frozenset())
        file = next((f for f in world.files if f.epoch == epoch), None)
        if file is None or epoch not in world.keys:
            return "a live key lost its file or epoch"
        if file.disk[row.slot] != (holder, row.key_no) or file.seen[row.slot] != (holder, row.key_no):
            return "a live key is lost or not durable"
    return ""


def _undead(world: World) -> str:
    for holder, key_no, started in world.dead:
        if any((holder, key_no) in f.disk + f.seen for f in world.files):
            return "a destroyed key is in a live file"
        if world.finished > started and any((holder, key_no, epoch) in world.ghosts for epoch in world.keys):
            return "a destroyed key opens after the horizon"
    return ""
