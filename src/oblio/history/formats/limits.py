"""What a reader accepts before it refuses or leaves out: every file comes from outside and may be hostile."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds of one source."""

    total_bytes: int = 2 * 1024**3
    """Of everything that is read, unpacked."""
    archive_ratio: int = 100
    """Unpacked size over packed size of one file in an archive."""
    archive_files: int = 20_000
    """Entries of an archive, read or not: an export with many pictures has thousands."""
    depth: int = 64
    """Nested objects and lists of one line or one conversation."""
    record_bytes: int = 16 * 1024**2
    """One line, or one conversation of a document: what is in memory at a time. Made of empty lists, which take the
    most, 16 MiB become some 400 MB of objects."""
    message_bytes: int = 1024**2
    """Text of one message in UTF-8."""


DEFAULT_LIMITS = Limits()
