"""Errors of the vault. Facts are epochs, slots' counts and error numbers: never key bytes, paths or ids of persons."""

from oblio.errors.base import Fault


class KeyDestroyed(Fault):
    """The holder's key is gone for good, and with it everything sealed for that holder."""

    code = "vault.key_destroyed"
    says = "The key of this holder was destroyed; what it sealed cannot be read by anybody."
    fix = "Nothing is left to do: ask for the subject anew if the person has come back."


class KeyDamaged(Fault):
    """The wrapped key of a living holder does not authenticate."""

    code = "vault.key_damaged"
    says = "A key in the key file of epoch {epoch} is damaged, or belongs to another holder, slot or store."
    fix = "Put the newest copy of the key place back, then run `oblio doctor`."


class KeyTorn(KeyDamaged):
    """The checksum of a slot is wrong: it was written in part."""

    code = "vault.key_torn"
    says = "A slot of the key file of epoch {epoch} was written in part: its checksum is wrong."


class KeyForeign(KeyDamaged):
    """The checksum of a slot is right, but the key in it is not this holder's."""

    code = "vault.key_foreign"
    says = "A key in the key file of epoch {epoch} belongs to another holder, slot or store."


class ContentForged(Fault):
    """Sealed bytes do not authenticate for the item they were found at."""

    code = "vault.content_forged"
    says = "Stored content does not authenticate: it was changed, moved from another item, or is not sealed at all."
    fix = "Run `oblio doctor`; restore the data set if it was damaged."


class FormatUnknown(Fault):
    """A stored format begins with a version that this release does not know."""

    code = "vault.format_unknown"
    says = "A sealed or key file format has version {version}, which this release does not know."
    fix = "Update Oblio; plain or foreign bytes are never read."


class SlotFileMissing(Fault):
    """The database names an epoch whose slot file is not in the key place."""

    code = "vault.slot_file_missing"
    says = "The slot file of epoch {epoch} is not in the key place."
    fix = "Check that the key place belongs to this database; else put its newest copy back."


class SlotFileBroken(Fault):
    """The head of a slot file is not what it must be."""

    code = "vault.slot_file_broken"
    says = "The slot file of epoch {epoch} has a damaged or foreign header."
    fix = "Put the newest copy of the key place back."


class SlotFileTruncated(Fault):
    """A slot file ends before a slot that is in use."""

    code = "vault.slot_file_truncated"
    says = "The slot file of epoch {epoch} ends too early."
    fix = "Put the newest copy of the key place back."


class WrongStore(Fault):
    """The key place, or a file in it, belongs to another store."""

    code = "vault.wrong_store"
    says = "The key place belongs to another store."
    fix = "Name the key place that was created together with this database."


class KeyPlaceMissing(Fault):
    """There is no key place, or a file of it is gone."""

    code = "vault.place_missing"
    says = "The key place or its file of role `{role}` does not exist."
    fix = "Put the key place back where it was (beside the database, or at `OBLIO_KEYS`), or its newest copy."


class KeyPlaceExists(Fault):
    """A key place would be created over one that is in use."""

    code = "vault.place_exists"
    says = "A key place exists already; it was not touched."
    fix = "Open it instead, or choose another place."


class KeyPlaceIncomplete(Fault):
    """The creation of a key place was cut off."""

    code = "vault.place_incomplete"
    says = "The creation of the key place was interrupted; no key in it was ever used."
    fix = "Create the store again: an interrupted creation is redone."


class KeyPlaceBroken(Fault):
    """A file of the key place does not authenticate."""

    code = "vault.place_broken"
    says = "The key place's file of role `{role}` is damaged."
    fix = "Put the newest copy of the key place back."


class KeyPlaceExposed(Fault):
    """The key place or one of its files may be read or changed by other users."""

    code = "vault.place_exposed"
    says = "The key place's `{role}` has permissions {mode}; other users may read or change it."
    fix = "Set the directory to 0700 and its files to 0600 (`chmod`), and check who could read them."


class KeyPlaceReadOnly(Fault):
    """The key place cannot be written to."""

    code = "vault.place_read_only"
    says = "The key place cannot be written to (`{role}`)."
    fix = "Give this user write permission, or mount the file system for writing."


class KeyPlaceFull(Fault):
    """There is no room left for keys."""

    code = "vault.place_full"
    says = "There is no room left in the key place (`{role}`); nothing that was acknowledged is lost."
    fix = "Free some space and try again."


class KeyPlaceFailed(Fault):
    """The system refused a read or write in the key place."""

    code = "vault.place_failed"
    says = "The system refused access to the key place's `{role}` (error number {number})."
    fix = "Check the disk and the file system of the key place."


class EpochGone(Fault):
    """An epoch key was destroyed or never existed."""

    code = "vault.epoch_gone"
    says = "The key of epoch {epoch} does not exist any more."
    fix = "If this database was put back from an old copy, restore it with `oblio restore`."


class EpochNotGone(Fault):
    """A destroyed epoch key can still be loaded, so the rotation must not be called finished."""

    code = "vault.epoch_not_gone"
    says = "The key of epoch {epoch} was destroyed, but the provider still has it."
    fix = "Run `oblio vault rotate` again; if it repeats, check the key provider."


class KeySetUnproven(Fault):
    """The key set read back from its destination is not the one that was written."""

    code = "vault.key_set_unproven"
    says = "The key set of epoch {epoch} could not be read back as written; the old epoch was kept."
    fix = "Check the destination of the key set, then run `oblio vault rotate` again."


class StoreIsOlder(Fault):
    """The database is behind the key place: an old copy was put back."""

    code = "vault.store_is_older"
    says = "The database stands at {store_counter}, the key place at {place_counter}: an old copy was put back."
    fix = "Run `oblio restore` to replay the erasures that the copy does not know."


class KeysAreOlder(Fault):
    """The key place is behind the database: an old copy of it was put back."""

    code = "vault.keys_are_older"
    says = "The key place stands at {place_counter}, the database at {store_counter}: an old key place was put back."
    fix = "Put back the newest key place; else a database that is not newer than this one, and run `oblio restore`."


class LedgerForged(Fault):
    """A record of the erasure ledger does not authenticate."""

    code = "vault.ledger_forged"
    says = "Record {record} of the erasure ledger does not authenticate."
    fix = "Put the newest copy of the key place back; do not open the store without its ledger."
