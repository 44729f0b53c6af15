"""What the documents name exists: files, tests, commands, links and the headings that they lead to.

Code names pages, too, and README leads to each of them.
"""

import re
from functools import cache
from pathlib import Path

from django.core.management import get_commands

from script import reference

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "audit" / "FORMAT.md"]
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"([\w./-]+\.(?:py|js|mjs|html|jinja|css|toml|md|sh|yml))(?:::(\w+))?")
COMMAND = re.compile(r"manage\.py (\w+)|python -m script\.(\w+)|\bscript/(\w+)\b(?![./<])")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
PAGE = re.compile(r"\bdocs/[\w-]+\.(?:md|json)(?:#[\w-]+)?")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def files() -> list[str]:
    """Every file of the repository, relative to its root."""
    folders = ("audit", "config", "deploy", "docs", "games", "requirements", "script", "static", "tables")
    paths = [*ROOT.glob("*.*"), *ROOT.glob(".*")]
    for folder in (*folders, "templates", "tests"):
        paths += (ROOT / folder).rglob("*")
    return [f"/{path.relative_to(ROOT)}" for path in paths if "__pycache__" not in path.parts]


def lines(document: Path) -> list[tuple[str, str]]:
    """The lines of a document, each with its place."""
    texts = document.read_text().splitlines()
    return [(f"{document.relative_to(ROOT)}:{number}", text) for number, text in enumerate(texts, 1)]


def missing_files(text: str) -> list[str]:
    """The files and tests in the code of a line that do not exist; a path may leave out its first folders."""
    missing = []
    for code in CODE.findall(text):
        match = FILE.fullmatch(code)
        if match is None:
            continue
        candidates = [file for file in files() if file.endswith(f"/{match[1].removeprefix('./')}")]
        test = f"def {match[2]}(" if match[2] else ""
        if not any(test in (ROOT / file[1:]).read_text() for file in candidates):
            missing.append(code)
    return missing


def missing_commands(text: str) -> list[str]:
    missing = []
    for command, module, program in COMMAND.findall(text):
        if command:
            exists = command in get_commands()
        else:
            name = module or program
            exists = any((ROOT / "script" / path).exists() for path in (name, f"{name}.py"))
        if not exists:
            missing.append(command or module or program)
    return missing


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = HEADING.findall(document.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def code() -> list[Path]:
    """The files that name pages in their comments and sentences."""
    folders = [
        ROOT / name
        for name in ("audit", "config", "games", "script", "static", "tables", "templates", "tests")
    ]
    paths = [path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts]
    suffixes = {".html", ".jinja", ".js", ".mjs", ".py", ".toml", ".txt", ".yaml"}
    return [
        path
        for path in [*paths, *ROOT.glob("*.yml"), ROOT / "Dockerfile"]
        if path.suffix in suffixes or path.parent == ROOT
    ]


def broken_links(document: Path, text: str) -> list[str]:
    broken = []
    for path, anchor in LINK.findall(text):
        if path.startswith("http"):
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}" if anchor else path)
    return broken


def test_what_the_documents_name_exists():
    assert len(DOCUMENTS) > 20
    assert [
        (place, missing)
        for document in DOCUMENTS
        for place, text in lines(document)
        if (missing := [*missing_files(text), *missing_commands(text), *broken_links(document, text)])
    ] == []


def test_the_pages_that_code_names_exist():
    named = {
        (str(path.relative_to(ROOT)), page)
        for path in code()
        if path != Path(__file__)
        for page in PAGE.findall(path.read_text("utf-8"))
    }
    assert len(named) > 50
    assert [
        (path, page)
        for path, page in sorted(named)
        for file, _, anchor in [page.partition("#")]
        if not (ROOT / file).exists() or (anchor and anchor not in anchors(ROOT / file))
    ] == []


def test_the_looks_have_every_picture_of_a_screen_beside_its_drawing():
    page = reference.LOOKS.read_text("utf-8")
    assert page == reference.looks(page), "run python -m script.reference"
    unused = [path.name for path in (reference.IMAGES / "drawings").glob("*.png") if path.name not in page]
    assert unused == []


def test_the_readme_leads_to_every_page():
    """Whoever looks for something begins there."""
    linked = {path for path, _anchor in LINK.findall((ROOT / "README.md").read_text())}
    assert {str(document.relative_to(ROOT)) for document in DOCUMENTS} - linked == {
        "README.md",
        "SECURITY.md",
    }
