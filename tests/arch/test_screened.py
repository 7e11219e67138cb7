"""Only the gate makes `Screened`, so text that was not filtered cannot be handed to a repository.

Elsewhere the name may be imported under its own name and used in annotations, `isinstance` and `match`: a value of the
class is passed on, never made. Ways around a plain call (`__new__`, an alias, `replace`, `type(x)(...)`,
`object.__setattr__`) are looked for too.

The plain form of a text, `TextBody`, is made from `Screened` by `of`, and read back by `decode`, and in no other way.
"""

import ast
from collections.abc import Iterator, Mapping

import pytest

GATE = "oblio.filter.gate"
NAME = "Screened"

BODY = "oblio.ports.body"
BODY_NAME = "TextBody"
BODY_MAKERS = frozenset({"of", "decode"})


def _names(node: ast.AST, wanted: str = NAME) -> Iterator[ast.AST]:
    for inner in ast.walk(node):
        if (isinstance(inner, ast.Name) and inner.id == wanted) or (
            isinstance(inner, ast.Attribute) and inner.attr == wanted
        ):
            yield inner


def _typing_positions(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the expressions in which naming the class does not make one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.MatchClass):
            yield node.cls
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from node.args[1:]


def _variables(tree: ast.Module, wanted: str) -> set[str]:
    annotated = [node for node in ast.walk(tree) if isinstance(node, ast.arg | ast.AnnAssign)]
    names = {wanted.lower()}
    for node in annotated:
        if node.annotation is not None and any(_names(node.annotation, wanted)):
            target = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            names.add(target.rpartition(".")[2])
    return names


def _copies(tree: ast.Module, wanted: str = NAME) -> Iterator[ast.Call]:
    """Yield calls that make or change a value of a class that is not named in them."""
    variables = _variables(tree, wanted)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        first = ast.unparse(node.args[0]).rpartition(".")[2] if node.args else ""
        if (called.rpartition(".")[2] in {"replace", "__replace__", "__setattr__"} and first in variables) or (
            called.startswith("type(")
            and called.removeprefix("type(").removesuffix(")").rpartition(".")[2] in variables
        ):
            yield node


def offences(name: str, tree: ast.Module) -> list[int]:
    """Return the lines of a module that may make a `Screened` value."""
    if name == GATE:
        return []
    allowed = {inner for position in _typing_positions(tree) for inner in _names(position)}
    lines = [getattr(node, "lineno", 0) for node in _names(tree) if node not in allowed]
    lines += [node.lineno for node in _copies(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            lines += [node.lineno for alias in node.names if alias.name == NAME and alias.asname not in {None, NAME}]
    return sorted(lines)


def body_offences(name: str, tree: ast.Module) -> list[int]:
    """Return the lines of a module that may make a `TextBody` in another way than from `Screened` or stored bytes."""
    if name == BODY:
        return []
    makers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in BODY_MAKERS]
    allowed = {inner for position in (*_typing_positions(tree), *makers) for inner in _names(position, BODY_NAME)}
    lines = [getattr(node, "lineno", 0) for node in _names(tree, BODY_NAME) if node not in allowed]
    lines += [node.lineno for node in _copies(tree, BODY_NAME)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            renamed = (
                alias for alias in node.names if alias.name == BODY_NAME and alias.asname not in {None, BODY_NAME}
            )
            lines += [node.lineno for _ in renamed]
    return sorted(lines)


def test_only_the_gate_makes_screened_text(trees: Mapping[str, ast.Module]) -> None:
    found = {name: offences(name, tree) for name, tree in trees.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_gate_does_make_it(trees: Mapping[str, ast.Module]) -> None:
    calls = [node for node in ast.walk(trees[GATE]) if isinstance(node, ast.Call) and any(_names(node.func))]
    assert calls


@pytest.mark.parametrize(
    "planted",
    [
        "Screened('x', (), 'p')",
        "screening.Screened(text='x', reasons=(), policy='p')",
        "object.__new__(Screened)",
        "Screened.__new__(Screened)",
        "make = Screened",
        "list(map(Screened, texts))",
        "from oblio.model.screening import Screened as S",
        "def f(given: Screened): return replace(given, text='x')",
        "def f(given: Screened): return type(given)('x', (), 'p')",
        "def f(given: Screened): object.__setattr__(given, 'text', 'x')",
        "class Mine(Screened): pass",
    ],
)
def test_a_planted_way_to_make_it_is_found(planted: str) -> None:
    assert offences("oblio.memory.write", ast.parse(planted)) == [1] or len(offences("m", ast.parse(planted))) > 1
    assert offences(GATE, ast.parse(planted)) == []


@pytest.mark.parametrize(
    "harmless",
    [
        "from oblio.model.screening import Screened",
        "def f(given: Screened) -> Sequence[Screened]: return [given]",
        "isinstance(value, Screened)",
        "match value:\n    case Screened(text=text):\n        pass",
        "class Row:\n    text: Screened | None = None",
        "replace(settings, text='x')",
    ],
)
def test_passing_it_on_is_allowed(harmless: str) -> None:
    assert offences("oblio.memory.write", ast.parse(harmless)) == []


def test_a_body_is_made_from_screened_text_only(trees: Mapping[str, ast.Module]) -> None:
    found = {name: body_offences(name, tree) for name, tree in trees.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}
    maker = next(node for node in ast.walk(trees[BODY]) if isinstance(node, ast.FunctionDef) and node.name == "of")
    annotation = maker.args.posonlyargs[1].annotation
    assert annotation is not None
    assert ast.unparse(annotation) == NAME


def test_bodies_are_made_somewhere(trees: Mapping[str, ast.Module]) -> None:
    users = [name for name, tree in trees.items() if name != BODY and any(_names(tree, BODY_NAME))]
    assert users


@pytest.mark.parametrize(
    "planted",
    [
        "TextBody(text='x')",
        "body.TextBody(text='x')",
        "make = TextBody",
        "TextBody.__new__(TextBody)",
        "from oblio.ports.body import TextBody as B",
        "def f(given: TextBody): return replace(given, text='x')",
        "class Mine(TextBody): pass",
    ],
)
def test_a_planted_way_around_the_gate_to_a_body_is_found(planted: str) -> None:
    assert set(body_offences("oblio.memory.book", ast.parse(planted))) == {1}
    assert body_offences(BODY, ast.parse(planted)) == []


@pytest.mark.parametrize(
    "harmless",
    ["TextBody.of(screened, model='m')", "TextBody.decode(opened).text", "def f(given: TextBody) -> None: ..."],
)
def test_a_body_may_be_made_from_screened_text_and_read_back(harmless: str) -> None:
    assert body_offences("oblio.memory.book", ast.parse(harmless)) == []
