"""Errors of the write gate's own data. What a text holds is never an error: that is a verdict."""

from oblio.errors.base import Fault


class LexiconUnreadable(Fault):
    """A word list of the gate has an entry that could never match, so the list cannot be trusted."""

    code = "filter.lexicon_unreadable"
    says = "A word list has a stem or ending of {size} letter(s); at least two are needed."
    fix = "Reinstall the package, or mend the list under oblio/filter/lexicons."


class NameRefused(Fault):
    """A technical name that is no technical name."""

    code = "filter.name_refused"
    says = "A technical name is stored in clear text and must not tell anything about a person; this one might."
    fix = "Choose a word of your application, such as `profile`, `digest` or `2026-11`."
