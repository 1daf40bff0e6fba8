"""The house keeps its shape: sizes, names, one clock, one key, one home for each library."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = [ROOT / "layers", ROOT / "functions"]
ENGINE = ROOT / "layers" / "lanekeeper" / "lanekeeper"

# Aim below 200; the ceiling leaves room for a last function that belongs.
SHIPPED_LINES, TEST_LINES, HANDLER_LINES = 220, 340, 60
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc", "stuff"}
SQL_CLOCKS = re.compile(
    r"(?<!lanekeeper\.)\bnow\(\)|\bclock_timestamp\(\)|\b(?:statement|transaction)_timestamp\(\)"
    r"|\bcurrent_(?:timestamp|date|time)\b|\blocaltime(?:stamp)?\b",
    re.IGNORECASE,
)


def python_files(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def attribute_calls(path: Path) -> Iterator[tuple[str, int]]:
    """Calls such as ``datetime.now`` with their line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            yield f"{name}.{node.func.attr}", node.lineno


def imported(path: Path) -> set[str]:
    """The top names of everything a file imports, at its top or inside its functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize(
    ("folders", "ceiling"),
    [((*SHIPPED, ROOT / "migrations"), SHIPPED_LINES), ((ROOT / "tests",), TEST_LINES)],
    ids=["shipped", "tests"],
)
def test_no_file_is_long(folders: tuple[Path, ...], ceiling: int) -> None:
    lengths = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(*folders)}
    assert {path: length for path, length in lengths.items() if length > ceiling} == {}


def test_handlers_are_one_event_one_call_one_answer() -> None:
    handlers = {named(path): len(path.read_text().splitlines()) for path in (ROOT / "functions").glob("*/handler.py")}
    assert {path: length for path, length in handlers.items() if length > HANDLER_LINES} == {}


def test_no_module_and_no_class_has_a_vague_name() -> None:
    vague = []
    for path in python_files(*SHIPPED, ROOT / "tests"):
        if path.stem in VAGUE_NAMES or VAGUE_NAMES & {part.lower() for part in path.relative_to(ROOT).parts}:
            vague.append(named(path))
        classes = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef))
        vague += [f"{named(path)}: {node.name}" for node in classes if node.name.lower().endswith(tuple(VAGUE_NAMES))]
    assert vague == []


def test_every_room_says_what_it_is() -> None:
    silent = [
        named(path)
        for path in python_files(ENGINE)
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def sql_of(path: Path) -> Iterator[str]:
    """The statements of a file: an .sql file without its comments, or the strings of a Python file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        yield from (line.partition("--")[0] for line in text.splitlines())
        return
    tree = ast.parse(text)
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            yield node.value


def test_sql_asks_only_the_product_clock() -> None:
    # The clock itself, and the table of migrations, which is there before the clock is.
    exempt = {ROOT / "migrations" / "0001_create_roles_and_clock.sql", ENGINE / "migrate" / "store.sql"}
    files = [*ROOT.glob("migrations/0*.sql"), *ENGINE.rglob("*.sql"), *python_files(*SHIPPED)]
    asking = [
        f"{named(path)}: {statement.strip()}"
        for path in files
        if path not in exempt
        for statement in sql_of(path)
        if SQL_CLOCKS.search(statement)
    ]
    assert asking == []


def test_python_asks_only_the_product_clock() -> None:
    clocks = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.monotonic"}
    # The streaming loop counts down the deadline that Lambda gives it in the machine's own time.
    exempt = {ENGINE / "clock.py", *ENGINE.glob("stream_runtime/*.py")}
    asking = [
        f"{named(path)}:{line} {call}"
        for path in python_files(*SHIPPED)
        if path not in exempt
        for call, line in attribute_calls(path)
        if call in clocks
    ]
    assert asking == []


@pytest.mark.parametrize(
    ("library", "home"),
    [
        ("langgraph", ENGINE / "graph"),
        ("openai", ENGINE / "mainline"),
        ("langchain_openai", ENGINE / "mainline"),
        ("langsmith", ENGINE / "graph"),
        ("opentelemetry", ENGINE / "traces"),
    ],
)
def test_a_library_lives_in_one_room(library: str, home: Path) -> None:
    strangers = [
        named(path) for path in python_files(*SHIPPED) if not path.is_relative_to(home) and library in imported(path)
    ]
    assert strangers == []


def test_one_file_reads_the_model_key() -> None:
    """K1: the key is a setting, and nobody but the settings looks for it."""
    readers = [named(path) for path in python_files(*SHIPPED) if "MAINLINE_AI_KEY" in path.read_text(encoding="utf-8")]
    assert set(readers) <= {"layers/lanekeeper/lanekeeper/settings.py"}


def test_no_file_knows_the_way_to_a_provider_k1() -> None:
    """The gateway's address is a setting; behind it may be anyone."""
    ways = re.compile(
        r"api\.(openai|anthropic|mistral|deepseek|x)\.|generativelanguage\.|bedrock-runtime|openai\.azure"
    )
    knowing = [named(path) for path in python_files(*SHIPPED) if ways.search(path.read_text(encoding="utf-8"))]
    assert knowing == []


def test_nothing_that_ships_knows_the_tests() -> None:
    """Q5: what ships has no hook for tests."""
    knowing = [named(path) for path in python_files(*SHIPPED) if imported(path) & {"tests", "pytest", "hypothesis"}]
    assert knowing == []
