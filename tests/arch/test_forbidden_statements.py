"""Statements that only one place may use: the environment, standard output, `assert`."""

import ast
from collections.abc import Callable, Iterator, Mapping

import pytest

ENVIRONMENT = frozenset({"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"})
STREAMS = frozenset({"stdout", "stderr", "__stdout__", "__stderr__"})


def environment(tree: ast.Module) -> Iterator[int]:
    """Yield lines that read or change the environment of the process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT and ast.unparse(node.value) == "os":
            yield node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from (node.lineno for alias in node.names if alias.name in ENVIRONMENT)
        elif isinstance(node, ast.keyword) and node.arg == "envvar":  # typer reads it for us
            yield node.value.lineno


def printing(tree: ast.Module) -> Iterator[int]:
    """Yield lines that write to standard output or standard error."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Name) and node.id == "print") or (
            isinstance(node, ast.Attribute) and node.attr in STREAMS and ast.unparse(node.value) == "sys"
        ):
            yield node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module == "sys":
            yield from (node.lineno for alias in node.names if alias.name in STREAMS)


def asserting(tree: ast.Module) -> Iterator[int]:
    """Yield lines with a check that `python -O` removes."""
    return (node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert))


def found(rule: Callable[[ast.Module], Iterator[int]], trees: Mapping[str, ast.Module], *spared: str) -> list[str]:
    """Return `module:line` of every offence outside the spared packages."""
    return [
        f"{name}:{line}"
        for name, tree in trees.items()
        if not any(name == package or name.startswith(f"{package}.") for package in spared)
        for line in rule(tree)
    ]


def test_only_settings_reads_the_environment(trees: Mapping[str, ast.Module]) -> None:
    assert found(environment, trees, "oblio.settings") == []


def test_only_the_command_line_prints(trees: Mapping[str, ast.Module]) -> None:
    # The byte probe runs as a process of its own, and its output is its answer: numbers.
    assert found(printing, trees, "oblio.cli", "oblio.testing.byte_probe") == []


def test_no_check_is_an_assert(trees: Mapping[str, ast.Module]) -> None:
    assert found(asserting, trees) == []


@pytest.mark.parametrize(
    "planted",
    [
        "import os\nos.environ['HOME']",
        "import os\nos.getenv('HOME')",
        "\nfrom os import environ",
        "\ntyper.Option(envvar='OBLIO_DB')",
    ],
)
def test_a_planted_environment_read_is_found(planted: str) -> None:
    planted_trees = {"oblio.vault.keys": ast.parse(planted), "oblio.settings": ast.parse(planted)}
    assert found(environment, planted_trees, "oblio.settings") == ["oblio.vault.keys:2"]


@pytest.mark.parametrize("planted", ["print('x')", "list(map(print, rows))", "sys.stderr.write('x')"])
def test_planted_output_is_found(planted: str) -> None:
    planted_trees = {"oblio.client": ast.parse(planted), "oblio.cli.main": ast.parse(planted)}
    assert found(printing, planted_trees, "oblio.cli") == ["oblio.client:1"]


def test_a_planted_assert_is_found() -> None:
    assert found(asserting, {"m": ast.parse("assert key")}) == ["m:1"]
