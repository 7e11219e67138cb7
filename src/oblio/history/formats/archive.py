"""Zip archives: which files are read, and which archives are refused.

Entries are only ever read as streams, nothing is unpacked to a disk. An archive with an entry that leaves its folder or
that is a link is refused whole, since nobody packs conversations that way; so is a compression ratio over the limit
among the files that would be read. Other entries (pictures, voice) are never opened. A zip within the zip is one
of those; an archive with nothing but such is refused.
"""

import re
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import IO, Final

from oblio.errors.ingest import ArchiveBroken, ArchiveRefused
from oblio.history.formats.limits import Limits

_CHATS: Final = re.compile(r"conversations(-\d+)?\.json", re.ASCII)
_READ: Final = (".json", ".jsonl", ".ndjson")
_NESTED: Final = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".zst")
_ENCRYPTED: Final = 0x1
_DRIVE: Final = re.compile(r"[A-Za-z]:", re.ASCII)


def members(archive: zipfile.ZipFile, /, *, limits: Limits) -> Sequence[zipfile.ZipInfo]:
    """Return the files with conversations, by name; a ChatGPT export's `conversations.json` alone where it is there.

    Raises:
        ArchiveRefused: see the module.
    """
    entries = archive.infolist()
    if len(entries) > limits.archive_files:
        raise ArchiveRefused(member=0, why="too many files")
    for number, entry in enumerate(entries, start=1):
        _check_place(entry, number=number)
    files = sorted((entry for entry in entries if not entry.is_dir()), key=lambda entry: entry.filename)
    chats = [entry for entry in files if _CHATS.fullmatch(PurePosixPath(entry.filename).name)]
    chosen = chats or [entry for entry in files if entry.filename.lower().endswith(_READ)]
    if not chosen:
        nested = any(entry.filename.lower().endswith(_NESTED) for entry in files)
        raise ArchiveRefused(member=0, why="an archive in an archive" if nested else "no file that can be read")
    for number, entry in enumerate(chosen, start=1):
        _check_content(entry, number=number, limits=limits)
    return chosen


def opened(stream: IO[bytes], /) -> zipfile.ZipFile:
    """Open an archive.

    Raises:
        ArchiveBroken: its list of files cannot be read.
    """
    try:
        return zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise ArchiveBroken(member=0) from None  # theirs may name a file of the archive


def stem(entry: zipfile.ZipInfo, /) -> str:
    """Return an entry's name without its ending, with folders: unique in the archive but for the ending."""
    return str(PurePosixPath(entry.filename).with_suffix(""))


def _check_place(entry: zipfile.ZipInfo, *, number: int) -> None:
    name = entry.filename.replace("\\", "/")
    if name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        raise ArchiveRefused(member=number, why="its name leaves the archive")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ArchiveRefused(member=number, why="it is a link")


def _check_content(entry: zipfile.ZipInfo, *, number: int, limits: Limits) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise ArchiveRefused(member=number, why="it is encrypted")
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ArchiveRefused(member=number, why="it is packed in an uncommon way")
    if entry.file_size > limits.archive_ratio * max(entry.compress_size, 1):
        raise ArchiveRefused(member=number, why="it unpacks to far more than it holds")


def contents(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], /) -> Iterator[tuple[int, IO[bytes]]]:
    """Open the files one after the other, numbered from 1.

    Raises:
        ArchiveBroken: a file's entry is damaged.
    """
    for number, entry in enumerate(entries, start=1):
        try:
            stream = archive.open(entry)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
            raise ArchiveBroken(member=number) from None
        with stream:
            yield number, stream
