"""Errors about writing and reading items."""

from oblio.errors.base import Fault


class NoSuchKind(Fault):
    """A kind that no deletion class exists for."""

    code = "memory.no_such_kind"
    says = "There is no kind of this name."
    fix = "Use one of: preference, goal, difficulty, fact, session, sensitive."


class BadTime(Fault):
    """A time that cannot be placed."""

    code = "memory.bad_time"
    says = "A time must carry its zone."
    fix = "Pass an aware `datetime`, for example `datetime.now(UTC)`."


class ItemUnreadable(Fault):
    """Stored content in a form that this version does not know."""

    code = "item.unreadable"
    says = "A stored item has format {format}, which this version cannot read."
    fix = "Use the version of Oblio that wrote it, or a newer one."


class EmptyQuery(Fault):
    """A question without a word in it."""

    code = "recall.empty_query"
    says = "A question needs at least one visible character; an empty one never means everything."
    fix = "Use `memories()` to list everything."


class QueryTooLong(Fault):
    """A question of a size that no question has."""

    code = "recall.query_too_long"
    says = "A question has {size} characters; at most {limit} are allowed."
    fix = "Pass the question, or the last messages, rather than a whole document."


class BadLimit(Fault):
    """A number of answers that makes no sense."""

    code = "recall.bad_limit"
    says = "A limit is a whole number from 1 to {most}."
    fix = "Leave it out for the default."
