"""Print how large Pitside is: lines, modules, imports, shapes for a model, and words: `python -m script.size`.

Counted is what git tracks or would track; lines with the blank ones. A shape is a dataclass, a TypedDict or a
NamedTuple; a model is a class with fields that is not abstract. Words are those of every page outside of tests, the
changelog included, and of the sentences that the reference takes from a file (`SENTENCES`), without the parts that a
command writes. What has no letter and no digit, such as the lines of a table, is no word.
"""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

from script.service_finder import ROOT

PRODUCT = ("audit", "config", "games", "tables")
SHAPES = {"dataclass", "TypedDict", "NamedTuple"}
SENTENCES = "tables/management/reference/parameters.toml"
GENERATED = re.compile(r"<!-- ([^>]*?): begin.*?-->.*?<!-- \1: end.*?-->", re.DOTALL)
FIELD = re.compile(r"^    \w+(?:: [^=\n]+)? = models\.", re.MULTILINE)
ABSTRACT = re.compile(r"^ +abstract = True$", re.MULTILINE)


def read(*suffixes: str) -> dict[Path, str]:
    """The text of each file with one of these suffixes."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = (Path(name) for name in sorted({*names}) if name.endswith(suffixes) and (ROOT / name).exists())
    return {path: (ROOT / path).read_text("utf-8") for path in paths}


def names(nodes: list[ast.expr]) -> set[str]:
    """The names of decorators and bases, called or not."""
    return {ast.unparse(node).partition("(")[0].rpartition(".")[2] for node in nodes}


def count(path: Path, text: str) -> Counter[str]:
    """What one module of the product has."""
    counts = Counter(modules=1, lines=text.count("\n"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            counts["imports"] += (node.end_lineno or node.lineno) - node.lineno + 1
        elif isinstance(node, ast.ClassDef):
            counts["shapes"] += bool(SHAPES & (names(node.bases) | names(node.decorator_list)))
            source = ast.get_source_segment(text, node) or ""
            is_model = "models" in path.with_suffix("").parts and FIELD.search(source)
            counts["models"] += bool(is_model and not ABSTRACT.search(source))
    return counts


def words(text: str) -> int:
    """How many words a text has."""
    return sum(any(character.isalnum() for character in word) for word in text.split())


def main() -> None:
    product, lines = Counter[str](), Counter[str]()
    for path, text in read(".py").items():
        if "migrations" in path.parts:
            lines["migrations"] += text.count("\n")
        elif path.parts[0] in PRODUCT:
            product += count(path, text)
        else:
            lines[path.parts[0]] += text.count("\n")
    pages = {path: text for path, text in read(".md", SENTENCES).items() if path.parts[0] != "tests"}
    by_hand = {path: words(GENERATED.sub("", text)) for path, text in pages.items()}
    generated = {path: words(text) - by_hand[path] for path, text in pages.items()}
    print(f"{product['lines']:>8,}  lines of {', '.join(PRODUCT)} without migrations")
    print(f"{product['modules']:>8,}  modules of these, with {product['imports']:,} lines of imports")
    print(f"{product['shapes'] / product['models']:>8.1f}  shapes for a model", end=" ")
    print(f"({product['shapes']} for {product['models']})")
    for name in ("migrations", "script", "tests"):
        print(f"{lines[name]:>8,}  lines of {name}")
    print(f"{sum(by_hand.values()):>8,}  words of pages by hand")
    for path in sorted(pages, key=lambda path: -by_hand[path]):
        more = f", of which a command writes {generated[path]:,} more" if generated[path] else ""
        print(f"{by_hand[path]:>16,}  {path}{more}")


if __name__ == "__main__":
    main()
