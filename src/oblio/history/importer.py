"""Bringing past conversations in: through consent, filter and fence, resumable, each record in one transaction.

Ids of imported items are keyed digests of person, source and the source's own ids. So an import that is repeated or
resumed finds what it stored before, and what was erased meanwhile is refused by its tombstone instead of coming back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import Final

from oblio.errors.access import AlreadyThere, ErasedSource, TooManySources, UnknownItem
from oblio.history.book import History, PreparedMessage
from oblio.model.conversation import ReadMessage, ReadStatement, ReadSummary, Record, Skipped
from oblio.model.ids import ID_BYTES, ItemId, text
from oblio.model.memory import Kept, Note, Origin, Recipe, Refused, Said
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.access import Fence
from oblio.ports.keys import Keys
from oblio.ports.notes import Notes, PreparedNote
from oblio.ports.store import Store, Transaction
from oblio.ports.workshop import Deriving

SUMMARY_NAME: Final = "session-summary"

Route = Callable[[str, str], Ticket | None]
"""From author and role, as the source has them, to the person whose data it is; `None` while they allowed nothing."""

Extract = Callable[[str], Sequence[tuple[str, str]]]
"""From a person's message to pairs of statement and kind."""


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What an import did, in numbers; grows while it runs."""

    read: int = 0
    messages: int = 0
    memories: int = 0
    derived: int = 0
    already: int = 0
    """Items that an earlier run had stored."""
    fenced: int = 0
    """Items that were erased before, or whose sources were, and did not come back."""
    refused: Counter[str] = field(default_factory=Counter)
    """Refusals of the filter by reason; never a text."""
    cut: Counter[str] = field(default_factory=Counter)
    """Stored after something was cut out, by reason."""
    skipped: Counter[str] = field(default_factory=Counter)
    """What the reader could not use, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One import of one source."""

    source: bytes
    """Keyed digest of the source's bytes, 32 bytes."""
    lead: Ticket | None
    """The person under whom the position is kept; `None` where each author is a person of their own: such a source is
    read again from its beginning, and what is there already is left alone."""
    route: Route
    extract: Extract | None
    """`None` leaves messages as messages; sources with statements of their own need no extraction."""
    now: datetime
    report: ImportReport = field(default_factory=ImportReport)
    people: dict[str, dict[Ticket, None]] = field(default_factory=dict)
    """Who wrote in each conversation of the source so far."""
    secrets: dict[Ticket, bytes] = field(default_factory=dict, repr=False)
    """The index key of each person, for the ids of their items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """Writes records."""

    store: Store
    keys: Keys
    fence: Fence
    history: History
    notes: Notes
    deriving: Deriving

    def position(self, job: Job, /) -> str | None:
        """Return the position of the last record that an earlier run wrote."""
        if job.lead is None:
            return None
        with self.store.read() as tx:
            self.fence.enter(tx, job.lead)
            return tx.imports.cursor(job.lead.subject, job.source)

    def run(self, job: Job, records: Iterable[Record], /, *, tell: Callable[[ImportReport], None]) -> ImportReport:
        """Write all records and keep the position of each; `tell` is called after every one."""
        for record in records:
            job.report.read += 1
            self._record(job, record)
            tell(job.report)
        return job.report

    def _record(self, job: Job, record: Record, /) -> None:
        item = record.item
        if isinstance(item, Skipped):
            # Its position is kept with the next record that is stored: a file full of rubbish needs no sync for each.
            job.report.skipped[item.reason.value] += 1
            return
        if isinstance(item, ReadMessage):
            self._message(job, record, item)
            return
        if isinstance(item, ReadStatement):
            self._statement(job, item)
        else:
            self._summary(job, item)
        with self.store.write() as tx:
            self._arrived(tx, job, record)

    def _arrived(self, tx: Transaction, job: Job, record: Record, /) -> None:
        """Keep the position of a record, unless the person was erased meanwhile."""
        if job.lead is not None:
            self.fence.enter(tx, job.lead)
            tx.imports.put(job.lead.subject, job.source, record.position)

    def _message(self, job: Job, record: Record, read: ReadMessage, /) -> None:
        """Store a message, the statements in it and the new position, all or nothing."""
        ticket = _routed(job, read.author, read.role)
        if ticket is None:
            return
        job.people.setdefault(read.conversation, {})[ticket] = None
        prepared: list[PreparedNote | Refused] = []
        if job.extract is not None and read.role == "user":
            prepared = [
                self.notes.prepare(ticket, self._note(job, ticket, read, number, found))
                for number, found in enumerate(job.extract(read.text))
            ]
        message = self.history.prepare(ticket, self._said(job, ticket, read))
        with self.store.write() as tx:
            kept = self._messaged(tx, job, ticket, message)
            for each in prepared:
                self._noted(tx, job, ticket, each if kept else _unsourced(each))
            self._arrived(tx, job, record)

    def _said(self, job: Job, ticket: Ticket, read: ReadMessage, /) -> Said:
        return Said(
            role=read.role,
            text=read.text,
            at=read.at,
            origin=Origin.IMPORT,
            item=self._id(job, ticket, read.conversation, read.message),
        )

    def _messaged(self, tx: Transaction, job: Job, ticket: Ticket, message: PreparedMessage | Refused, /) -> bool:
        """Store a message. Return false where consent for history is missing, which is not needed for memories."""
        with _Counted(job.report):
            kept = message if isinstance(message, Refused) else self.history.write(tx, ticket, message, now=job.now)
            job.report.messages += _count(job.report, kept)
            return isinstance(kept, Kept) or Reason.CONSENT_MISSING not in kept.reasons
        return True

    def _note(self, job: Job, ticket: Ticket, read: ReadMessage, number: int, found: tuple[str, str], /) -> Note:
        statement, kind = found
        return Note(
            text=statement,
            kind=kind,
            sources=(self._id(job, ticket, read.conversation, read.message),),
            origin=Origin.EXTRACTED,
            said_at=read.at,
            item=self._id(job, ticket, read.conversation, read.message, f"statement {number}"),
        )

    def _noted(self, tx: Transaction, job: Job, ticket: Ticket, prepared: PreparedNote | Refused, /) -> None:
        with _Counted(job.report):
            done = prepared if isinstance(prepared, Refused) else self.notes.write(tx, ticket, prepared, now=job.now)
            job.report.memories += _count(job.report, done)

    def _statement(self, job: Job, read: ReadStatement, /) -> None:
        ticket = _routed(job, read.author, "user")
        if ticket is None:
            return
        note = Note(
            text=read.text,
            kind="fact",
            sources=self._sources(job, (ticket,), read.conversation, read.evidence),
            origin=Origin.IMPORT,
            said_at=read.at,
            item=self._id(job, ticket, read.conversation, *read.evidence, read.text),
        )
        prepared = self.notes.prepare(ticket, note)
        with self.store.write() as tx:
            self._noted(tx, job, ticket, prepared)

    def _summary(self, job: Job, read: ReadSummary, /) -> None:
        """Store a session's summary once for each person in it, with everybody's messages as its sources."""
        tickets = tuple(job.people.get(read.conversation, {})) or ((job.lead,) if job.lead else ())
        for ticket in tickets:
            sources = self._sources(job, tickets, read.conversation, read.sources)
            recipe = Recipe(
                name=SUMMARY_NAME,
                sources=sources,
                text=read.text,
                others=tuple(other for other in tickets if other != ticket),
                item=self._id(job, ticket, read.conversation, f"summary {read.session}"),
            )
            if not sources:
                job.report.fenced += 1
                continue
            with _Counted(job.report):
                job.report.derived += _count(job.report, self.deriving.derive(ticket, recipe, now=job.now))

    def _sources(
        self, job: Job, owners: Sequence[Ticket], conversation: str, messages: Sequence[str], /
    ) -> tuple[ItemId, ...]:
        """Return the stored messages among `messages`, whoever of `owners` wrote them."""
        wanted = [self._id(job, owner, conversation, message) for message in messages for owner in owners]
        with self.store.read() as tx:
            there = tx.items.any(wanted)
        return tuple(item for item in wanted if item in there)

    def _id(self, job: Job, ticket: Ticket, *parts: str) -> ItemId:
        """Return the id of an item: keyed by a secret of the person, so that the link to the source dies with them."""
        if ticket not in job.secrets:
            with self.store.read() as tx:
                job.secrets[ticket] = self.fence.profile(tx, self.fence.enter(tx, ticket)).index_key
        digest = blake2b(job.source, key=job.secrets[ticket], digest_size=ID_BYTES, person=b"oblio/import/1")
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
        return ItemId(text(digest.digest()))


class _Counted:
    """Turns what the fence refuses into numbers: one item that may not be stored does not end an import."""

    def __init__(self, report: ImportReport) -> None:
        self._report = report

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Count and swallow what the fence raises, pass on everything else."""
        if isinstance(error, AlreadyThere):
            self._report.already += 1
            return True
        if isinstance(error, ErasedSource | UnknownItem | TooManySources):
            self._report.fenced += 1
            return True
        return False


def _routed(job: Job, author: str, role: str) -> Ticket | None:
    """Return whose record it is; where nobody allowed anything yet, count that."""
    ticket = job.route(author, role)
    if ticket is None:
        job.report.refused[Reason.CONSENT_MISSING.value] += 1
    return ticket


def _unsourced(prepared: PreparedNote | Refused, /) -> PreparedNote | Refused:
    """Return a memory without the message it came from, which is not kept."""
    if isinstance(prepared, Refused):
        return prepared
    return replace(prepared, note=replace(prepared.note, sources=()))


def _count(report: ImportReport, done: Kept | Refused, /) -> int:
    (report.cut if isinstance(done, Kept) else report.refused).update(reason.value for reason in done.reasons)
    return int(isinstance(done, Kept))
