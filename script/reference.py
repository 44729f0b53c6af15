"""Write the reference pages into docs/reference/, which git ignores: `python -m script.reference`. A release has them.

The list of pictures in docs/looks.md is written, too, and kept.

`manage.py reference` makes the pages of acts, entries and the snapshot from the product's declarations. Here come those
of what was measured: `bench` and `capacity` from docs/bench.json, `faults` from docs/faults.json.
"""

import os

import django
from django.core.management import call_command

from script import capacity
from script.bench import TITLES
from script.faults import report
from script.figures import Committed, page_lines
from script.service_finder import ROOT

FOLDER = ROOT / "docs" / "reference"
IMAGES = ROOT / "docs" / "img"
LOOKS = ROOT / "docs" / "looks.md"
BEGIN, END = "<!-- looks: begin (python -m script.reference) -->\n", "<!-- looks: end -->\n"


def measured() -> dict[str, str]:
    """The pages of what was measured, by name."""
    committed = Committed.read()
    return {
        "bench": "\n\n".join(["# Figures of `script/bench`", *page_lines(committed, TITLES), ""]),
        "capacity": "\n".join(["# What an installation carries", "", *capacity.lines(committed), ""]),
        "faults": report.page(report.read()),
    }


def looks(page: str) -> str:
    """This text of docs/looks.md, with each picture of a screen beside the drawing of its name, if there is one."""
    rows = []
    for path in sorted((IMAGES / "looks").glob("*.png")):
        drawn = (IMAGES / "drawings" / path.name).exists()
        drawing = f"![Drawing of {path.stem}](img/drawings/{path.name})" if drawn else ""
        rows.append(f"| {drawing} | ![{path.stem}](img/looks/{path.name}) |")
    table = "\n".join(["| drawn | built |", "|---|---|", *rows])
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n{table}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    call_command("reference", output=FOLDER)
    for name, text in measured().items():
        (FOLDER / f"{name}.md").write_text(text, "utf-8")
    LOOKS.write_text(looks(LOOKS.read_text("utf-8")), "utf-8")
    print(f"Written to {FOLDER.relative_to(ROOT)}/.")


if __name__ == "__main__":
    main()
