"""Past conversations on their way in: how a file is read, and how statements are found in a message."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from oblio.history.formats.detect import open_source
from oblio.memory.extract import statements
from oblio.model.conversation import Record


def extracted(text: str, /) -> Sequence[tuple[str, str]]:
    """Return the statements in a person's message with their kinds, by the embedded extractor."""
    return [(each.text, each.kind) for each in statements(text)]


def read_source(path: str | Path, /, *, after: str | None) -> Iterator[Record]:
    """Read a file of past conversations from a position on."""
    return open_source(path, after=after)
