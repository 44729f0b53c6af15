"""The rooms, and what each may know of the others (docs/structure.md)."""

import ast
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("audit", "games", "tables")  # a room may import itself and those before it
# What would let a clock, a draw, a query or a network into a pure module.
IMPURE = {
    "asyncio", "channels", "django", "os", "psycopg", "random", "redis", "secrets", "socket", "sqlite3",
    "subprocess", "threading", "time", "urllib", "uuid",
}  # fmt: skip
CLOCK_CALLS = {"now", "today", "utcnow"}
LINES_MAX = 400
ONE_FILE = {"audit/verify.py", "audit/witness.py"}  # promised to outsiders as single files


def sources(folder: str, pattern: str = "*.py") -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob(pattern) if "__pycache__" not in path.parts)


def named(paths: list[Path]) -> list:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


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


ENGINE = sources("games/engine")
PURE = [*ENGINE, *[ROOT / "audit" / f"{name}.py" for name in ("chain", "merkle", "notes")]]


@pytest.mark.parametrize("path", named(PURE))
def test_it_keeps_the_pure_modules_pure(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert not roots & IMPURE
    calls = {
        node.func.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert not calls & CLOCK_CALLS


@pytest.mark.parametrize("path", named(ENGINE))
def test_it_knows_no_float_in_the_engine(path):
    for node in ast.walk(tree(path)):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), f"line {node.lineno}"
        assert not (isinstance(node, ast.Name) and node.id == "float"), f"line {node.lineno}"


@pytest.mark.parametrize("path", named([path for room in ROOMS for path in sources(room)]))
def test_it_imports_one_way(path):
    room = path.relative_to(ROOT).parts[0]
    later = ROOMS[ROOMS.index(room) + 1 :]
    assert not {name.split(".")[0] for name in imports(path)} & {*later, "tests", "script"}


@pytest.mark.parametrize("path", named([path for room in ROOMS for path in sources(f"{room}/migrations")]))
def test_its_migrations_depend_one_way(path):
    room = path.relative_to(ROOT).parts[0]
    later = ROOMS[ROOMS.index(room) + 1 :]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("dependencies", "run_before"):
            apps = {
                part.elts[0].value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Tuple) and isinstance(part.elts[0], ast.Constant)
            }
            assert not apps & set(later)


@pytest.mark.parametrize("path", named([ROOT / one for one in sorted(ONE_FILE)]))
def test_what_outsiders_hold_needs_the_standard_library_alone(path):
    """Signatures need `cryptography`, which is asked for where one is checked or made, and not before."""
    standard = set(sys.stdlib_module_names)
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


TEMPLATES = [*sources("templates", "*.html"), *sources("tables", "*.html")]
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


@pytest.mark.parametrize("path", named(TEMPLATES))
def test_its_templates_hold_no_inline_code(path):
    markup = Markup()
    markup.feed(TAGS.sub(lambda tag: "x" + "\n" * tag.group().count("\n"), path.read_text()))
    assert markup.refused == []


OTHER_HOST = re.compile(r"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
# Names of vocabularies, which no browser fetches.
NAMESPACES = ("http://www.w3.org/",)
SERVED = [
    path
    for suffix in ("*.html", "*.css", "*.js", "*.svg", "*.json", "*.webmanifest")
    for folder in ("templates", "static")
    for path in sources(folder, suffix)
]


@pytest.mark.parametrize("path", named([path for path in SERVED if "vendor" not in path.parts]))
def test_it_fetches_nothing_from_another_host(path):
    found = [match.group() for match in OTHER_HOST.finditer(path.read_text())]
    assert [name for name in found if not (name + "/").startswith(NAMESPACES)] == []


def kept() -> list[Path]:
    """The source files of the repository, generated and vendored ones left out."""
    listed = run(
        ["git", "ls-files", "*.py", "*.html", "*.css", "*.js"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    left_out = {"migrations", "vendor"}
    listed = [name for name in listed if name not in ONE_FILE]
    return [ROOT / name for name in listed if not left_out & set(Path(name).parts) and (ROOT / name).exists()]


def test_no_file_grows_past_a_screenful_of_screens():
    long = {
        str(path.relative_to(ROOT)): n for path in kept() if (n := path.read_text().count("\n")) > LINES_MAX
    }
    assert long == {}
