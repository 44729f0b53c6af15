"""Take the pictures of docs/looks.md on a floor of their own: `python -m script.looks`.

Each stands there beside the drawing of the same screen, at the same size. A table has eight seats and forty wagers.
`--only NAME…` takes some of them. `--drawings FOLDER` copies the drawings from a folder, in 256 colors.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from script.screenshots import FACILITY, PINS, ROOT, Floor, Photographer, photographer

PAGE = ROOT / "docs" / "looks.md"
LOOKS = ROOT / "docs" / "img" / "looks"
DRAWINGS = ROOT / "docs" / "img" / "drawings"
PINS = {**PINS, "sam": "330033", "linh": "440044"}
TABLET, UPRIGHT, SMALL = (1280, 800), (820, 1180), (1024, 768)
PODIUM, WALL, PHONE = (1440, 900), (1920, 1080), (390, 844)

# For each seat its wagers in dollars: forty, and every seat on Big but one that is over the maximum on Small.
SEATS = (
    "big 25, total:9 10, two-dice:2-5 10, one-of-a-kind:5 25, total:12 10",
    "big 100, total:12 25, small 25, two-dice:5-6 10, two-of-a-kind:5 10",
    "big 50, total:12 25, one-of-a-kind:2 50, any-three-of-a-kind 10, total:8 10",
    "big 500, two-dice:2-5 25, total:10 10, total:11 10, one-of-a-kind:5 100",
    "big 25, three-of-a-kind:5 10, two-of-a-kind:5 10, total:12 10, small 1200",
    "big 75, one-of-a-kind:2 25, two-dice:2-5 10, total:13 10, total:14 10",
    "big 25, total:12 10, one-of-a-kind:6 25, two-dice:3-4 10, total:7 10",
    "big 100, total:9 10, one-of-a-kind:5 25, two-of-a-kind:2 10, total:16 10",
)
FORTY = tuple(
    (seat, wager.split()[0], 100 * int(wager.split()[1]))
    for seat, wagers in enumerate(SEATS, start=1)
    for wager in wagers.split(", ")
)
DICE = [2, 5, 5]


class LooksFloor(Floor):
    """The demo floor with one full table, T-01, and something to do at others."""

    def play(self) -> None:
        """Five rounds at T-01 and one at three others; then wagers that lie."""
        for dice in ([1, 3, 6], [4, 4, 2], [6, 6, 6], [1, 2, 2], [3, 5, 6]):
            self.round("T-01", dice, *FORTY[:20])
        for table, dice in (("T-02", [3, 3, 4]), ("T-03", [1, 5, 6]), ("T-05", [2, 2, 2])):
            self.round(table, dice, (1, "big", 5_000), (3, "total:10", 2_500), (5, "small", 10_000))
        self.place("T-02", (2, "big", 10_000), (4, "one-of-a-kind:6", 2_500), (5, "total:8", 1_000))
        self.place("T-03", (1, "small", 25_000), (3, "big", 50_000), (8, "any-three-of-a-kind", 2_500))
        self.step("T-03", "call_dice")
        self.place("T-01", *FORTY)
        self.seat_players()
        self.kick_off()


class Looks(Photographer):
    """The pictures, in the order in which the floor gets from one to the next."""

    only: frozenset[str] = frozenset()

    def take(self, page: Any, name: str) -> None:
        """One picture, if it was asked for."""
        if not self.only or name in self.only:
            super().take(page, name)

    def sign_in(self, page: Any, person: str) -> None:
        page.locator(f"label.person:has(input[value='{person}'])").click()
        for digit in PINS[person]:
            page.locator(f"#sign-in [data-digit='{digit}']").click()
        page.locator("live-screen:defined").wait_for()

    def sizes(self, page: Any, name: str, *sizes: tuple[int, int]) -> None:
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            self.take(page, f"{name}-{width}x{height}")
        page.set_viewport_size(dict(zip(("width", "height"), TABLET, strict=True)))

    def hold(self, button: Any) -> None:
        """Press a button until its step is done."""
        button.hover()
        button.page.mouse.down()
        button.page.wait_for_timeout(1_800)
        button.page.mouse.up()
        button.page.wait_for_timeout(600)

    def take_all(self) -> None:
        """Every picture. The sign-in first, since it needs nobody."""
        with self.page(f"{FACILITY}/T-01", "", *TABLET) as tablet:
            self.take(tablet, "signin-search-recent-1280x800")
            tablet.locator("[data-letter=M]").click()
            tablet.locator("label.person:has(input[value='zara'])").click()
            for digit in "12":
                tablet.locator(f"#sign-in [data-digit='{digit}']").click()
            self.sizes(tablet, "signin-search", TABLET, UPRIGHT)
        with self.page(FACILITY, "marta", *PODIUM) as pit:
            with self.page(f"{FACILITY}/T-01", "mei", *TABLET) as tablet:
                self.take_the_felt(tablet, pit)
            self.take_a_return()
            self.take_the_pit_screens(pit)

    def take_the_felt(self, tablet: Any, pit: Any) -> None:
        tablet.locator('[data-seat="4"]').first.click()
        self.sizes(tablet, "felt-eight-seats", TABLET, SMALL, UPRIGHT)
        self.open_an_area(tablet)
        self.sizes(tablet, "felt-eight-open", TABLET, SMALL, UPRIGHT)
        tablet.locator("[data-do=open-area]").click()
        self.take_a_floor_call(tablet, pit)
        with self.page(FACILITY, "kate", *PODIUM) as podium:
            podium.goto(f"/floor/{FACILITY}/T-01/")
            self.take(podium, "table-live-1440x900")
        self.take_an_outage(tablet)
        self.take_a_failure(tablet)
        while tablet.locator("#screen").get_attribute("data-phase") != "ready":
            tablet.locator("#next").click()
            tablet.wait_for_timeout(1_200)
        for face in DICE:
            tablet.locator(f'#dock-entry [data-face="{face}"]').click()
        self.hold(tablet.locator("#next"))
        self.take_a_correction(tablet)
        self.hold(tablet.locator("#next"))
        self.hold(tablet.locator("#next"))
        for _ in range(2):
            tablet.locator("#next").click()
            tablet.wait_for_timeout(1_200)
        self.sizes(tablet, "felt-pay", TABLET, UPRIGHT)

    def open_an_area(self, tablet: Any) -> None:
        tablet.locator("[data-do=open-area]").click()
        tablet.locator('[data-wager="big"]').click()
        tablet.wait_for_timeout(500)

    def take_a_floor_call(self, tablet: Any, pit: Any) -> None:
        tablet.locator("[data-call=floor]").click()
        tablet.locator("#call-floor").wait_for()
        tablet.locator("#call-floor [data-explain=reason]").first.click()
        tablet.locator("#call-floor [data-explain=seat]").nth(2).click()
        self.take_the_phone()
        alert = pit.locator("#alerts .alert", has_text="Dispute")
        alert.get_by_role("button", name="I’m coming").click()
        tablet.locator(".floor-call--coming").wait_for()
        self.take(tablet, "felt-floor-called-1280x800")
        self.open_decision(pit, alert)
        pit.get_by_label("Decision, for the record").fill("Surveillance saw one chip.")
        pit.get_by_role("button", name="Stands as recorded").click()
        tablet.locator(".decided").wait_for()
        self.take(tablet, "felt-floor-decided-1280x800")
        tablet.locator("[data-read-decision]").click()

    def open_decision(self, pit: Any, alert: Any) -> None:
        """Tap until the dialog is open: a tap within a second after the alerts have changed does not count."""
        while not pit.locator("#decide").is_visible():
            alert.get_by_role("button", name="Decide").click()
            pit.wait_for_timeout(300)

    def take_the_phone(self) -> None:
        """The pit on a phone, the wall, and the page of the table, while nobody has answered the call."""
        with self.page(FACILITY, "kate", *PHONE) as phone:
            self.take(phone, "pit-phone-alert-390x844")
            phone.goto(f"/floor/{FACILITY}/T-02/")
            self.take(phone, "pit-phone-table-390x844")
        with self.page(f"{FACILITY}/", "", *WALL) as wall:
            self.take(wall, "wall-1920x1080")
        with self.page(FACILITY, "kate", *PODIUM) as podium:
            podium.locator("[data-view=plan]").click()
            self.sizes(podium, "floor-plan", PODIUM, WALL)
            podium.locator("[data-view=all]").click()
            podium.set_viewport_size(dict(zip(("width", "height"), PODIUM, strict=True)))
            podium.get_by_role("button", name="Lock").click()
            self.take(podium, "podium-locked-1440x900")

    def take_an_outage(self, tablet: Any) -> None:
        tablet.context.set_offline(True)
        tablet.locator("[data-chip='2500']").click()
        for area in ("total:13", "big"):
            tablet.locator(f'[data-wager="{area}"]').click()
            tablet.wait_for_timeout(1_500)
        self.take(tablet, "felt-offline-1280x800")
        tablet.context.set_offline(False)
        tablet.wait_for_timeout(6_000)

    def take_a_failure(self, tablet: Any) -> None:
        tablet.locator("[data-open=more]").click()
        tablet.locator('#more [data-ask="report_device_failure"]').click()
        tablet.locator("dialog[open] [data-fill=what]").nth(1).click()
        tablet.wait_for_timeout(800)
        self.take(tablet, "felt-device-1280x800")
        tablet.keyboard.press("Escape")

    def take_a_correction(self, tablet: Any) -> None:
        tablet.locator("[data-open=more]").click()
        tablet.locator('#more [data-ask="correct_dice"]').click()
        for die, face in enumerate((2, 5, 6)):
            tablet.locator(f'dialog[open] [data-ask-die="{die}"]').click()
            tablet.locator(f'dialog[open] [data-ask-face="{face}"]').click()
        tablet.wait_for_timeout(1_500)
        self.sizes(tablet, "felt-correct", TABLET, SMALL, UPRIGHT)
        tablet.keyboard.press("Escape")

    def take_a_return(self) -> None:
        """No roll at T-03, whose wagers then go back."""
        with self.page(f"{FACILITY}/T-03", "linh", *TABLET) as tablet:
            tablet.locator('[data-ask="call_no_roll"]').first.click()
            tablet.locator("dialog[open] [data-choices] button").first.click()
            tablet.locator("dialog[open] [name=person]").select_option("sam")
            for digit in PINS["sam"]:
                tablet.locator(f"dialog[open] .ask-pin [data-digit='{digit}']").click()
            tablet.locator("[data-act=return_wagers]").first.wait_for()
            self.take(tablet, "felt-return-1280x800")

    def take_the_pit_screens(self, pit: Any) -> None:
        alerts = pit.locator("#alerts .acknowledge:not(.acknowledge--mute)")
        while alerts.count():
            alerts.first.click()
            pit.wait_for_timeout(1_500)
        with self.page(f"{FACILITY}/", "", *WALL) as wall:
            self.take(wall, "wall-calm-1920x1080")


def copy_drawings(looks: Photographer, folder: Path) -> None:
    """The drawings that docs/looks.md names, in 256 colors."""
    DRAWINGS.mkdir(parents=True, exist_ok=True)
    for name in sorted(set(re.findall(r"img/drawings/([\w-]+\.png)", PAGE.read_text()))):
        (DRAWINGS / name).write_bytes(looks.reduced((folder / name).read_bytes()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.looks", description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), help="names of pictures")
    parser.add_argument("--drawings", type=Path, help="copy the drawings of this folder instead")
    options = parser.parse_args()
    with photographer(Looks, LooksFloor, LOOKS) as looks:
        looks.only = frozenset(options.only)
        if options.drawings:
            copy_drawings(looks, options.drawings)
        else:
            looks.take_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
