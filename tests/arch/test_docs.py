"""The pages do not promise what nothing checks: threats name their tests, links lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

THREAT = re.compile(r"^- \*\*T\d+\. .*?(?=^- \*\*T\d|\Z)", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
LIMIT = re.compile(r"\bLIMITATIONS ((?:[NFV]\d+)(?:, [NFV]\d+)*)")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)\)")
SKIPPED = frozenset({".venv", ".cache", ".git", "node_modules"})


def pages(root: Path) -> Iterator[Path]:
    """Yield every Markdown page of the repository."""
    for path in sorted(root.rglob("*.md")):
        if not SKIPPED & set(path.relative_to(root).parts):
            yield path


def unproven(threats: str, limits: str, root: Path) -> list[str]:
    """Return the threats that name neither a test nor a limitation, and every named one that does not exist."""
    found: list[str] = []
    for match in THREAT.finditer(threats):
        entry = match.group()
        tests = TEST.findall(entry)
        named = [limit for group in LIMIT.findall(entry) for limit in group.split(", ")]
        if not tests and not named:
            found.append(entry.splitlines()[0])
        found += [f"{path}::{name}" for path, name in tests if not _defines(root / path, name)]
        found += [limit for limit in named if f"- **{limit}." not in limits]
    return found


def _defines(path: Path, name: str) -> bool:
    return path.is_file() and re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def dead_links(page: Path) -> list[str]:
    """Return the local links of a page that lead nowhere."""
    return [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]


def test_every_threat_names_an_existing_test_or_limitation(root: Path) -> None:
    threats = (root / "THREAT_MODEL.md").read_text(encoding="utf-8")
    limits = (root / "LIMITATIONS.md").read_text(encoding="utf-8")
    assert len(THREAT.findall(threats)) >= 15
    assert unproven(threats, limits, root) == []


def test_a_threat_without_proof_and_a_test_that_is_gone_are_found(root: Path) -> None:
    threats = (
        "- **T1. Nothing.** No proof.\n"
        "- **T2. Gone.** `tests/arch/test_docs.py::test_gone` and LIMITATIONS N1, N99.\n"
        "- **T3. Fine.** `tests/arch/test_docs.py::test_local_links_lead_somewhere`\n"
    )
    assert unproven(threats, "- **N1. Raw.**", root) == [
        "- **T1. Nothing.** No proof.",
        "tests/arch/test_docs.py::test_gone",
        "N99",
    ]


def test_local_links_lead_somewhere(root: Path) -> None:
    found = {str(page.relative_to(root)): dead_links(page) for page in pages(root)}
    assert len(found) > 5
    assert {page: links for page, links in found.items() if links} == {}


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[here](page.md) [gone](gone.md) [far](https://example.org)", encoding="utf-8")
    assert dead_links(page) == ["gone.md"]
