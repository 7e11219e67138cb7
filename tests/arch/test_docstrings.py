"""Every public module says what it is for and what always holds in it."""

import ast
from collections.abc import Iterator, Mapping


def silent(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield public modules without a docstring."""
    for name, tree in trees.items():
        private = any(part.startswith("_") and part != "__main__" for part in name.split("."))
        if not private and not (ast.get_docstring(tree) or "").strip():
            yield name


def test_every_public_module_has_a_docstring(trees: Mapping[str, ast.Module]) -> None:
    assert list(silent(trees)) == []


def test_a_silent_module_is_found_and_a_private_one_is_not() -> None:
    planted = {"oblio.a": "x = 1", "oblio.b": '"""   """', "oblio._c": "x = 1", "oblio.d": '"""Speaks."""'}
    assert list(silent({name: ast.parse(text) for name, text in planted.items()})) == ["oblio.a", "oblio.b"]
