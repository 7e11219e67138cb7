"""Faults of the audit log: what does not fit together, and at which entries."""

from oblio.errors.base import Fault


class EntryTooLarge(Fault):
    """An entry is larger than a leaf may be."""

    code = "audit.entry_too_large"
    says = "An audit entry has {size} bytes; the limit is {limit}."
    fix = "This is a defect of the caller: an entry holds tokens and counts only. Please report it."


class NodeMissing(Fault):
    """A hash of a complete subtree that must be stored is not there."""

    code = "audit.node_missing"
    says = "The hash of the subtree at level {level}, index {index} is not stored."
    fix = "Run `oblio audit verify`; then put the newest copies of key place and database back."


class PositionUnknown(Fault):
    """A proof was asked for a position or size that the tree does not have."""

    code = "audit.position_unknown"
    says = "Position {index} does not exist in a tree of {size} entries."
    fix = "Ask for a position below the size of the last checkpoint."


class InclusionUnproven(Fault):
    """A proof does not lead from the entry to the signed root."""

    code = "audit.inclusion_unproven"
    says = "The proof does not show that entry {index} is in the tree of {size} entries."
    fix = "Fetch the document again from its issuer; if it repeats, it was altered or never logged."


class ConsistencyUnproven(Fault):
    """A proof does not show that one tree is a prefix of another."""

    code = "audit.consistency_unproven"
    says = "The proof does not show that the tree of {old} entries is the beginning of the tree of {new}."
    fix = "Keep both checkpoints: together they are evidence of a rewritten log."


class KeyMalformed(Fault):
    """A public key or a key name does not have the written form `name+hash+base64`."""

    code = "audit.key_malformed"
    says = "The public key is not of the form name+hash+base64 ({part})."
    fix = "Copy the whole line that `oblio audit key` prints."


class NoteMalformed(Fault):
    """A checkpoint does not have the form of a signed note."""

    code = "audit.note_malformed"
    says = "The checkpoint is not a well-formed signed note ({part})."
    fix = "Fetch the checkpoint again; if it repeats, it was altered."


class NoteUnsigned(Fault):
    """A checkpoint has no signature of the expected key."""

    code = "audit.note_unsigned"
    says = "The checkpoint has {signatures} signature(s), none of them by the expected key."
    fix = "Check that the public key belongs to this log."


class NoteForged(Fault):
    """A signature claims the expected key and is wrong."""

    code = "audit.note_forged"
    says = "The checkpoint's signature does not match its text."
    fix = "Treat the checkpoint as altered; compare it with the copy in the key place."


class OriginForeign(Fault):
    """A checkpoint was signed for another log."""

    code = "audit.origin_foreign"
    says = "The checkpoint belongs to another log."
    fix = "Use the public key and checkpoint of the same store."


class CheckpointMissing(Fault):
    """The log has entries, or is known outside, but holds no checkpoint."""

    code = "audit.checkpoint_missing"
    says = "The log has {size} entries and no checkpoint."
    fix = "Put the newest copy of the key place back, then run `oblio audit verify`."


class LogBehind(Fault):
    """The copy outside is newer than the log: the database was rolled back or cut."""

    code = "audit.behind"
    says = "The key place knows {known} entries, the log has {size}."
    fix = "Run `oblio restore`: an older copy of the database was opened."


class UnsignedTail(Fault):
    """Entries stand behind the last checkpoint although both are written in one transaction."""

    code = "audit.unsigned_tail"
    says = "Entries {first} to {last} are behind the last checkpoint."
    fix = "Compare with a backup: these rows were not written by the sequencer."


class TailRemoved(Fault):
    """Entries that a checkpoint or a receipt covers are gone from the end."""

    code = "audit.tail_removed"
    says = "Entries {first} to {last} are covered by a signed checkpoint and are missing."
    fix = "Restore the newest data set; keep the checkpoint or receipt as evidence."


class EntriesMissing(Fault):
    """Rows are gone from the middle."""

    code = "audit.entries_missing"
    says = "Entries {first} to {last} are missing from the middle of the log."
    fix = "Restore them from a backup; the tree still holds their hashes."


class EntryChanged(Fault):
    """The bytes of an entry and its stored hash disagree."""

    code = "audit.entry_changed"
    says = "Entry {index} does not match its hash."
    fix = "Restore this entry from a backup."


class NodeChanged(Fault):
    """A stored hash is not the hash of what is below it."""

    code = "audit.node_changed"
    says = "The stored hash over entries {first} to {last} (level {level}) does not match them."
    fix = "Restore these entries from a backup; if they are right, the stored hash was altered."


class HistoryRewritten(Fault):
    """Entries and all hashes agree with each other, but not with what was signed."""

    code = "audit.history_rewritten"
    says = "Entries {first} to {last} are not the ones that were signed."
    fix = "Keep the database and the checkpoint as evidence; restore a backup made before the change."


class LogForked(Fault):
    """Two checkpoints, both signed by the log, disagree about the same entries."""

    code = "audit.forked"
    says = "Two signed checkpoints disagree within entries {first} to {last}."
    fix = "Whoever holds the signing key signed two histories. Keep both checkpoints as evidence."
