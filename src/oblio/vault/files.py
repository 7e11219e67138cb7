"""Files of the key place: private, whole after a crash, and clear about what went wrong.

Invariants: nothing is read from or written to a file that others may read or change; a replaced file is the old one or
the new one, never a mix; errors name the role of a file, never its path.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oblio.errors.vault import KeyPlaceExposed, KeyPlaceFailed, KeyPlaceFull, KeyPlaceMissing, KeyPlaceReadOnly
from oblio.ports.store import Cut

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600
CUTS: Final = ("file.written", "file.synced", "file.renamed", "file.zeroed", "file.unlinked")

_OTHERS: Final = 0o077
_READ_ONLY: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def guarded(role: str, /) -> Iterator[None]:
    """Turn what the system refuses into a fault that names the role of the file.

    The system's own error names the path, so it is not shown behind ours.

    Raises:
        KeyPlaceMissing: it is not there.
        KeyPlaceReadOnly: it may not be read or written.
        KeyPlaceFull: no room is left.
        KeyPlaceFailed: anything else.
    """
    try:
        yield
    except FileNotFoundError:
        raise KeyPlaceMissing(role=role) from None
    except OSError as error:
        if error.errno in _READ_ONLY:
            raise KeyPlaceReadOnly(role=role) from None
        if error.errno in _FULL:
            raise KeyPlaceFull(role=role) from None
        raise KeyPlaceFailed(role=role, number=error.errno or 0) from None


def check_private(descriptor: int, role: str, /) -> None:
    """Refuse an open file or directory that group or others have any right to.

    Raises:
        KeyPlaceExposed: they have.
    """
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    if mode & _OTHERS:
        raise KeyPlaceExposed(role=role, mode=f"{mode:04o}")


@contextmanager
def opened(path: Path, flags: int, role: str, /) -> Iterator[int]:
    """Open a private file; a new one gets mode 0600 whatever the umask says."""
    with guarded(role):
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            if flags & os.O_CREAT:
                os.fchmod(descriptor, FILE_MODE)
            check_private(descriptor, role)
            yield descriptor
        finally:
            os.close(descriptor)


def read_whole(path: Path, role: str, /) -> bytes:
    """Return the bytes of a small private file."""
    with opened(path, os.O_RDONLY, role) as descriptor:
        return read_at(descriptor, os.fstat(descriptor).st_size, 0)


def read_at(descriptor: int, size: int, offset: int, /) -> bytes:
    """Read `size` bytes, fewer only where the file ends."""
    parts = bytearray()
    while len(parts) < size and (part := os.pread(descriptor, size - len(parts), offset + len(parts))):
        parts += part
    return bytes(parts)


def write_at(descriptor: int, body: bytes, offset: int, /) -> None:
    """Write all of `body`; a disk that fills up in between raises."""
    done = 0
    while done < len(body):
        done += os.pwrite(descriptor, body[done:], offset + done)


def sync_directory(path: Path, role: str = "directory", /) -> None:
    """Make new, renamed and removed names durable."""
    with guarded(role):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def replace_file(path: Path, body: bytes, role: str, /, *, size: int = 0, cut: Cut) -> None:
    """Put `body` (filled up with zeros to `size` bytes) in the place of a file: temporary name, sync, rename, sync."""
    temporary = path.with_name(f"{path.name}.tmp")
    with opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, role) as descriptor:
        write_at(descriptor, body, 0)
        os.ftruncate(descriptor, max(size, len(body)))
        cut("file.written")
        os.fsync(descriptor)
    cut("file.synced")
    with guarded(role):
        temporary.replace(path)
    cut("file.renamed")
    sync_directory(path.parent)


def shred(path: Path, role: str, /, *, cut: Cut) -> None:
    """Overwrite a file with zeros, then remove its name, each durably. Quiet when it is gone."""
    try:
        with opened(path, os.O_WRONLY, role) as descriptor:
            write_at(descriptor, bytes(os.fstat(descriptor).st_size), 0)
            os.fsync(descriptor)
    except KeyPlaceMissing:
        return
    cut("file.zeroed")
    remove(path, role, cut=cut)


def remove(path: Path, role: str, /, *, cut: Cut) -> None:
    """Remove the name of a file, durably. Quiet when it is gone."""
    with guarded(role):
        path.unlink(missing_ok=True)
    cut("file.unlinked")
    sync_directory(path.parent)
