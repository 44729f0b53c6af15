"""Every refusal code of the product, and every place that raises it, read from the sources."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from games.engine import RefusalCode

ROOT = Path(__file__).resolve().parents[1]
CLASSES = ("Refusal", "Forbidden", "HeadRefused", "TableHalted")


@dataclass(frozen=True)
class RaisedRefusal:
    """A place that constructs a refusal with a constant: the code, the names of its parameters, and where."""

    code: RefusalCode
    params: frozenset[str]
    place: str

    @property
    def missing_params(self) -> set[str]:
        """What the sentence shows and the place does not give. `**params` may give anything."""
        return set() if "**" in self.params else params_of(self.code) - self.params


def params_of(code: RefusalCode) -> set[str]:
    """The names of the parameters that a sentence shows."""
    return set(re.findall(r"%\((\w+)\)", code.sentence))


@cache
def declared_codes(folder: str) -> tuple[RefusalCode, ...]:
    """Every code that a source below this folder declares as a constant, in order."""
    return tuple(
        getattr(_module(path), name)
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in _constants(path)
    )


def constant(code: RefusalCode) -> str:
    """The name that a code has in Python: `NO_ROUND` of `no-round`."""
    return code.upper().replace("-", "_")


@cache
def used_names(folder: str) -> frozenset[str]:
    """Every name that a source below this folder reads, beyond its imports."""
    return frozenset(
        node.id
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


@cache
def raised_refusals(folder: str) -> tuple[RaisedRefusal, ...]:
    """Every refusal that the sources below this folder construct with a constant."""
    return tuple(raised for path in sorted((ROOT / folder).rglob("*.py")) for raised in _raised(path))


def _raised(path: Path) -> Iterator[RaisedRefusal]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLASSES:
            params = frozenset(keyword.arg or "**" for keyword in node.keywords)
            for name in _names(node.args[0]) if node.args else ():
                code = getattr(_module(path), name, None)
                if isinstance(code, RefusalCode):
                    yield RaisedRefusal(code, params, f"{path.relative_to(ROOT)}:{node.lineno}")


def _constants(path: Path) -> Iterator[str]:
    """The names of the refusal codes that a source declares."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if ast.unparse(node.value.func) == "RefusalCode":
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_names(node.body), *_names(node.orelse))
    elif isinstance(node, ast.Name):
        yield node.id


def _module(path: Path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))
