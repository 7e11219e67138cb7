"""Errors about consent."""

from oblio.errors.base import Fault


class UnknownPurpose(Fault):
    """A purpose that does not exist."""

    code = "consent.unknown_purpose"
    says = "There is no such purpose."
    fix = "Use one of: memory, history, sensitive, analytics."


class BasisNotAllowed(Fault):
    """A legal basis that the purpose cannot rest on."""

    code = "consent.basis_not_allowed"
    says = "The purpose `{purpose}` rests on consent only."
    fix = "Ask the person, then grant it with the basis `consent`."


class UnknownBasis(Fault):
    """A legal basis that does not exist here."""

    code = "consent.unknown_basis"
    says = "There is no such basis."
    fix = "Use `consent`, or `contract` for the purpose history."


class BadNotice(Fault):
    """A notice version that is no version."""

    code = "consent.bad_notice"
    says = "A notice version is a token of 1 to 64 letters, digits, dots, hyphens or underscores."
    fix = "Name the version of the notice that the person saw, for example `2026-11`."


class NeedsMemory(Fault):
    """Sensitive memories without memories."""

    code = "consent.needs_memory"
    says = "`sensitive` can only be granted while `memory` stands."
    fix = "Grant `memory` first."


class ConsentMissing(Fault):
    """A write whose purpose the person did not allow, from a call that cannot answer with a refusal."""

    code = "consent.missing"
    says = "The person has not allowed the purpose `{purpose}`."
    fix = "Ask the person and call `consent.grant`; until then keep it in the conversation only."
