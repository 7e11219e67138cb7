"""Errors about persons, handles and what a handle may touch."""

from oblio.errors.base import Fault


class EmptySubject(Fault):
    """An external id without any visible character."""

    code = "subject.empty"
    says = "A subject needs an id; an empty one never means everybody."
    fix = "Pass the id under which your application knows the person."


class SubjectTooLong(Fault):
    """An external id that cannot be an id."""

    code = "subject.too_long"
    says = "A subject id has {size} bytes; at most {limit} are allowed."
    fix = "Pass the id under which your application knows the person, not a document about them."


class SubjectUnreadable(Fault):
    """An external id that is not text."""

    code = "subject.unreadable"
    says = "A subject id holds control characters or is not valid Unicode."
    fix = "Pass plain text; encode binary ids, for example as hexadecimal digits."


class BadTenant(Fault):
    """A tenant name outside the allowed alphabet."""

    code = "tenant.bad_name"
    says = "A tenant name has 1 to 32 lower-case letters, digits or hyphens."
    fix = "Choose such a name in your configuration."


class SubjectLocked(Fault):
    """Use of a person whose erasure is under way."""

    code = "subject.locked"
    says = "An erasure of this person is under way; nothing is read or written."
    fix = "Stop using this handle; `erase()` and `requests()` still answer."


class SubjectErased(Fault):
    """Use of a handle that was made before the person was erased."""

    code = "subject.erased"
    says = "This handle was made before the person was erased."
    fix = "Ask for the subject anew: that is an empty person without consent."


class UnknownItem(Fault):
    """An id that this person does not have; another person's id looks the same."""

    code = "item.unknown"
    says = "This person has no such item."
    fix = "List what there is with `memories()` or `oblio list`."


class BadId(Fault):
    """An id that cannot be one."""

    code = "item.bad_id"
    says = "An id is 32 hexadecimal digits."
    fix = "Copy the id as `oblio list` shows it."


class ErasedSource(Fault):
    """A write that names something erased: the fence of rule X4."""

    code = "item.erased_source"
    says = "{count} of the named sources were erased; nothing was written."
    fix = "Make the text anew from sources that still exist."


class AlreadyThere(Fault):
    """A write under an id that is taken: an import that is repeated meets it and goes on."""

    code = "item.already_there"
    says = "An item of this id exists."
    fix = "Leave the id out; each item gets a fresh one."


class SourceCycle(Fault):
    """A derived item that would be made from itself."""

    code = "provenance.cycle"
    says = "A derived item cannot have itself among its sources."
    fix = "Name only items that were written before."


class TooManySources(Fault):
    """A derived item with more sources than one can have."""

    code = "provenance.too_many_sources"
    says = "{count} sources were named; at most {limit} are allowed."
    fix = "Derive in stages: first digests of parts, then a digest of these."


class TooDeep(Fault):
    """A chain of derived items that is too long."""

    code = "provenance.too_deep"
    says = "The chain of derived items would be longer than {limit}."
    fix = "Derive from the first sources instead of from derived texts."


class NoSources(Fault):
    """A derived item that names nothing (rule X6)."""

    code = "provenance.no_sources"
    says = "A derived item names at least one source."
    fix = "Pass the ids of what the text is made from."


class UnknownDeriver(Fault):
    """A deriver that is not registered."""

    code = "provenance.unknown_deriver"
    says = "No deriver of this name is registered."
    fix = "Register it with `oblio.deriver(name, version=...)` before the first use."
