"""LoCoMo: long conversations of two people in dated sessions, with facts and summaries derived from them.

Shape: `session_N` (turns with `speaker`, `dia_id`, `text`, perhaps `blip_caption`), `session_N_date_time`,
`session_N_observation` (per person: fact and ids of turns) and `session_N_summary`, all in one object or under
`conversation`, `observation` and `session_summary`. One such object, or a list of them.

A sample is one conversation here: ids of turns are unique in it, and facts may name turns of any session. Both
speakers are people, so both are `user`. A fact is left out when one of its sources cannot be named: it would stay when
that source goes.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import IO, Any, Final

from oblio.history.formats.document import parse, records
from oblio.history.formats.limits import Limits
from oblio.history.formats.message import Found, clean, message_or_skip, short_text
from oblio.model.conversation import ReadMessage, ReadStatement, ReadSummary, Skip, Skipped

_SESSION: Final = re.compile(r"session_(\d{1,6})", re.ASCII)
_SEPARATORS: Final = re.compile(r"[,;]")
_TIME: Final = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([a-z]+),? (\d{4})", re.ASCII)
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NOON: Final = 12


def read(stream: IO[bytes], /, *, name: str, limits: Limits, start: int = 1) -> Iterator[Found]:
    """Read the samples from number `start` on: messages, then statements, then summaries.

    Args:
        stream: UTF-8 without BOM.
        name: stands for the conversation where a sample has no id.
        limits: of samples and messages.
        start: number of the first sample to parse.

    Raises:
        SourceBroken: the document is cut short.
    """
    for number, data in enumerate(records(stream, limits=limits), start=1):
        if number < start:
            continue
        value = data if isinstance(data, Skip) else parse(data)
        if isinstance(value, Skip):
            yield Found(number, Skipped(reason=value, record=number))
            continue
        conversation = short_text(value.get("sample_id")) or (name if number == 1 else f"{name}:{number}")
        yield from _Sample(value, conversation=conversation, number=number, limits=limits).items()


def session_time(text: object, /) -> datetime | None:
    """Read a time such as `1:56 pm on 8 May, 2023`. The source names no zone; it is taken as UTC."""
    found = _TIME.fullmatch(text.strip().lower()) if isinstance(text, str) else None
    if found is None or found[5] not in _MONTHS:
        return None
    hour = int(found[1]) % _NOON + (_NOON if found[3] == "pm" else 0)
    try:
        return datetime(int(found[6]), _MONTHS.index(found[5]) + 1, int(found[4]), hour, int(found[2]), tzinfo=UTC)
    except ValueError:
        return None


class _Sample:
    """One sample while it is read: which turns were let through, and in which session."""

    def __init__(self, fields: dict[str, Any], *, conversation: str, number: int, limits: Limits) -> None:
        self._turns = _under(fields, "conversation")
        self._facts = _under(fields, "observation")
        self._summaries = _under(fields, "session_summary")
        self._conversation = conversation
        self._number = number
        self._limits = limits
        self._sources: dict[int, list[str]] = {}
        self._known: set[str] = set()

    def items(self) -> Iterator[Found]:
        sessions = sorted(int(match[1]) for key in self._turns if (match := _SESSION.fullmatch(key)))
        if not sessions:
            yield self._skipped(Skip.UNREADABLE)
        for session in sessions:
            yield from self._session(session)
        for session in sessions:
            yield from self._observations(session)
        for session in sessions:
            yield from self._summary(session)

    def _at(self, session: int) -> datetime | None:
        return session_time(self._turns.get(f"session_{session}_date_time"))

    def _skipped(self, reason: Skip) -> Found:
        return Found(self._number, Skipped(reason=reason, record=self._number))

    def _session(self, session: int) -> Iterator[Found]:
        turns = self._turns[f"session_{session}"]
        before: str | None = None
        own = self._sources.setdefault(session, [])
        for turn in turns if isinstance(turns, list) else ():
            message = self._turn(turn, at=self._at(session), before=before)
            if isinstance(message, Skip):
                yield self._skipped(message)
                continue
            item = message_or_skip(message, record=self._number, limits=self._limits)
            if isinstance(item, ReadMessage):
                before = item.message
                own.append(item.message)
                self._known.add(item.message)
            yield Found(self._number, item)

    def _turn(self, turn: object, *, at: datetime | None, before: str | None) -> ReadMessage | Skip:
        if not isinstance(turn, dict):
            return Skip.UNREADABLE
        own, speaker, text = (turn.get(key) for key in ("dia_id", "speaker", "text"))
        message, author = short_text(own), short_text(speaker)
        if message is None or author is None or not isinstance(text, str):
            return Skip.UNREADABLE
        if message in self._known:
            return Skip.DUPLICATE
        caption = turn.get("blip_caption")
        seen = f"{text} [image: {caption}]".lstrip() if isinstance(caption, str) and caption else text
        return ReadMessage(
            conversation=self._conversation,
            message=message,
            author=author,
            role="user",
            text=clean(seen),
            at=at,
            parent=before,
        )

    def _observations(self, session: int) -> Iterator[Found]:
        people = self._facts.get(f"session_{session}_observation")
        for person, facts in (people if isinstance(people, dict) else {}).items():
            for fact in facts if isinstance(facts, list) else ():
                yield self._observation(fact, author=person, at=self._at(session))

    def _observation(self, fact: object, *, author: str, at: datetime | None) -> Found:
        match fact:
            case [str(text), evidence] if text.strip():
                sources = self._evidence(evidence)
            case _:
                return self._skipped(Skip.UNREADABLE)
        if not sources:
            return self._skipped(Skip.EVIDENCE)
        statement = ReadStatement(
            conversation=self._conversation, author=clean(author), text=clean(text), evidence=sources, at=at
        )
        return Found(self._number, statement)

    def _evidence(self, evidence: object) -> tuple[str, ...]:
        """Return the ids of all turns named, or none when one of them is not a turn that was read."""
        named = evidence if isinstance(evidence, list) else [evidence]
        ids = [part.strip() for one in named for part in _SEPARATORS.split(one if isinstance(one, str) else "")]
        return tuple(dict.fromkeys(ids)) if all(one in self._known for one in ids) else ()

    def _summary(self, session: int) -> Iterator[Found]:
        text = self._summaries.get(f"session_{session}_summary")
        if not isinstance(text, str) or not text.strip():
            return
        sources = tuple(self._sources[session])
        if not sources:
            yield self._skipped(Skip.EVIDENCE)
            return
        summary = ReadSummary(
            conversation=self._conversation,
            session=session,
            text=clean(text),
            sources=sources,
            at=self._at(session),
        )
        yield Found(self._number, summary)


def _under(fields: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under `key`; the older shape has its fields beside all others."""
    inner = fields.get(key)
    return inner if isinstance(inner, dict) else fields
