"""Looks for bytes in files: the byte check that decides whether something is gone (rule X14).

Blocks overlap by the longest needle less one byte, so that none hides on a boundary. A file that changed while it was
read is read again, whole. A file that vanishes has nothing to find.

No file is opened in this process. POSIX record locks, which SQLite uses, belong to a process and are all lost when it
closes any descriptor of the file: after that another process would take the database for unused, remove its log, and
what is written here would go nowhere. So another program reads and hands the bytes over a pipe.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Final, NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from oblio.errors.storage import FilesRestless, NeedleTooShort, StoreNotReadable

MIN_NEEDLE_BYTES: Final = 12
"""A nonce. Shorter needles would be found by chance."""

BLOCK_BYTES: Final = 4 * 1024 * 1024
_TRIES: Final = 5
_CAT: Final = "import shutil, sys; shutil.copyfileobj(open(sys.argv[1], 'rb'), sys.stdout.buffer, 1 << 20)"


class FileResidue:
    """`Residue` over files.

    Args:
        files: called at each look for the files to read; folders in it are read with everything below them.
    """

    def __init__(self, files: Callable[[], Sequence[Path]], /) -> None:
        self._files = files

    def found(self, needles: Sequence[bytes], /) -> frozenset[int]:
        """Return the indexes of the needles that occur in any file now.

        Raises:
            NeedleTooShort: a needle has fewer than 12 bytes.
            FilesRestless: a file grew during each of five readings.
            StoreNotReadable: a file cannot be read, so nothing can be said about it.
        """
        if any(len(needle) < MIN_NEEDLE_BYTES for needle in needles):
            raise NeedleTooShort(least=MIN_NEEDLE_BYTES)
        if not needles:
            return frozenset()
        unique = list(dict.fromkeys(needles))
        search = _Search(BytesAhoCorasick(unique), overlap=max(map(len, unique)) - 1)
        for path in _regular(self._files()):
            search.read(path)
        hits = {unique[number] for number in search.hits}
        return frozenset(index for index, needle in enumerate(needles) if needle in hits)


class _Search:
    def __init__(self, automaton: BytesAhoCorasick, *, overlap: int) -> None:
        self.hits: set[int] = set()
        self._automaton = automaton
        self._overlap = overlap

    def read(self, path: Path, /) -> None:
        """Search a file until one reading saw it unchanged, or several of them saw the same size.

        Pages that others write meanwhile change times without an end; what lies still is found by the first reading.

        Raises:
            FilesRestless: it grew during the last reading too.
        """
        grew = False
        for _ in range(_TRIES):
            before = _stamp(path)
            self._read_once(path)
            after = _stamp(path)
            if before is None or after is None or before == after:
                return
            grew = after.size > before.size
        if grew:
            raise FilesRestless(tries=_TRIES)

    def _read_once(self, path: Path) -> None:
        tail = b""
        for block in _blocks(path):
            window = tail + block
            matches = self._automaton.find_matches_as_indexes(window, overlapping=True)
            self.hits.update(number for number, _start, _end in matches)
            tail = window[-self._overlap :]


def _blocks(path: Path, /) -> Iterator[bytes]:
    """Yield the bytes of a file, read by another process.

    Raises:
        StoreNotReadable: it is there and cannot be read.
    """
    stamp = _stamp(path)
    if stamp is None or not stamp.size:
        return
    with _reader(path) as reader:
        if reader.stdout is not None:
            while block := reader.stdout.read(BLOCK_BYTES):
                yield block
    if reader.returncode and path.exists():
        raise StoreNotReadable


def _reader(path: Path, /) -> subprocess.Popen[bytes]:
    """Start the system's `cat`, or where there is none this Python.

    Raises:
        StoreNotReadable: this system does not let us.
    """
    try:
        return subprocess.Popen(  # noqa: S603 -- no shell, and the name is one of our files
            [*_command(), path.name],
            cwd=path.parent,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        pass
    raise StoreNotReadable


def _command() -> Sequence[str]:
    found = which("cat", path=os.defpath)
    return (sys.executable, "-I", "-S", "-c", _CAT) if found is None else (found, "--")


class _Stamp(NamedTuple):
    inode: int
    size: int
    changed: int


def _stamp(path: Path, /) -> _Stamp | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return _Stamp(status.st_ino, status.st_size, status.st_mtime_ns)


def _regular(paths: Sequence[Path], /) -> list[Path]:
    """Return the files among the paths and below the folders among them, each once."""
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            for folder, _names, inside in os.walk(path):
                files.update(dict.fromkeys(Path(folder) / name for name in inside))
        else:
            files[path] = None
    return list(files)
