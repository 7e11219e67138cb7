"""The one choke point in front of every write.

`judge` is pure: no I/O, no clock, no state. `Gate` adds counters and is the only maker of `Screened`. A text that
cannot be judged (too long, undecodable, a rule failed) is refused, never passed. Nothing here keeps or repeats
matched text: verdicts carry offsets, reasons and rule ids.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from types import MappingProxyType
from typing import Final

from oblio.errors.filter import NameRefused
from oblio.filter.findings import findings, name_findings
from oblio.filter.normalise import normalise
from oblio.filter.policy import DEFAULT, Marks, Policy, Treatment
from oblio.filter.reading import Reading
from oblio.filter.rewrite import TextMarks, is_mark, rewritten, without_marks
from oblio.filter.rules.base import Hit
from oblio.filter.useful import useful_memory_remains
from oblio.model.screening import Action, Reason, Screened, Span, Verdict

_STRUCTURAL: Final = frozenset({Reason.KIND_NOT_PERMITTED, Reason.CONSENT_MISSING, Reason.TOO_LONG, Reason.UNREADABLE})
# Control characters but tab and line ends, and lone surrogates.
_UNREADABLE: Final = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff]")
_ROUNDS: Final = 3
_MEMORY_FIELD: Final = "memory"
_NAME_FIELD: Final = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    kind: str | None
    field: str
    consents: frozenset[str]


def _refused(policy: Policy, reason: Reason) -> Verdict:
    return Verdict(action=Action.REFUSE, reasons=(reason,), text=None, policy=policy.version)


def _closed(text: object, ask: _Ask, policy: Policy) -> Reason | None:
    """The reason why the text is not even looked at, if there is one."""
    if not isinstance(text, str):  # typed callers cannot, adapters can
        return Reason.UNREADABLE
    if len(text) > policy.limit(ask.field):
        return Reason.TOO_LONG
    if _UNREADABLE.search(text) is not None or not text.strip():
        return Reason.UNREADABLE
    if ask.field not in policy.treatments or (ask.kind is not None and ask.kind not in policy.kinds):
        return Reason.KIND_NOT_PERMITTED
    purpose = _MEMORY_FIELD if ask.kind is None else policy.kinds[ask.kind].purpose
    if ask.field == _MEMORY_FIELD and not {_MEMORY_FIELD, purpose} <= ask.consents:
        return Reason.CONSENT_MISSING
    return None


def _found(text: str, ask: _Ask) -> list[tuple[Hit, Span]]:
    return name_findings(text) if ask.field == _NAME_FIELD else findings(Reading(normalise(text)))


def _decide(text: str, ask: _Ask, policy: Policy, marks: Marks | None) -> Verdict:
    found = _found(text, ask)
    if not found:
        return Verdict(action=Action.STORE, text=text, policy=policy.version)
    reasons = tuple(dict.fromkeys(hit.rule.category for hit, _ in found))
    rules = tuple(dict.fromkeys(hit.rule.id for hit, _ in found))
    spans = tuple(sorted(dict.fromkeys(span for _, span in found), key=lambda item: (item.start, item.end)))
    cut = _to_cut(found, ask, policy)
    action, kept = _cut_out(text, cut, marks or TextMarks())
    if action is not Action.STORE:
        kept = _settled(kept, ask, policy)
    if kept is None:
        action = Action.REFUSE
    return Verdict(action=action, reasons=reasons, rules=rules, spans=spans, text=kept, policy=policy.version)


def _to_cut(found: list[tuple[Hit, Span]], ask: _Ask, policy: Policy) -> list[tuple[Span, Treatment]]:
    """Spans that may not be stored, with what is to be done about each."""
    treated = ((span, policy.treatment(ask.field, hit.rule, kind=ask.kind)) for hit, span in found)
    return [(span, way) for span, way in treated if way is not Treatment.KEEP]


def _cut_out(text: str, cut: list[tuple[Span, Treatment]], marks: Marks) -> tuple[Action, str | None]:
    """Act on the spans: what is done in all, and the text that is left, `None` when refused."""
    ways = {way for _, way in cut}
    spans = [span for span, _ in cut]
    conditional = not ways.isdisjoint({Treatment.REDACT, Treatment.PSEUDONYMISE})
    if Treatment.REFUSE in ways or (conditional and not _remains(text, spans)):
        return Action.REFUSE, None
    marked = frozenset(span.category for span, way in cut if way is Treatment.PSEUDONYMISE)
    kept = rewritten(text, spans, marks, marked=marked)
    if not cut:
        return Action.STORE, kept
    return (Action.PSEUDONYMISE if ways == {Treatment.PSEUDONYMISE} else Action.REDACT), kept


def _settled(kept: str | None, ask: _Ask, policy: Policy) -> str | None:
    """Judge what is left again: cutting can lay bare what stood too close to be seen.

    Returns:
        The text once nothing more is found; `None` when it may not be stored.
    """
    for _ in range(_ROUNDS):
        if kept is None:
            return None
        seen = _found(without_marks(kept), ask)
        found = [(hit, span) for hit, span in seen if not is_mark(kept, span)]
        again = _to_cut(found, ask, policy)
        if not again:
            return kept
        if any(way is not Treatment.CUT for _, way in again):
            return None
        kept = rewritten(kept, [span for span, _ in again], TextMarks(), marked=frozenset())
    return None


def _remains(text: str, spans: list[Span]) -> bool:
    """Whether a useful memory remains outside the spans, judged on the text as given."""
    blank = list(text)
    for span in spans:
        blank[span.start : span.end] = " " * (span.end - span.start)
    return useful_memory_remains(Reading(normalise("".join(blank))), [])


def _judged(text: str, ask: _Ask, policy: Policy, marks: Marks | None) -> Verdict:
    if (reason := _closed(text, ask, policy)) is not None:
        return _refused(policy, reason)
    try:
        return _decide(text, ask, policy, marks)
    except Exception:  # noqa: BLE001 -- whatever fails, the text was not judged; the cause may quote it and is dropped
        return _refused(policy, Reason.UNREADABLE)


def judge(
    text: str,
    /,
    *,
    kind: str | None = None,
    field: str = _MEMORY_FIELD,
    consents: frozenset[str] = frozenset({_MEMORY_FIELD}),
    policy: Policy = DEFAULT,
) -> Verdict:
    """Decide on one field value. Pure, and it never raises.

    Args:
        text: the value as given; offsets in the verdict count its characters.
        kind: kind of the memory; `None` stands for any ordinary kind.
        field: where it would be stored: memory, message, derived, title, name or note. In a message, findings that the
            policy keeps are reported as reasons of a stored text.
        consents: names of the purposes that stand; looked at for memories only.
        policy: what to do about each category.

    Returns:
        The verdict. Its `text` can be stored as it is; a refusal has none.
    """
    return _judged(text, _Ask(kind=kind, field=field, consents=consents), policy, None)


class Gate:
    """Judges, counts and hands out `Screened`, which repositories accept and nothing else makes."""

    def __init__(self, *, policy: Policy = DEFAULT, observe: bool = False) -> None:
        self.policy: Final = policy
        self.observe: Final = observe
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def screen(
        self,
        text: str,
        /,
        *,
        kind: str | None = None,
        field: str = _MEMORY_FIELD,
        consents: frozenset[str] = frozenset({_MEMORY_FIELD}),
        marks: Marks | None = None,
    ) -> tuple[Verdict, Screened | None]:
        """Judge one field value; the second part is `None` exactly when the verdict refuses.

        In observe mode (trial stores) what the rules object to is counted and reported, and stored as given; what has
        no kind, no consent, is too long or unreadable stays refused.

        `marks` is an extension for callers whose policy pseudonymises: it names values beyond one text, and the caller
        seals that mapping and ends it with the person. The default policy pseudonymises nothing and Oblio itself passes
        no marks; without them numbering starts anew in each text.
        """
        verdict = _judged(text, _Ask(kind=kind, field=field, consents=consents), self.policy, marks)
        self._count(verdict)
        if self.observe and _STRUCTURAL.isdisjoint(verdict.reasons):
            verdict = replace(verdict, action=Action.STORE, text=text)
        if verdict.text is None:
            return verdict, None
        return verdict, Screened(verdict.text, verdict.reasons, verdict.policy)

    def name(self, value: str, /) -> None:
        """Check a technical name that is stored in clear text.

        Also in a trial store: what is stored in clear text cannot be erased by a key.

        Raises:
            NameRefused: the rules find something about a person in it.
        """
        if judge(value, field="name", policy=self.policy).action is not Action.STORE:
            raise NameRefused

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """Verdicts so far by (category, action); category is empty for a text without findings. No text is kept."""
        with self._lock:
            return MappingProxyType(dict(self._counts))

    def _count(self, verdict: Verdict) -> None:
        with self._lock:
            for reason in verdict.reasons or ("",):
                self._counts[str(reason), str(verdict.action)] += 1
