"""The published 60-line program agrees with `Receipt.verify`, and shares no code with it."""

import ast
import copy
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.audit.conftest import ORIGIN, World

from oblio.audit.receipt import Receipt
from oblio.audit.signer import Signer
from oblio.errors.base import Fault
from oblio.model.receipt import DocumentKind

PROGRAM = Path(__file__).resolve().parents[3] / "docs" / "spec" / "verify_receipt.py"


def run(path: Path, text: str, key: str) -> tuple[int, str]:
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(PROGRAM), str(path), key], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value in a JSON document, containers included."""
    if path:
        yield path
    keys: Any = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from places(value[key], (*path, key))


def other(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, str):
        middle = len(value) // 2
        return value[:middle] + ("b" if value[middle : middle + 1] == "a" else "a") + value[middle + 1 :]
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + 1
    return [*value, "a"] if isinstance(value, list) else value | {"a": "a"}


def mutations(document: Any, *, removals: bool) -> Iterator[str]:
    """Yield the document with each value changed, and, when asked, with each value left out."""
    for path in places(document):
        for change in (other, None) if removals else (other,):
            changed = copy.deepcopy(document)
            place = changed
            for key in path[:-1]:
                place = place[key]
            if change:
                place[path[-1]] = change(place[path[-1]])
            else:
                del place[path[-1]]
            yield json.dumps(changed)
    lines = document["log"]["checkpoint"].split("\n")
    for number in range(len(lines)):
        note = "\n".join([*lines[:number], other(lines[number]), *lines[number + 1 :]])
        yield json.dumps(document | {"log": document["log"] | {"checkpoint": note}})


def refused_in_process(text: str, key: str) -> bool:
    spec = importlib.util.spec_from_file_location("verify_receipt", PROGRAM)
    if spec is None or spec.loader is None:
        message = "the program is missing"
        raise RuntimeError(message)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    try:
        program.verify(json.loads(text, object_pairs_hook=program.unique), key)
    except (Exception, SystemExit):  # noqa: BLE001 -- as the program does
        return True
    return False


def test_a_good_receipt_is_valid(grown: World, tmp_path: Path) -> None:
    assert run(tmp_path / "receipt.json", grown.document().to_json(), grown.key) == (
        0,
        "VALID: signed, logged, unchanged\n",
    )


def test_the_only_entry_of_a_log_is_valid(world: World, tmp_path: Path) -> None:
    assert run(tmp_path / "receipt.json", world.document().to_json(), world.key)[0] == 0


@pytest.mark.parametrize("kind", [DocumentKind.STATEMENT, DocumentKind.ADDENDUM])
def test_another_document_is_no_receipt(grown: World, tmp_path: Path, kind: DocumentKind) -> None:
    status, said = run(tmp_path / "receipt.json", grown.document(kind).to_json(), grown.key)
    assert (status, said) == (1, "NOT VALID: type\n")


def test_another_key_and_a_missing_argument_end_with_status_1(grown: World, tmp_path: Path) -> None:
    text = grown.document().to_json()
    status, said = run(tmp_path / "receipt.json", text, str(Signer(ORIGIN, bytes(32)).key))
    assert (status, said) == (1, "NOT VALID: key name\n")
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "NOT VALID: IndexError\n")


def test_both_verifiers_refuse_every_changed_and_every_missing_value(grown: World) -> None:
    document = json.loads(grown.document().to_json())
    assert not refused_in_process(json.dumps(document), grown.key)
    tried = 0
    for text in mutations(document, removals=True):
        assert refused_in_process(text, grown.key), text
        with pytest.raises(Fault):
            Receipt.from_json(text).verify(grown.key)
        tried += 1
    assert tried > 100


@pytest.mark.slow
def test_the_program_itself_refuses_every_changed_value(grown: World, tmp_path: Path) -> None:
    document = json.loads(grown.document().to_json())
    for text in mutations(document, removals=False):
        status, said = run(tmp_path / "receipt.json", text, grown.key)
        assert status == 1, text
        assert said.startswith("NOT VALID: ")
        assert said.count("\n") == 1


def test_the_program_has_at_most_60_lines_of_code_and_shares_none_with_us() -> None:
    text = PROGRAM.read_text(encoding="utf-8")
    tree = ast.parse(text)
    described: set[int] = set()
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node):
            described |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    lines = enumerate(text.splitlines(), start=1)
    code = [n for n, line in lines if line.strip() and not line.strip().startswith("#") and n not in described]
    assert len(code) <= 60
    assert imported == {"base64", "cryptography", "hashlib", "json", "pathlib", "sys", "typing"}
