"""A signed document as one readable HTML page: no script, nothing loaded from elsewhere, light and dark.

The page is a view, not the proof: it says so, and where the proof is. It never uses a word that the document does not
support (rules V1, V4): only a receipt with result `complete` is called complete.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from operator import itemgetter
from typing import Final

from oblio.audit.receipt import Document
from oblio.model.erasure import Outcome, Result, Step
from oblio.model.receipt import LIMITS, DocumentKind, FilterMode

_TITLES: Final = {
    DocumentKind.STATEMENT: "Interim statement",
    DocumentKind.RECEIPT: "Erasure receipt",
    DocumentKind.ADDENDUM: "Addendum to an erasure receipt",
}
_RESULTS: Final = {
    Result.COMPLETE: "Complete: every step was carried out and looked at again.",
    Result.COMPLETED_WITH_LIMITS: "Completed with limits: read what is not covered below.",
    Result.NO_DATA: "No data: nothing of the person was found.",
    Result.PARTIALLY_HELD: "Not finished: some items are kept for a documented reason.",
    Result.NEEDS_ATTENTION: "Not finished: a step failed or could not be verified; a person has to act.",
}
_OUTCOMES: Final = {
    Outcome.ERASED: "removed and no longer found when read again",
    Outcome.PURGED: "bytes no longer found in the files",
    Outcome.NO_DATA: "nothing was there",
    Outcome.HELD: "kept for a documented reason",
    Outcome.UNSUPPORTED: "cannot be erased in this system",
    Outcome.PENDING: "not finished",
    Outcome.FAILED: "failed",
    Outcome.NOT_VERIFIED: "accepted, but could not be read again",
}
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem .3rem 0;"
    "border-bottom:1px solid;vertical-align:top}code{overflow-wrap:anywhere}"
)
_CHECK: Final = (
    "<h2>How to check this</h2><p>This page is a view. The proof is the JSON document: it is signed, and the "
    "operator's log commits to it. Verify it offline with <code>oblio receipt verify</code> or with the "
    "independent program that is published with its format, and take the public key from the operator, "
    "not from this page.</p>"
)


def render_html(document: Document, /) -> str:
    """Return a whole HTML page about `document`. The caller has verified it; the page cannot."""
    payload = document.payload
    title = _TITLES[document.kind]
    result = _RESULTS[payload.result] if payload.result else "Not finished: work goes on."
    parts = [
        f"<h1>{title}</h1>",
        f"<p><strong>{result}</strong></p>",
        _trial(payload.filter_mode),
        _table("Facts", ("what", "value"), _facts(document)),
        _table("Steps", ("system", "step", "level", "count", "outcome"), map(_step, payload.steps)),
        _table("When", ("state", "time (UTC)"), ((name, _time(at)) for name, at in _in_order(payload.times))),
        _table(
            "Kept for a documented reason",
            ("hold", "class", "count", "reviewed on"),
            ((line.hold, line.reason, line.count, line.review) for line in payload.holds),
        ),
        _table("Not covered", ("limit", "meaning"), ((token, LIMITS[token]) for token in payload.limits)),
        _CHECK,
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{title}</title><style>{_STYLE}</style></head>'
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _facts(document: Document) -> list[tuple[object, object]]:
    payload = document.payload
    horizon = _time(payload.horizon) if payload.horizon else "not known yet"
    event = [("What has happened since", payload.event)] if payload.event else []
    return [
        *event,
        ("Document", payload.document),
        ("Request", payload.request),
        ("Scope", payload.scope),
        ("State", payload.state),
        ("Issued", _time(payload.issued)),
        ("Backups of the data alone can be read until", horizon),
        ("Derived texts", f"{payload.blanked} blanked, {payload.rebuilt} rebuilt, {payload.queued} waiting"),
        ("Policy version", payload.policy),
        ("Store", payload.store),
        ("Earlier documents", ", ".join(payload.names) or "none"),
        ("Log", f"{document.log.origin}, entry {document.log.index}"),
        ("Key", document.key),
    ]


def _in_order(times: Mapping[str, datetime]) -> list[tuple[str, datetime]]:
    return sorted(times.items(), key=itemgetter(1))


def _step(step: Step) -> tuple[object, ...]:
    reason = f" ({step.reason})" if step.reason else ""
    return step.target, step.name, step.level, step.count, _OUTCOMES[step.outcome] + reason


def _table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return f"<h2>{title}</h2><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _trial(mode: FilterMode) -> str:
    return f"<p>{LIMITS['trial_store']}</p>" if mode is FilterMode.OBSERVE else ""


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"
