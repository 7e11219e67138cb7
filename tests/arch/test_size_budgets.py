"""Budgets that keep a file readable on one evening and a function on one screen.

A function is counted without its docstring, `self` and `cls` are not counted as parameters. An exception needs a reason
and dies with its need: an entry that is no longer over budget fails too.
"""

import ast
from collections.abc import Iterator, Mapping

FILE_LINES = 500
FUNCTION_LINES = 60
PARAMETERS = 5

EXCEPTIONS: Mapping[str, str] = {}
"""`module`, or `module:function` -> why it may be larger."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _body_lines(node: Function) -> int:
    docstring = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    hidden = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return (node.end_lineno or 0) - node.lineno + 1 - hidden


def _parameters(node: Function, *, method: bool) -> int:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    extra = (arguments.vararg is not None) + (arguments.kwarg is not None)
    bound = method and bool(named) and named[0].arg in {"self", "cls"}
    return len(named) + extra - bound


def _methods(tree: ast.Module) -> set[ast.AST]:
    return {item for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body}


def over_budget(name: str, source: str) -> Iterator[str]:
    """Yield the key of everything in one module that is larger than its budget."""
    if source.count("\n") > FILE_LINES:
        yield name
    tree = ast.parse(source)
    methods = _methods(tree)
    for node in ast.walk(tree):
        if isinstance(node, Function) and (
            _body_lines(node) > FUNCTION_LINES or _parameters(node, method=node in methods) > PARAMETERS
        ):
            yield f"{name}:{node.name}"


def test_files_functions_and_parameter_lists_stay_within_budget_or_say_why(sources: Mapping[str, str]) -> None:
    found = {key for name, source in sources.items() for key in over_budget(name, source)}
    assert found == set(EXCEPTIONS)
    assert all(len(reason) > 20 for reason in EXCEPTIONS.values())


def test_a_long_file_a_long_function_and_a_long_parameter_list_are_found() -> None:
    assert list(over_budget("m", "\n" * 501)) == ["m"]
    assert list(over_budget("m", "def f():\n" + "    x = 1\n" * 60)) == ["m:f"]
    assert list(over_budget("m", "def f(a, b, *, c, d, e, f): pass\n")) == ["m:f"]
    assert list(over_budget("m", "class C:\n    async def f(self, a, b, c, d, e, **f): pass\n")) == ["m:f"]


def test_self_a_docstring_and_the_exact_budget_are_within_it() -> None:
    documented = 'def f():\n    """One.\n' + "\n" * 70 + '    """\n' + "    x = 1\n" * 59
    assert not list(over_budget("m", documented))
    assert not list(over_budget("m", "class C:\n    def f(self, a, b, c, d, e): pass\n"))
    assert not list(over_budget("m", "\n" * 500))
