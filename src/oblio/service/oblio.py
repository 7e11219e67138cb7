"""`Oblio`: one open store, and the handles it gives out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from oblio.access.names import external_id, tenant_name
from oblio.erasure.look import Look
from oblio.erasure.restore import Replayed
from oblio.errors.access import BadId
from oblio.errors.consent import ConsentMissing
from oblio.errors.erasure import UnknownRequest
from oblio.errors.ingest import BadSource
from oblio.filter.explain import explain
from oblio.history.importer import ImportReport, Job
from oblio.model.erasure import Erasure, Step
from oblio.model.health import Health
from oblio.model.ids import DEFAULT_TENANT, HolderId, RequestId, TenantId, raw
from oblio.model.memory import Kept, Refused
from oblio.model.screening import Action, Verdict
from oblio.model.subject import Ticket
from oblio.provenance.derivers import Deriver, token
from oblio.service.subject import SubjectHandle
from oblio.wiring import (
    LogReport,
    Opening,
    Parts,
    Receipt,
    Settings,
    build,
    extracted,
    read_source,
    render_html,
    replayed,
)


class Tenant:
    """One customer application of a store: its subjects share nothing with those of another."""

    def __init__(self, parts: Parts, name: TenantId, /) -> None:
        self._parts = parts
        self.name: Final = name

    def subject(self, external: str, /) -> SubjectHandle:
        """Return the handle of one person. Nothing is written.

        Args:
            external: the id under which your application knows the person: text of 1 to 512 bytes.

        Raises:
            EmptySubject, SubjectTooLong, SubjectUnreadable: this cannot be a person's id.
        """
        return SubjectHandle(self._parts, self.name, external_id(external))


class Oblio(Tenant):
    """One open store. Use it in a `with` block, or call `close`."""

    def __init__(self, parts: Parts, /) -> None:
        super().__init__(parts, DEFAULT_TENANT)

    @classmethod
    def open(
        cls,
        path: str | Path,
        /,
        *,
        filter_mode: Literal["enforce", "observe"] | None = None,
        create: bool = True,
        settings: Settings | None = None,
    ) -> Self:
        """Open the embedded store at `path`; make it, with its key place beside it, when there is none.

        What a crash left half done is carried on before this returns.

        Args:
            path: the SQLite file, such as `agent.db`.
            filter_mode: only when creating: `observe` makes a trial store whose filter counts and refuses nothing.
            create: false raises `NoStore` instead of making one.
            settings: read from the environment when not given.

        Raises:
            NoStore: there is none and `create` is false.
            FilterModeFixed: the store exists in the other mode.
            StoreIsOlder, LogBehind: the database is an older copy than its key place knows; replay the ledger first.
            Fault: keys or database are missing, damaged, foreign or not accessible.
        """
        chosen = settings or Settings.from_environment()
        # One path for one file: locks and the byte check go by the name that SQLite uses.
        return cls(build(Path(path).resolve(), chosen, filter_mode=filter_mode, create=create))

    @classmethod
    def restore(cls, path: str | Path, /, *, settings: Settings | None = None) -> Replayed | None:
        """Replay the erasures that an old copy of the database at `path` does not know. Then it can be opened.

        Returns:
            What was done; `None` when the database is not older than its key place and nothing was touched.

        Raises:
            NoStore: there is none.
            KeysAreOlder: not the database but the key place is an old copy.
            Fault: keys or database are missing, damaged, foreign or not accessible.
        """
        return replayed(Opening(path=Path(path), settings=settings or Settings.from_environment(), create=False))

    @staticmethod
    def page(receipt: Receipt, /) -> str:
        """Return a receipt as one HTML page for reading. It is a view; the receipt is the proof."""
        return render_html(receipt)

    @staticmethod
    def explain(answer: Kept | Refused, /, *, language: str = "en") -> str:
        """Tell the person why something was not kept, or was cut, and what they can do; never with their text.

        Args:
            answer: what `remember` or `correct` returned.
            language: `sv`, `ru` or `en`; anything else reads English.
        """
        cut = Action.REDACT if answer.reasons else Action.STORE
        action = Action.REFUSE if isinstance(answer, Refused) else cut
        return explain(Verdict(action=action, reasons=answer.reasons, policy=""), language=language)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Publish what waits and close. Quiet when done before."""
        self._parts.close()

    @property
    def public_key(self) -> str:
        """The key that verifies this store's receipts: `name+hash+base64`. Publish it where others find it."""
        return self._parts.public_key

    @property
    def trial(self) -> bool:
        """Whether this store was created in filter mode `observe`."""
        return self._parts.trial

    def tenant(self, name: str, /) -> Tenant:
        """Return one customer application by its name.

        Raises:
            BadTenant: not 1 to 32 lower-case letters, digits or hyphens.
        """
        checked = tenant_name(name)
        self._parts.gate.name(checked)
        return Tenant(self._parts, checked)

    def deriver(self, name: str, /, *, version: str) -> Callable[[Deriver], Deriver]:
        """Register a function from texts to one text, as a decorator.

        Raises:
            BadName: name or version is no token.
        """

        def register(function: Deriver) -> Deriver:
            for each in (name, version):
                self._parts.gate.name(token(each))
            self._parts.derivers.register(name, function, version=version)
            return function

        return register

    def request(self, request: str, /, *, recovery: str) -> Erasure:
        """Return an erasure request to whoever holds its recovery code; works after the person is gone.

        Raises:
            UnknownRequest: no such request, or the code does not open it.
        """
        return self._parts.intake.recovered(_request(request), recovery)

    def receipt(self, request: str, /, *, recovery: str | None = None) -> Receipt:
        """Return the receipt of a completed request.

        It holds no personal data, so an operator at the store needs no code.

        Raises:
            UnknownRequest: no such request, not completed, or the code does not open it.
        """
        if recovery is not None:
            self.request(request, recovery=recovery)
        document = self._parts.notary.document(_request(request))
        if document is None:
            raise UnknownRequest
        receipt = Receipt.from_json(document)
        receipt.verify(self.public_key)
        if receipt.payload.request != _request(request):
            raise UnknownRequest
        return receipt

    def steps(self, request: str, /) -> tuple[Erasure, tuple[Step, ...]]:
        """Return a request and its steps, for the operator.

        Raises:
            UnknownRequest: there is none.
        """
        found = _request(request)
        with self._parts.store.read() as tx:
            row = tx.erasures.get(found)
            if row is None:
                raise UnknownRequest
            return row, tx.erasures.steps(found)

    @property
    def late_writes(self) -> int:
        """How many writes came after the erasure of their person, or named something erased, since the store opened."""
        return self._parts.late.refused

    def open_requests(self) -> tuple[Erasure, ...]:
        """Return requests that are locked or in progress, oldest first."""
        with self._parts.store.read() as tx:
            return tuple(tx.erasures.open())

    def unfinished(self) -> tuple[Erasure, ...]:
        """Return requests that have not reached their end, those that wait for a person among them, oldest first."""
        with self._parts.store.read() as tx:
            return tuple(tx.erasures.unfinished())

    def look_again(self, request: str, /) -> Look:
        """Look again now at what a request erased: over a fresh connection, without trusting what the request says.

        Raises:
            UnknownRequest: there is none.
            LedgerForged: the erasure ledger was changed.
        """
        return self._parts.looking.again(_request(request))

    def health(self) -> Health:
        """Return what an operator should know about this store: states, counts and times."""
        return self._parts.health()

    def retry(self, request: str, /, *, accept_limits: bool = False) -> Erasure:
        """Try a blocked or unfinished request again.

        Args:
            request: its id.
            accept_limits: end it with `completed_with_limits` when all that is left cannot be verified.

        Raises:
            UnknownRequest: there is none.
        """
        return self._parts.machine.retry(_request(request), accept_limits=accept_limits)

    def rebuild(self) -> int:
        """Make anew what erasures left blank and could not be rebuilt at once. Return how many were made."""
        return self._parts.workshop.rebuild_all(now=self._parts.clock())

    def sweep(self) -> int:
        """Erase what expired now instead of at the next open. Return how many items it was about.

        Raises:
            EraserBusy: another process is at work and did not finish in time.
        """
        return self._parts.sweep.run()

    def rotate_keys(self) -> bool:
        """Replace the epoch key now: wrapped keys in old copies and old sectors are dead afterwards.

        A whole copy of the key place has the old epoch key in it and opens what it opened.

        Returns:
            False when another process is at work.

        Raises:
            KeyDamaged: the key of somebody does not open, so nothing was replaced.
        """
        return self._parts.rotate() is not None

    def verify_audit(self, *, receipts: Sequence[Receipt] = ()) -> LogReport:
        """Check the whole audit log against itself, its signatures and the checkpoint in the key place.

        Args:
            receipts: issued receipts that the log must agree with as well.

        Raises:
            Fault: an entry was changed, cut, inserted or forked; says which.
        """
        return self._parts.verify_log(receipts=receipts)

    def scan(self, text: str, /) -> dict[str, int]:
        """Look for a text in the bytes of every live file, in the encodings that stores are known to leave behind.

        Returns:
            For each encoding, how many of its forms were found: all zero in a sound store, since content is sealed.
        """
        return self._parts.scan((text,))

    def scan_all(self, texts: Sequence[str], /) -> dict[str, int]:
        """Look for many texts at once, as `scan` does; the numbers are over all of them."""
        return self._parts.scan(texts)

    def import_(
        self,
        source: str | Path,
        /,
        *,
        subject: SubjectHandle | None = None,
        each_author: Callable[[str], SubjectHandle] | None = None,
        tell: Callable[[ImportReport], None] = lambda _report: None,
        again: bool = False,
    ) -> ImportReport:
        """Bring past conversations in: JSONL of messages, ChatGPT exports (also zipped), LoCoMo.

        Repeating or resuming an import stores nothing twice, and what was erased meanwhile does not come back.

        Args:
            source: path of the file.
            subject: the person whose conversations they are; statements in their messages become memories.
            each_author: instead of `subject`: from an author's name to the person they are.
            tell: called after every record with the numbers so far.
            again: read from the beginning, where an earlier run may have left out what had no consent then. What is
                there already is left alone.

        Raises:
            BadSource: neither or both of `subject` and `each_author`.
            Fault: the file is unreadable, hostile or too large.
        """
        job = self._job(Path(source), subject, each_author)
        position = None if again else self._parts.importer.position(job)
        with self._parts.late.counted():
            return self._parts.importer.run(job, read_source(source, after=position), tell=tell)

    def _job(
        self, path: Path, subject: SubjectHandle | None, each_author: Callable[[str], SubjectHandle] | None, /
    ) -> Job:
        now, digest = self._parts.clock(), self._parts.source_digest(path)
        if (subject is None) == (each_author is None):
            raise BadSource
        if subject is not None:
            ticket = subject.ticket()
            if ticket is None:
                raise ConsentMissing(purpose="history")
            return Job(source=digest, lead=ticket, route=lambda *_: ticket, extract=extracted, now=now)
        handles: dict[str, SubjectHandle] = {}

        def route(author: str, _role: str) -> Ticket | None:
            if author not in handles and each_author is not None:
                handles[author] = each_author(author)
            return handles[author].ticket()

        return Job(source=digest, lead=None, route=route, extract=None, now=now)


def _request(value: str) -> RequestId:
    try:
        raw(value)
    except (ValueError, TypeError, AttributeError):
        raise BadId from None
    return RequestId(HolderId(value))
