"""Take the pictures of the pit's money, figures and people for docs/looks.md: `python -m script.looks_pit`.

They are of the demo's evening: an hour of play at every table, with its tray. `--only NAME…` takes some of them,
`--out FOLDER` writes them elsewhere.
"""

import argparse
import random
import sys
import uuid
from pathlib import Path
from typing import Any

from script.screenshots import (
    FACILITY,
    LOOKS,
    PHONE,
    PODIUM,
    SMALL,
    TABLET,
    UPRIGHT,
    WALL,
    Floor,
    Photographer,
    photographer,
)

TABLE = "T-04"
RATED_WAGERS = ((2, "big", 5_000), (2, "total:12", 1_000), (5, "small", 2_500), (5, "two-dice:2-5", 500))
PARTLY = {"500": 100, "2500": 100}
# The pages at a podium: who looks, the address, and the sizes of their pictures.
PAGES = (
    ("figures", "viktor", "figures/", (PODIUM, PHONE)),
    ("figures-table", "viktor", f"figures/{TABLE}/", (PODIUM, PHONE)),
    ("table-tray", "marta", f"{TABLE}/", (PODIUM,)),
    ("rotation", "marta", "rotation/", (PODIUM, PHONE)),
    ("handover", "marta", "handover/", (TABLET, PHONE)),
    ("players", "marta", "players/", (PODIUM, PHONE)),
    ("player", "marta", "players/{player}/", (PODIUM,)),
    ("dice-watch", "marta", "dice-watch/", (PODIUM, PHONE)),
    ("advice", "marta", "advice/", (PODIUM, PHONE)),
)


class EveningFloor(Floor):
    """The demo's evening, with a fill at the table, another that is requested, and two rated players."""

    def play(self) -> None:
        from django.core.management import call_command

        from audit.models import Person
        from tables.demo.seeding import do
        from tables.demo.simulated_money import FILL, UNDER_WAY
        from tables.dice_watch.watch import count_dice
        from tables.models import ChipTransfer, Table

        people = {person.code: person for person in Person.objects.filter(facility=FACILITY)}

        def act(by: str, table: str, name: str, params: dict[str, Any], witness: str = "") -> None:
            do(people[by], self.device, FACILITY, table, name, params, people[witness] if witness else None)

        def fill(table: str, chips: dict[str, int]) -> ChipTransfer:
            """The fill under way at a table, requested now if there is none."""
            row = Table.objects.get(facility__code=FACILITY, code=table)
            under_way = ChipTransfer.objects.filter(table=row, status__in=UNDER_WAY)
            if not under_way.exists():
                assert row.floorperson is not None
                act(row.floorperson.code, table, "request_fill", {"chips": chips})
            return under_way.get(kind=ChipTransfer.Kind.FILL)

        brought = fill(TABLE, FILL)
        transfer = {"transfer": brought.number}
        if brought.status == ChipTransfer.Status.REQUESTED:
            act("cleo", TABLE, "prepare_transfer", transfer)
        if brought.status != ChipTransfer.Status.ON_THE_WAY:
            act("cleo", TABLE, "hand_over_transfer", transfer, "rita")
        fill("T-31", PARTLY)
        prepared = fill("T-32", {"10000": 40})
        if prepared.status == ChipTransfer.Status.REQUESTED:
            act("cleo", "T-32", "prepare_transfer", {"transfer": prepared.number})
        self.finish_round(TABLE)
        self.place(TABLE, *RATED_WAGERS)
        self.rate_players(people["marta"])
        for dice in ([1, 3, 6], [4, 4, 2], [2, 5, 5]):
            self.step(TABLE, "call_dice")
            self.act(TABLE, "call_dice", {"dice": dice})
            self.step(TABLE, "clear_layout")
            self.act(TABLE, "clear_layout")
            self.place(TABLE, *RATED_WAGERS)
        call_command("figures_rollup", verbosity=0)
        count_dice()

    def finish_round(self, table: str) -> None:
        """Play the round that the evening left at a table to its end."""
        from tables.demo.evening import table_of_the_evening
        from tables.demo.simulation import acts_of_round
        from tables.models import Wager

        simulated = table_of_the_evening(table)
        assert simulated is not None
        if Wager.objects.filter(round__table=simulated.table, round__ended_at=None).exists():
            for _ in acts_of_round(simulated, random.Random(1)):
                pass

    def rate_players(self, manager: Any) -> None:
        from audit.runner import ActRequest
        from tables.demo.seeding import do
        from tables.runner import facility

        for seat, name in ((2, "Pat Example"), (5, "Sam Sample")):
            params = {"name": name, "card": ""}
            outcome = facility.execute(
                ActRequest(FACILITY, "", "register_player", uuid.uuid4(), 0, params, manager, self.device)
            )
            rating = {"seat": seat, "player": str(outcome.body["player"])}
            do(manager, self.device, FACILITY, TABLE, "start_rating", rating)


class PitLooks(Photographer):
    """The pages of money, figures and people, and the floor plan with what is chosen on it."""

    def take_all(self) -> None:
        self.take_the_landing()
        self.take_the_tray()
        self.take_the_cage()
        for person in ("marta", "viktor"):
            with self.page(FACILITY, person, *PODIUM) as podium:
                if person == "marta":
                    self.take_the_plan(podium)
                for name, who, address, sizes in PAGES:
                    if who == person:
                        self.open(podium, address)
                        self.sizes(podium, name, *sizes)

    def open(self, page: Any, address: str) -> None:
        from tables.models import Player

        newest = Player.objects.order_by("pk").first()
        page.set_viewport_size({"width": PODIUM[0], "height": PODIUM[1]})
        page.goto(f"/floor/{FACILITY}/{address.format(player=newest.code if newest else '')}")
        page.wait_for_load_state("networkidle")

    def take_the_landing(self) -> None:
        """The first page of a visitor, whose browser is no device yet."""
        visitor = self.browser.new_page(base_url=self.address, timezone_id="America/New_York")
        visitor.goto("/")
        visitor.locator(".tb.yours").wait_for()
        self.sizes(visitor, "landing", PODIUM, UPRIGHT, PHONE)
        visitor.close()

    def take_the_tray(self) -> None:
        """The fill is counted at the tablet of its table; somebody of surveillance looks on with a phone."""
        with self.page(f"{FACILITY}/{TABLE}", "rosa", *TABLET) as tablet:
            tablet.goto(f"/floor/{FACILITY}/{TABLE}/tray")
            tablet.locator("html[data-ready]").wait_for(state="attached")
            for digits in ("150", "250", "100"):
                tablet.keyboard.type(digits)
                tablet.locator("[data-count-next]").click()
            self.sizes(tablet, "tray", TABLET, UPRIGHT, SMALL)
        with self.page(FACILITY, "hugo", *PHONE) as phone:
            phone.goto(f"/floor/{FACILITY}/{TABLE}/tray")
            self.sizes(phone, "tray", PHONE)

    def take_the_cage(self) -> None:
        with self.page(FACILITY, "cleo", *TABLET) as cage:
            cage.goto(f"/floor/{FACILITY}/cage/")
            cage.locator(".money-card").first.wait_for()
            self.sizes(cage, "cage", TABLET, UPRIGHT)

    def take_the_plan(self, podium: Any) -> None:
        podium.goto(f"/floor/{FACILITY}/")
        self.sizes(podium, "tiles-fills", PODIUM)
        podium.set_viewport_size({"width": PODIUM[0], "height": PODIUM[1]})
        podium.locator("[data-view=plan]").click()
        podium.locator("[data-lens-of=occupancy]").click()
        podium.locator("#occupancy-age:not(:empty)").wait_for()
        self.sizes(podium, "floor-plan-occupancy", PODIUM, WALL)
        podium.set_viewport_size({"width": PODIUM[0], "height": PODIUM[1]})
        podium.locator("[data-lens-of=state]").click()
        podium.goto(f"/floor/{FACILITY}/?arrange=1")
        podium.locator("[data-plan-of='T-31'] .shape").wait_for()
        self.drag(podium, "T-31", "2 2")
        self.sizes(podium, "floor-plan-arrange", PODIUM)
        podium.mouse.up()
        self.arrange_pits(podium)

    def arrange_pits(self, podium: Any) -> None:
        """Two landmarks between the pits, one of them picked. Nothing is saved."""
        podium.goto(f"/floor/{FACILITY}/?arrange=floor")
        for name in ("Main entrance", "Cage"):
            podium.locator("#landmark-form input").fill(name)
            podium.locator("#landmark-form button").first.click()
            picked = podium.locator(f".floor-item.picked[data-item-landmark='{name}']")
            row = int(picked.get_attribute("data-row"))
            podium.keyboard.press("ArrowUp")
            podium.locator(f".floor-item.picked[aria-label='{name}, row {row - 1}']").wait_for()
        self.sizes(podium, "floor-plan-pits", PODIUM)

    def drag(self, page: Any, table: str, spot: str) -> None:
        """Drag a table over another place of its pit, without letting it go."""
        shape = page.locator(f"[data-plan-of='{table}'] .shape")
        pit = page.evaluate(
            "(code) => [...document.querySelectorAll('[data-pit]')].find((pit) =>"
            " pit.querySelector(`[data-table='${code}']`)).dataset.pit",
            table,
        )
        target = page.locator(f"[data-spot='{spot}'][data-pit-of='{pit}']")
        for element in (shape, target):
            box = element.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
            if element is shape:
                page.mouse.down()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.looks_pit", description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), help="names of pictures, with or without their size")
    parser.add_argument("--out", type=Path, default=LOOKS, help="the folder of the pictures")
    options = parser.parse_args()
    with photographer(PitLooks, EveningFloor, options.out, evening=True) as looks:
        looks.only = frozenset(options.only)
        looks.take_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
