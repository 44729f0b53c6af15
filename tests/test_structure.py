"""The rooms, and what each may know of the others (docs/architecture.md)."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("audit", "games", "tables")  # a room may import itself and those before it
# What would let a clock, a draw, a query or a network into a pure module.
IMPURE = {
    "asyncio", "channels", "django", "os", "psycopg", "random", "redis", "secrets", "socket", "sqlite3",
    "subprocess", "threading", "time", "urllib", "uuid",
}  # fmt: skip
CLOCK_CALLS = {"now", "today", "utcnow"}
ONE_FILE = {"audit/verify.py", "audit/witness.py"}  # promised to outsiders as single files


def sources(folder: str, pattern: str = "*.py") -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob(pattern) if "__pycache__" not in path.parts)


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def imports(path: Path) -> Iterator[str]:
    """The absolute names that a file imports; a relative import is resolved from the file's place."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            yield ".".join([*base, *([node.module] if node.module else [])])


ENGINE = [
    *sources("games/engine"),
    *sources("games/catalog", "engine.py"),
    *sources("games/catalog", "engine/*.py"),
    *(ROOT / "games" / name for name in ("registry.py", "adjudication.py")),
]
PURE = [
    *ENGINE,
    ROOT / "games" / "dice_watch.py",
    *[ROOT / "audit" / f"{name}.py" for name in ("chain", "merkle", "notes")],
]


def impurities(path: Path) -> Iterator[str]:
    """Imports that a pure module may not have, and calls that read a clock."""
    yield from sorted({name.split(".")[0] for name in imports(path)} & IMPURE)
    for node in ast.walk(tree(path)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CLOCK_CALLS
        ):
            yield f"line {node.lineno}: .{node.func.attr}()"


def test_it_keeps_the_pure_modules_pure():
    assert len(PURE) > 10
    assert {relative(path): found for path in PURE if (found := list(impurities(path)))} == {}


def floats(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        is_literal = isinstance(node, ast.Constant) and isinstance(node.value, float)
        if is_literal or (isinstance(node, ast.Name) and node.id == "float"):
            yield f"line {node.lineno}"


def test_it_knows_no_float_in_the_engine():
    assert len(ENGINE) > 15
    assert {relative(path): found for path in ENGINE if (found := list(floats(path)))} == {}


def later_dependencies(path: Path) -> set:
    """Apps above the one that a migration belongs to, but that it depends on."""
    room = path.relative_to(ROOT).parts[0]
    apps = {
        part.elts[0].value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("dependencies", "run_before")
        for part in ast.walk(node.value)
        if isinstance(part, ast.Tuple) and isinstance(part.elts[0], ast.Constant)
    }
    return apps & set(ROOMS[ROOMS.index(room) + 1 :])


def test_its_migrations_depend_one_way():
    migrations = [path for room in ROOMS for path in sources(f"{room}/migrations")]
    assert len(migrations) >= 5
    assert {relative(path): found for path in migrations if (found := later_dependencies(path))} == {}


@pytest.mark.parametrize("name", sorted(ONE_FILE))
def test_what_outsiders_hold_needs_the_standard_library_alone(name):
    """Signatures need `cryptography`, which is asked for where one is checked or made, and not before."""
    path, standard = ROOT / name, set(sys.stdlib_module_names)
    assert {name.split(".")[0] for name in imports(path)} <= {*standard, "cryptography"}
    at_the_top = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in at_the_top if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in at_the_top if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= standard


class Markup(HTMLParser):
    """Collects what a strict Content-Security-Policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        line = self.getpos()[0]
        self.refused += [
            f"line {line}: {name}=" for name in given if name == "style" or re.match(r"on[a-z]+$", name)
        ]
        if tag == "style":
            self.refused.append(f"line {line}: <style>")
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.refused.append(f"line {line}: <script> without src")
        if any(name.startswith("hx-on") for name in given):
            self.refused.append(f"line {line}: hx-on runs text as code")


TEMPLATES = [
    *sources("templates", "*.html"),
    *sources("templates", "*.jinja"),
    *sources("games/catalog", "*.html"),
    *sources("games/catalog", "*.jinja"),
]
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


def refused_markup(path: Path) -> list[str]:
    markup = Markup()
    markup.feed(TAGS.sub(lambda tag: "x" + "\n" * tag.group().count("\n"), path.read_text()))
    return markup.refused


def test_its_templates_hold_no_inline_code():
    assert len(TEMPLATES) > 100
    assert {relative(path): found for path in TEMPLATES if (found := refused_markup(path))} == {}


def test_its_templates_have_no_line_over_200_characters():
    too_long = [
        f"{relative(path)}:{number}: {len(line)} characters"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 200
    ]
    assert too_long == []


OTHER_HOST = re.compile(r"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
# Names of vocabularies, which no browser fetches.
NAMESPACES = ("http://www.w3.org/",)
SERVED = [
    path
    for suffix in ("*.html", "*.jinja", "*.css", "*.js", "*.svg", "*.json", "*.webmanifest")
    for folder in ("templates", "static", "games/catalog")
    for path in sources(folder, suffix)
]


def other_hosts(path: Path) -> list[str]:
    names = [match.group() for match in OTHER_HOST.finditer(path.read_text())]
    return [name for name in names if not (name + "/").startswith(NAMESPACES)]


def test_it_fetches_nothing_from_another_host():
    served = [path for path in SERVED if "vendor" not in path.parts]
    assert len(served) > 100
    assert {relative(path): found for path in served if (found := other_hosts(path))} == {}


CLASS = re.compile(r"\.([A-Za-z][\w-]*)")
# Classes whose two parts are both computed: a lens with its level on the floor plan, a stack with its mark.
COMPUTED = re.compile(r"(state|win|pace|dice)-(info|warn)|stk(-seat)?--(own|run|paid|flag|pending)")


def styled_classes() -> dict[str, str]:
    """The classes that style sheets name, each with a sheet that names it."""
    sheets = [*sources("static/css", "*.css"), *sources("games/catalog", "*.css")]
    return {
        name: relative(path)
        for path in sheets
        for selector in re.findall(
            r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        )
        for name in ([] if "@" in selector else CLASS.findall(selector))
    }


def test_its_style_sheets_style_only_classes_that_something_has():
    """A class is written whole, or begins with what stands before braces: `side-{{ value }}`, `f"c{dollars}"`."""
    texts = [path.read_text() for path in SERVED if path.suffix != ".css"]
    texts += [path.read_text() for room in ROOMS for path in sources(room) if "migrations" not in path.parts]
    text = "\n".join(texts)
    whole = set(re.findall(r"[A-Za-z][\w-]*", text))
    beginnings = set(re.findall(r"(?<![\w-])([A-Za-z][\w-]*)\$?\{", text))

    def exists(name: str) -> bool:
        if name in whole or COMPUTED.fullmatch(name):
            return True
        composed = (name[:end] for end in range(1, len(name)) if name[end - 1] == "-" or name[end:].isdigit())
        return any(beginning in beginnings for beginning in composed)

    styled = styled_classes()
    assert len(styled) > 1000
    assert {name: sheet for name, sheet in styled.items() if not exists(name)} == {}


REGISTERING = {
    "act", "act_without_post", "AlertKind", "alert_rule", "case_kind", "declare", "desk_act", "entry_type",
    "facility_act", "office_act", "record_check", "record_gap", "register",
}  # fmt: skip


def registers(path: Path) -> bool:
    """Whether a module registers something when it is imported: by a decorator, or by a call at its top level."""
    for node in tree(path).body:
        is_call = isinstance(node, ast.Expr | ast.Assign)
        calls = [node.value] if is_call else getattr(node, "decorator_list", [])
        names = (call.func if isinstance(call, ast.Call) else call for call in calls)
        if any(isinstance(name, ast.Name) and name.id in REGISTERING for name in names):
            return True
    return False


REGISTERED = """
import django, sys
django.setup()
print(*sys.modules)
"""


def test_each_module_that_registers_something_is_imported_when_the_product_starts():
    loaded = subprocess.run(
        [sys.executable, "-c", REGISTERED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for room in ROOMS
        for path in sources(room)
        if registers(path)
    }
    assert len(modules) > 60
    assert modules - set(loaded.stdout.split()) == set()


NAME_IN_WORDS = re.compile(r"`((?:audit|config|games|tables)(?:\.[a-z_]\w*)+)`")


def is_there(name: str) -> bool:
    """Whether a dotted name is a module of ours, or something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            there: object = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            there = getattr(there, part, None)
        return there is not None
    return False


def test_what_docstrings_and_pages_name_is_there():
    files = [path for room in (*ROOMS, "config", "script") for path in sources(room)]
    files += [*sources("tests"), *sources("docs", "*.md"), *ROOT.glob("*.md")]
    named = {(relative(path), name) for path in files for name in NAME_IN_WORDS.findall(path.read_text())}
    gone = {(path, name) for path, name in named if not name.endswith(".py") and not is_there(name)}
    assert len(named) > 100 and gone == set()
