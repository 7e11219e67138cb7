import ast
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> Mapping[str, str]:
    """Text of every shipped module by its dotted name; a package is its `__init__`."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text(encoding="utf-8")
    if not found:
        message = "no source found: the rules would pass on nothing"
        raise RuntimeError(message)
    return MappingProxyType(found)


@pytest.fixture(scope="session")
def trees(sources: Mapping[str, str]) -> Mapping[str, ast.Module]:
    """Syntax tree of every shipped module by its dotted name."""
    return MappingProxyType({name: ast.parse(text) for name, text in sources.items()})
