"""Errors about derived items."""

from oblio.errors.base import Fault


class BadName(Fault):
    """A name of a derived item, deriver or version that is stored in clear text and is no token."""

    code = "provenance.bad_name"
    says = "A name or version has 1 to 32 lower-case letters, digits, dots, hyphens or underscores."
    fix = "Choose a technical name such as `profile` or `digest`; content belongs in the text."


class DeriverFailed(Fault):
    """A deriver raised or returned something else than text."""

    code = "provenance.deriver_failed"
    says = "The deriver did not return a text; nothing was stored."
    fix = "Run your deriver on its own and mend it; its own error is not shown because it may repeat content."
