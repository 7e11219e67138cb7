"""No module reaches itself through imports, not even through an import inside a function or for types only."""

import ast
from collections.abc import Collection, Mapping


def imported(name: str, tree: ast.Module, known: Collection[str]) -> set[str]:
    """Return the modules among `known` that module `name` imports anywhere, itself left out."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            children = {f"{node.module}.{alias.name}" for alias in node.names}
            inside = children & set(known)
            # Names that are no modules live in the package itself.
            found.update(inside if inside == children else inside | {node.module})
    return (found & set(known)) - {name}


def cycles(trees: Mapping[str, ast.Module]) -> list[list[str]]:
    """Return every group of modules that import each other in a circle (Tarjan's strongly connected parts)."""
    edges = {name: sorted(imported(name, tree, trees)) for name, tree in trees.items()}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for target in edges[name]:
            if target not in order:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], order[target])
        if low[name] == order[name]:
            start = stack.index(name)
            group = sorted(stack[start:])
            del stack[start:]
            if len(group) > 1:
                groups.append(group)

    for name in edges:
        if name not in order:
            visit(name)
    return groups


def test_the_import_graph_has_no_cycle(trees: Mapping[str, ast.Module]) -> None:
    assert cycles(trees) == []


def test_a_cycle_through_a_function_and_a_type_only_import_is_found() -> None:
    planted = {
        "oblio.a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from oblio import b\n",
        "oblio.b": "def late():\n    from oblio.c import thing\n",
        "oblio.c": "import oblio.a\n",
        "oblio.d": "import oblio.a\n",
        "oblio": "",
    }
    assert cycles({name: ast.parse(source) for name, source in planted.items()}) == [["oblio.a", "oblio.b", "oblio.c"]]


def test_relative_imports_are_not_used(trees: Mapping[str, ast.Module]) -> None:
    relative = [
        name
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert relative == []
