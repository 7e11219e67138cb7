"""The sentences of the command line about outcomes. No word of success stands beside a result that is not `complete`
(rules V1 and V4)."""  # noqa: D205, D209

from collections.abc import Iterable, Mapping
from typing import Final

from oblio.model.erasure import Outcome, Result, State
from oblio.model.screening import Reason

RESULTS: Final[Mapping[Result, str]] = {
    Result.COMPLETE: "every step was carried out and looked at again",
    Result.COMPLETED_WITH_LIMITS: "carried out as far as the limits below allow",
    Result.NO_DATA: "nothing of the person was found",
    Result.PARTIALLY_HELD: "not finished: some items are kept for a documented reason",
    Result.NEEDS_ATTENTION: "not finished: a step failed or could not be looked at; a person has to act",
}
OUTCOMES: Final[Mapping[Outcome, str]] = {
    Outcome.ERASED: "gone, and not found when read again",
    Outcome.PURGED: "their bytes are in no live file any more",
    Outcome.NO_DATA: "nothing was there",
    Outcome.HELD: "kept for a documented reason",
    Outcome.UNSUPPORTED: "cannot be erased in this system",
    Outcome.PENDING: "not finished",
    Outcome.FAILED: "not done",
    Outcome.NOT_VERIFIED: "accepted, but could not be looked at again",
}
STATES: Final[Mapping[State, str]] = {
    State.REQUESTED: "asked for, nothing touched yet",
    State.LOCKED: "recorded and locked; goes on by itself",
    State.IN_PROGRESS: "work goes on by itself",
    State.PARTIALLY_BLOCKED: "waits for a person: `oblio erasure retry`",
    State.COMPLETED: "has reached its end",
    State.CANCELLED: "called off before anything was touched",
}
REASONS: Final[Mapping[Reason, str]] = {
    Reason.NATIONAL_ID: "a personal identity number",
    Reason.EMAIL: "an e-mail address",
    Reason.PHONE: "a telephone number",
    Reason.ADDRESS: "an address",
    Reason.PAYMENT: "card or bank details",
    Reason.SECRET: "a password, key or code",
    Reason.HEALTH: "something about health",
    Reason.ART9: "a special category of GDPR article 9",
    Reason.THIRD_PARTY: "something about another person",
    Reason.CHILD: "something about a child",
    Reason.KIND_NOT_PERMITTED: "a kind that is not allowed here",
    Reason.CONSENT_MISSING: "no consent for this purpose",
    Reason.TOO_LONG: "more text than can be kept at once",
    Reason.UNREADABLE: "text that could not be judged",
}
STAYS: Final[Mapping[str, str]] = {
    "source_message": "the message it came from stays in the person's own history and is never used for a memory again",
}
_PLURALS: Final[Mapping[str, tuple[str, str]]] = {
    "memory": ("memory", "memories"),
    "message": ("message", "messages"),
    "derived": ("derived text", "derived texts"),
}


def number_of(count: int, noun: str, /) -> str:
    """Return a number with its noun, such as `2 memories`."""
    one, many = _PLURALS.get(noun, (noun, f"{noun}s"))
    return f"{count} {one if count == 1 else many}"


def counted(counts: Mapping[str, int], /) -> str:
    """Return several numbers with their nouns."""
    return ", ".join(number_of(count, noun) for noun, count in counts.items() if count) or "nothing"


def reason(token: str, /) -> str:
    """Return the sentence of a reason token; the token itself when it is newer than this table."""
    try:
        return REASONS[Reason(token)]
    except ValueError:
        return token.replace("_", " ")


def because(tokens: Iterable[str], /) -> str:
    """Return the reasons of a refusal, with their tokens."""
    return "; ".join(f"{reason(token)} ({token})" for token in tokens)
