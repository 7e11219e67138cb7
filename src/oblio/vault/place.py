"""The key place: a private directory beside the database, or elsewhere, with everything that opens it.

    store.key      version byte, store id 16, secret 32, HMAC 32   lookup, MAC and ledger keys are derived from it
    signer.key     version byte, seed 32                           signs checkpoints and receipts
    epoch.<n>.key  slots.<n>                                       see `providers.local` and `slots`
    head  ledger  checkpoint                                       see `head` and `ledger`

A creation that was cut off leaves the file `creating`: no key of it was ever used, so it is redone. The database is
created after its key place, and names it by the store id.
"""

import hmac
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

from oblio.errors.vault import (
    FormatUnknown,
    KeyPlaceBroken,
    KeyPlaceExists,
    KeyPlaceIncomplete,
    KeyPlaceMissing,
    WrongStore,
)
from oblio.model.ids import ID_BYTES, raw, text
from oblio.ports.provider import EpochKeys
from oblio.ports.store import Cut, uncut
from oblio.vault.derive import MAC_BYTES, Derived
from oblio.vault.envelope import KEY_BYTES, new_key
from oblio.vault.files import DIRECTORY_MODE, check_private, guarded, read_whole, remove, replace_file, sync_directory
from oblio.vault.head import HeadFile
from oblio.vault.ledger import LedgerFile
from oblio.vault.providers.local import LocalEpochKeys
from oblio.vault.slots import SlotFile

FORMAT: Final = 1
FIRST_EPOCH: Final = 1
CUTS: Final = ("place.directory", "place.marked", "place.filled", "epoch.created")


class KeyPlace:
    """An open key place. Make one with `create` or `open`. It is also the `CheckpointPlace` of the audit log."""

    def __init__(self, directory: Path, store_id: str, secret: bytes, /, *, epochs: EpochKeys, cut: Cut) -> None:
        self.directory = directory
        self.store_id = store_id
        self.epochs = epochs
        self.derived = Derived(secret)
        self.cut = cut
        self.head = HeadFile(directory / "head", epochs, store=store_id, cut=cut)
        self.ledger = LedgerFile(directory / "ledger", self.derived.key("ledger"), cut=cut)

    @classmethod
    def create(
        cls, directory: Path, store_id: str, /, *, slots: bool = True, epochs: EpochKeys | None = None, cut: Cut = uncut
    ) -> Self:
        """Make a key place for a new store, durably; one whose creation was cut off is redone.

        Args:
            directory: its place; the parent exists.
            store_id: random id of the store, 32 hexadecimal digits.
            slots: make a slot file; false where holder keys live in tables.
            epochs: the provider of epoch keys, files in `directory` by default.
            cut: called after each durable step.

        Raises:
            KeyPlaceExists: there is one in use, or a directory with other files.
        """
        _prepare(directory, cut)
        secret = new_key()
        place = cls(directory, store_id, secret, epochs=epochs or LocalEpochKeys(directory, cut=cut), cut=cut)
        place.epochs.destroy(FIRST_EPOCH)  # of an attempt that was cut off
        place.epochs.create(FIRST_EPOCH)
        place.head.create(epoch=FIRST_EPOCH)
        place.ledger.create()
        if slots:
            place.create_slots(FIRST_EPOCH, 0)
        place._replace("signer.key", bytes((FORMAT,)) + new_key(), "signer key")
        body = bytes((FORMAT,)) + raw(store_id) + secret
        place._replace("store.key", body + _check(body), "store key")
        cut("place.filled")
        remove(directory / "creating", "directory", cut=cut)
        return place

    @classmethod
    def open(
        cls, directory: Path, /, *, store_id: str | None = None, epochs: EpochKeys | None = None, cut: Cut = uncut
    ) -> Self:
        """Open the key place of a store, and cut off a torn tail of its ledger.

        Raises:
            KeyPlaceMissing: there is none, or its store key is gone.
            KeyPlaceIncomplete: its creation was cut off.
            KeyPlaceExposed: others may read or change it.
            KeyPlaceBroken: its store key is damaged.
            WrongStore: it belongs to another store than `store_id`.
            LedgerForged: its ledger was changed.
        """
        _check_directory(directory)
        if (directory / "creating").exists():
            raise KeyPlaceIncomplete
        found = read_whole(directory / "store.key", "store key")
        body, check = found[:-MAC_BYTES], found[-MAC_BYTES:]
        if found[:1] != bytes((FORMAT,)):
            raise FormatUnknown(version=found[0] if found else 0)
        if len(body) != 1 + ID_BYTES + KEY_BYTES or not hmac.compare_digest(check, _check(body)):
            raise KeyPlaceBroken(role="store key")
        owner = text(body[1 : 1 + ID_BYTES])
        if store_id is not None and owner != store_id:
            raise WrongStore
        provider = epochs or LocalEpochKeys(directory, cut=cut)
        place = cls(directory, owner, body[1 + ID_BYTES :], epochs=provider, cut=cut)
        place.ledger.repair()
        return place

    def signer_seed(self) -> bytes:
        """Return the 32-byte seed of the key that signs checkpoints and receipts.

        Raises:
            KeyPlaceMissing: the file is gone.
            KeyPlaceBroken: it has another size or version.
        """
        found = read_whole(self.directory / "signer.key", "signer key")
        if len(found) != 1 + KEY_BYTES or found[0] != FORMAT:
            raise KeyPlaceBroken(role="signer key")
        return found[1:]

    def save(self, note: bytes, /) -> None:
        """Replace the copy of the newest checkpoint, durably: after a crash it is the old one or the new one."""
        self._replace("checkpoint", bytes((FORMAT,)) + note, "checkpoint")

    def last(self) -> bytes | None:
        """Return the copy of the newest checkpoint, `None` if none was ever saved."""
        try:
            found = read_whole(self.directory / "checkpoint", "checkpoint")
        except KeyPlaceMissing:
            return None
        if found[:1] != bytes((FORMAT,)):
            raise KeyPlaceBroken(role="checkpoint")
        return found[1:]

    def archive(self) -> str | None:
        """Put the last checkpoint aside as `checkpoint.<n>`; see `ports.notary.LogBreak`."""
        note = self.last()
        if note is not None:
            with guarded("checkpoint"):
                (self.directory / "checkpoint").rename(self.directory / f"checkpoint.{self.logs_ended + 1}")
            sync_directory(self.directory)
        return self.ended_log()

    def ended_log(self) -> str | None:
        """Return the digest of the last checkpoint of the log before this one, `None` when this is the first."""
        if not self.logs_ended:
            return None
        note = read_whole(self.directory / f"checkpoint.{self.logs_ended}", "checkpoint")[1:]
        return sha256(note).hexdigest()

    @property
    def logs_ended(self) -> int:
        """How many audit logs ended here because an old copy of the database was put back."""
        with guarded("directory"):
            return sum(path.suffix[1:].isdigit() for path in self.directory.glob("checkpoint.*"))

    def next_epoch(self, current: int, /) -> int:
        """Make the key of a new epoch, durably, and return its number.

        An epoch above the current one was left by an attempt that nobody knows of any more. Keys may have been wrapped
        under it, so it is destroyed and its number not given again (rule K6).
        """
        left = [epoch for epoch in self.epochs.epochs() if epoch > current]
        for epoch in left:
            self.epochs.destroy(epoch)
            self.drop_slots(epoch)
        epoch = max([current, *left]) + 1
        self.epochs.create(epoch)
        self.cut("epoch.created")
        return epoch

    def create_slots(self, epoch: int, slots: int, /) -> None:
        """Make the slot file of an epoch, all empty, durably."""
        SlotFile.create(self._slots(epoch), epoch=epoch, store=self.store_id, slots=slots, cut=self.cut)

    def slots(self, epoch: int, /) -> AbstractContextManager[SlotFile]:
        """Open the slot file of an epoch.

        Raises:
            SlotFileMissing: there is none.
        """
        return SlotFile.opened(self._slots(epoch), epoch=epoch, store=self.store_id)

    def drop_slots(self, epoch: int, /) -> None:
        """Remove the slot file of an epoch, durably. Quiet when it is gone."""
        remove(self._slots(epoch), "slots", cut=self.cut)

    def files(self) -> Sequence[Path]:
        """Return every file that a byte check must read."""
        with guarded("directory"):
            return sorted(path for path in self.directory.iterdir() if path.is_file())

    def _slots(self, epoch: int) -> Path:
        return self.directory / f"slots.{epoch}"

    def _replace(self, name: str, body: bytes, role: str) -> None:
        replace_file(self.directory / name, body, role, cut=self.cut)


def _check(body: bytes) -> bytes:
    """Return what shows damage of the store key; who can read the file can make it anew."""
    return hmac.new(body[-KEY_BYTES:], b"oblio/store.key/1" + body, sha256).digest()


def _prepare(directory: Path, cut: Cut) -> None:
    """Make the directory with the mark of an unfinished creation."""
    with guarded("directory"):
        directory.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        names = {path.name for path in directory.iterdir()}
    cut("place.directory")
    if names - {"creating.tmp"} and "creating" not in names:
        raise KeyPlaceExists
    _check_directory(directory)
    sync_directory(directory.parent)
    replace_file(directory / "creating", bytes((FORMAT,)), "directory", cut=cut)
    cut("place.marked")


def _check_directory(directory: Path) -> None:
    with guarded("directory"):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            check_private(descriptor, "directory")
        finally:
            os.close(descriptor)
