"""One tree of errors: a stable code, what happened, the next step, and nothing about a person."""

import ast
import copy
import importlib
import pickle
import pkgutil
import re
import string
from collections.abc import Iterator, Mapping

import pytest

import oblio.errors
from oblio.errors.base import Fault

REVEALING = frozenset(
    {
        "text",
        "content",
        "email",
        "phone",
        "user",
        "external_id",
        "path",
        "exception",
        "error",
        "query",
        "title",
        "secret",
    }
)

for module in pkgutil.walk_packages(oblio.errors.__path__, "oblio.errors."):
    importlib.import_module(module.name)


def descendants(root: type[Fault]) -> Iterator[type[Fault]]:
    """Yield a class and everything below it, shipped classes only."""
    if root.__module__.startswith("oblio."):
        yield root
    for child in root.__subclasses__():
        yield from descendants(child)


FAULTS = sorted(set(descendants(Fault)), key=lambda fault: (fault.__module__, fault.__name__))


def facts_of(fault: type[Fault]) -> dict[str, str | int]:
    """Return a made-up value for each fact that the texts of a fault name."""
    parsed = string.Formatter().parse(f"{fault.says} {fault.fix}")
    return {key: 7 for _, key, _, _ in parsed if key is not None}


def complaints(fault: type[Fault]) -> list[str]:
    """Return what is wrong with one class of the tree."""
    facts = facts_of(fault)
    checks = {
        "code is not dotted lower case": re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)+", fault.code),
        "says nothing": fault.says.strip(),
        "gives no next step": fault.fix.strip(),
        "a fact has no name": "" not in facts,
        "a fact may reveal content": not REVEALING & set(facts),
        "says does not end a sentence": fault.says.rstrip("`\"')").endswith((".", "?", "!")),
        "has no docstring": (fault.__doc__ or "").strip(),
    }
    return [complaint for complaint, fine in checks.items() if not fine]


def repeated(faults: list[type[Fault]]) -> set[str]:
    """Return the codes that more than one class uses; an inherited code counts."""
    codes = [fault.code for fault in faults]
    return {code for code in codes if codes.count(code) > 1}


def stray(trees: Mapping[str, ast.Module], known: set[str]) -> list[str]:
    """Return classes outside `oblio.errors` that extend the tree or another exception.

    A private class is spared: a signal inside one module, which never reaches a caller.
    """
    return [
        f"{name}:{node.name}"
        for name, tree in trees.items()
        if not name.startswith("oblio.errors")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        for base in map(ast.unparse, node.bases)
        if base.rpartition(".")[2] in known or base.endswith(("Error", "Exception"))
    ]


def test_the_tree_is_not_empty_and_no_code_is_used_twice() -> None:
    assert len(FAULTS) > 1
    assert repeated(FAULTS) == set()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_speaks_and_survives_pickle_and_copy(fault: type[Fault]) -> None:
    assert complaints(fault) == []
    facts = facts_of(fault)
    made = fault(**facts)
    assert "{" not in str(made)
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):  # noqa: S301 -- our own bytes
        assert type(again) is fault
        assert again.facts == facts
        assert str(again) == str(made)


def test_errors_are_defined_in_the_errors_package_only(trees: Mapping[str, ast.Module]) -> None:
    assert stray(trees, {fault.__name__ for fault in FAULTS}) == []


def test_a_planted_bad_fault_is_found() -> None:
    class Bad(Fault):
        code = "Bad Code"
        says = "{email} failed"
        fix = " "

    assert set(complaints(Bad)) == {
        "code is not dotted lower case",
        "gives no next step",
        "a fact may reveal content",
        "says does not end a sentence",
        "has no docstring",
    }
    assert "oblio.fault" in repeated([Fault, type("Twin", (Fault,), {})])


def test_a_planted_stray_error_is_found() -> None:
    planted = {
        "oblio.vault.keys": "class Lost(Fault): pass\nclass Odd(ValueError): pass\nclass _Enough(Exception): pass",
        "oblio.errors.a": "class B(Fault): ...",
    }
    trees = {name: ast.parse(source) for name, source in planted.items()}
    assert stray(trees, {"Fault"}) == ["oblio.vault.keys:Lost", "oblio.vault.keys:Odd"]
