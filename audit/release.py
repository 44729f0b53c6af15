"""The list of every file of a release with its SHA-256, signed by its maker; and what an installation differs in.

The list is a signed note (audit/notes.py). Its text is a line that names the version, then a line for each file as
`sha256sum` writes it, so that an inspector can check a copy of the files without this software:
`grep -E '^[0-9a-f]{64}  ' LIST | sha256sum --check`. It is made in the image that is released, which has the collected
static files too.
"""

import base64
import hashlib
import importlib.metadata
import importlib.util
import marshal
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from audit.notes import Malformed, Note, Signer, Verifier

FOLDERS = (
    "audit",
    "config",
    "deploy",
    "games",
    "requirements",
    "static",
    "staticfiles",
    "tables",
    "templates",
)
FILES = ("Dockerfile", "docker-compose.yml", "manage.py")
LOCK = "requirements/base.txt"
HEADER_BYTES = 16  # of a compiled module, before its code
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?: ;.*)? \\$", re.MULTILINE)


def paths(root: Path) -> Iterator[str]:
    """The files of a release under a folder, in the order of their names. What Python compiled is none of them."""
    files = [root / name for name in FILES if (root / name).exists()]
    for folder in FOLDERS:
        files += (path for path in (root / folder).rglob("*") if path.is_file())
    for path in sorted(files):
        if path.suffix != ".pyc":
            yield path.relative_to(root).as_posix()


def write(root: Path, build: str, signer: Signer) -> str:
    """The signed list of the release in a folder."""
    lines = [f"pitside {build}", *(f"{_sha256(root / path)}  {path}" for path in paths(root))]
    text = "\n".join(lines) + "\n"
    return Note(text, (signer.signature(text),)).full_text


def differences(root: Path, build: str, listed: str, key: Verifier) -> list[str]:
    """What an installation in a folder differs in from a list: a sentence for each file; empty if it is the release.

    Raises Malformed for a list that is no signed note, or not signed by this key.
    """
    note = Note.read(listed)
    if not note.signed_by([key]):
        raise Malformed(f"The list is not signed by {key.name}.")
    first, *lines = note.text.splitlines()
    expected = dict(_entry(line) for line in lines)
    present = set(paths(root))
    sentences = [] if first == f"pitside {build}" else [f"The list is of {first}; here runs pitside {build}."]
    sentences += [f"{path} is missing." for path in sorted(expected.keys() - present)]
    sentences += [f"{path} is not of this release." for path in sorted(present - expected.keys())]
    sentences += [
        f"{path} was changed."
        for path in sorted(present & expected.keys())
        if _sha256(root / path) != expected[path]
    ]
    return [*sentences, *_compiled(root), *_packages(root)]


def _entry(line: str) -> tuple[str, str]:
    """A line of the list as path and SHA-256. Raises Malformed."""
    digest, gap, path = line.partition("  ")
    if not gap or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise Malformed(f"This is no line of a list: {line!r}")
    return path, digest


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _compiled(root: Path) -> Iterator[str]:
    """Compiled modules that do not come from the file beside them: Python runs these, and never reads the source."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.pyc")):
            name = path.relative_to(root).as_posix()
            try:
                source = Path(importlib.util.source_from_cache(str(path)))
                code = marshal.loads(path.read_bytes()[HEADER_BYTES:])
                is_same = _is_same(code, compile(source.read_bytes(), str(source), "exec", dont_inherit=True))
            except (ValueError, OSError, EOFError, TypeError, SyntaxError):
                is_same = False
            if not is_same:
                yield f"{name} was not compiled from the file beside it."


def _is_same(left: object, right: object) -> bool:
    """Whether two code objects do the same, line by line. The path of the file may differ."""
    return isinstance(left, CodeType) and left == right


def _packages(root: Path) -> Iterator[str]:
    """Packages of others whose version is not that of the lock, or whose files are not those that were installed."""
    for name, version in PINNED.findall((root / LOCK).read_text()):
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system
        if distribution.version != version:
            yield f"{name} is {distribution.version}, not {version}."
        for file in distribution.files or ():
            # Scripts are written for the machine, and have no fixed content.
            if file.hash is None or file.suffix == ".pyc" or file.parts[0] == "..":
                continue
            path = Path(str(distribution.locate_file(file)))
            if not path.exists() or _record_hash(path, file.hash.mode) != file.hash.value:
                yield f"{name}: {file} was changed."


def _record_hash(path: Path, mode: str) -> str:
    """The hash of a file as a package's RECORD has it."""
    with path.open("rb") as file:
        return base64.urlsafe_b64encode(hashlib.file_digest(file, mode).digest()).rstrip(b"=").decode()
