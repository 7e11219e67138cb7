"""Write docs/third-party.md from the metadata of the installed packages that requirements/run.txt names.

Run `python tools/third_party.py` after `make lock`; with `--check` it only compares and fails on a difference.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "third-party.md"
HEAD = """# Third-party packages

What `make demo` installs, by the packages' own metadata. Written by `tools/third_party.py`; hashes stand in
`requirements/run.txt`. Data files that came from elsewhere name their origin and licence in their first lines.

| package | licence | used for |
|---|---|---|
"""
BUILD_ONLY = frozenset({"editables", "hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers"})


def _licence(found: Distribution) -> str:
    metadata = found.metadata
    stated = "".join((metadata.get_all("License-Expression") or metadata.get_all("License") or [])[:1])
    classifiers = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    if not stated or "\n" in stated:
        stated = ", ".join(line.rpartition(" :: ")[2] for line in classifiers)
    return stated or "see the package"


def _table() -> str:
    lock = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE)))
    rows: list[str] = []
    for name in names:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform
        use = "building" if name in BUILD_ONLY else "running"
        rows.append(f"| {name} | {_licence(found)} | {use} |")
    return HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Write the page, or compare it when asked to."""
    table = _table()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(table, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != table:
        sys.exit("docs/third-party.md differs: run `python tools/third_party.py`")


if __name__ == "__main__":
    main()
