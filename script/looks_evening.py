"""Take the pictures of an evening of forty tables for docs/looks.md: `python -m script.looks_evening`.

`manage.py simulate --live` plays it on a demo floor of its own; `--hours` and `--tables` make it shorter.
`--only NAME…` takes some of the pictures, `--out FOLDER` writes them elsewhere.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, ClassVar

from script.looks_pit import PitLooks
from script.screenshots import FACILITY, LOOKS, PHONE, PODIUM, TABLET, WALL, Floor, photographer

SUBMISSIONS = "RS-0009,RS-0012,RS-0021,RS-0022,RS-0031,RS-0003"
# The pages at a podium: who looks, the address, and the sizes of their pictures.
PAGES = (
    ("evening-figures", "viktor", "figures/", (PODIUM, PHONE)),
    ("evening-figures-games", "viktor", "figures/?by=game", (PODIUM,)),
    ("evening-figures-table", "viktor", "figures/?table=T-101", (PODIUM,)),
    ("evening-inventories", "viktor", "T-104/inventories/", (PODIUM, PHONE)),
    ("evening-table", "viktor", "T-104/", (PODIUM,)),
    ("evening-advice", "marta", "advice/", (PODIUM, PHONE)),
    ("evening-rotation", "marta", "rotation/", (PODIUM,)),
    ("evening-handover", "marta", "handover/", (TABLET,)),
    ("evening-cage", "cleo", "cage/", (TABLET,)),
)


class ManyTables(Floor):
    """A demo floor with an evening of many tables behind it."""

    tables: ClassVar[int] = 40
    hours: ClassVar[int] = 3

    def play(self) -> None:
        from django.core.management import call_command

        from tables.dice_watch.watch import count_dice

        options = {"tables": self.tables, "hours": self.hours, "submission": SUBMISSIONS, "seed": 40}
        call_command("simulate", live=True, **options)
        call_command("figures_rollup", verbosity=0)
        count_dice()


class EveningLooks(PitLooks):
    """The floor at podium, wall and phone, and the pages of the evening."""

    def take_all(self) -> None:
        for person in dict.fromkeys(person for _name, person, _address, _sizes in PAGES):
            with self.page(FACILITY, person, *PODIUM) as podium:
                if person == "marta":
                    self.take_the_floor(podium)
                for name, who, address, sizes in PAGES:
                    if who == person:
                        self.open(podium, address)
                        self.sizes(podium, name, *sizes)
        with self.page(f"{FACILITY}/", "", *WALL) as wall:
            wall.locator("#next li").first.wait_for()
            self.sizes(wall, "evening-wall", WALL)

    def take_the_floor(self, podium: Any) -> None:
        self.open(podium, "")
        podium.locator("[data-view=plan]").click()
        self.sizes(podium, "evening-plan", PODIUM, WALL)
        podium.set_viewport_size({"width": PODIUM[0], "height": PODIUM[1]})
        podium.locator("[data-view=all]").click()
        self.sizes(podium, "evening-tiles", PODIUM, PHONE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.looks_evening", description=__doc__)
    parser.add_argument("--tables", type=int, default=ManyTables.tables, help="how many tables play")
    parser.add_argument("--hours", type=int, default=ManyTables.hours, help="how many hours they play")
    parser.add_argument("--only", nargs="+", default=(), help="names of pictures, with or without their size")
    parser.add_argument("--out", type=Path, default=LOOKS, help="the folder of the pictures")
    options = parser.parse_args()
    ManyTables.tables, ManyTables.hours = options.tables, options.hours
    with photographer(EveningLooks, ManyTables, options.out, evening=True) as looks:
        looks.only = frozenset(options.only)
        looks.take_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
