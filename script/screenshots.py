"""Take the pictures of the documentation, docs/img, on a demo floor of its own: `python -m script.screenshots`.

Needs the environment of `script/setup --dev`, and Chromium (CHROMIUM_PATH, or on PATH). The pictures are reduced to
256 colors, which halves them. `--out FOLDER` writes them elsewhere.
"""

import argparse
import base64
import contextlib
import datetime as dt
import os
import struct
import sys
import tempfile
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
PINS = {
    "mei": "110011", "dana": "420042", "abel": "310031", "kate": "880088", "ivan": "990099", "marta": "121212",
    "viktor": "131313", "noah": "171717", "rosa": "550055", "carla": "161616", "emil": "430043", "stan": "770077",
}  # fmt: skip
FACILITY = "larkfield"
AnyPhotographer = TypeVar("AnyPhotographer", bound="Photographer")

# Seat, wager, cents: what lies on the table of the pictures.
WAGERS = (
    (1, "small", 2_500), (1, "total:9", 500), (1, "two-dice:2-5", 1_000),
    (2, "big", 10_000), (2, "total:12", 2_500),
    (3, "two-of-a-kind:5", 2_500), (3, "one-of-a-kind:5", 5_000), (3, "any-three-of-a-kind", 500),
    (4, "big", 50_000), (4, "two-dice:5-6", 2_500),
    (6, "one-of-a-kind:2", 2_500), (6, "three-of-a-kind:4", 500), (6, "small", 7_500),
    (7, "total:12", 1_000), (7, "big", 2_500),
)  # fmt: skip
DICE = [2, 5, 5]
PRESS_TIME = 700  # ms: longer than what hold.js asks of a button that is pressed and held

# Seat, wager, cents and the play of a single play wager: what lies on the football table of the pictures.
FOOTBALL = (
    (2, "touchdown", 2_500), (5, "touchdown", 2_500), (14, "touchdown", 2_500), (6, "defense", 2_500),
    (12, "defense", 2_500), (5, "extra-point", 1_000), (14, "extra-point", 1_000), (5, "quick-strike", 1_000),
    (8, "game-changer", 500), (3, "game-length:3", 500), (2, "game-length:4", 500), (15, "game-length:6", 500),
    (2, "no-gain", 500, 1), (2, "big-play", 500, 1), (3, "over-four", 2_500, 1), (5, "trips-td", 500, 1),
    (5, "over-four", 1_000, 1), (5, "big-play", 500, 1), (6, "under-four", 2_500, 1), (8, "cover-three", 500, 1),
    (11, "penalty", 500, 1), (12, "turnover", 500, 1), (14, "big-play", 1_000, 1), (15, "under-four", 500, 1),
)  # fmt: skip

# Seat, wager, cents: what lies on the High Roll table of the pictures. Seats 2 and 4 buy an Extra Roll.
HIGH_ROLL = (
    (1, "pip:2", 1_000), (1, "pip:5", 1_000), (1, "like-kind:4", 1_000),
    (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500), (2, "like-kind:4", 2_500),
    (2, "like-kind:5", 2_500), (2, "extra-roll", 2_500), (2, "millionaire:9", 100),
    (4, "pip:6", 5_000), (4, "pip:1", 5_000), (4, "like-kind:4", 5_000), (4, "like-kind:5", 5_000),
    (4, "like-kind:6", 5_000), (4, "extra-roll", 5_000), (4, "millionaire:9", 100), (4, "millionaire:10", 100),
    (5, "pip:5", 10_000), (5, "like-kind:2", 10_000), (5, "like-kind:5", 10_000), (6, "pip:1", 1_000),
)  # fmt: skip
FIRST_ROLL, EXTRA_THROW = [1, 1, 6, 6, 6, 5, 5, 5, 5, 4], [5, 1, 2, 3, 6, 6]

# Median cut: the box of colors with the widest spread is parted at its middle, until there are 256.
REDUCE = """async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image, canvas = new OffscreenCanvas(width, height), pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, width, height), many = new Map();
    const key = (i) => (data[i] << 16 | data[i + 1] << 8 | data[i + 2]) & 0xfcfcfc;
    for (let i = 0; i < data.length; i += 4) many.set(key(i), (many.get(key(i)) ?? 0) + 1);
    const part = (color, shift) => color >> shift & 255;
    const measured = (colors) => {
        let wide = -1, along = 0;
        for (const shift of [16, 8, 0]) {
            const values = colors.map((color) => part(color, shift));
            const spread = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
            if (spread > wide) [wide, along] = [spread, shift];
        }
        const weight = colors.reduce((sum, color) => sum + many.get(color), 0);
        return { colors, along, wide, rank: wide * Math.sqrt(weight) };
    };
    const boxes = [measured([...many.keys()])];
    while (boxes.length < 256) {
        boxes.sort((a, b) => b.rank - a.rank);
        const { colors, along, wide } = boxes[0];
        if (!wide) break;
        const low = colors.reduce((least, color) => Math.min(least, part(color, along)), 255);
        const lower = colors.filter((color) => part(color, along) <= low + wide / 2);
        const upper = colors.filter((color) => part(color, along) > low + wide / 2);
        boxes.splice(0, 1, measured(lower), measured(upper));
    }
    const index = new Map(), palette = [];
    boxes.forEach(({ colors }, number) => {
        const weight = colors.reduce((sum, color) => sum + many.get(color), 0);
        for (const shift of [16, 8, 0]) palette.push(Math.min(255, Math.round(1.5 +
            colors.reduce((sum, color) => sum + part(color, shift) * many.get(color), 0) / weight)));
        for (const color of colors) index.set(color, number);
    });
    let text = '';
    for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(index.get(key(i)));
    return [width, height, palette, btoa(text)];
}"""


def main() -> int:
    """Take every picture of the documentation."""
    parser = argparse.ArgumentParser(prog="python -m script.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "img", help="the folder of the pictures")
    with photographer(Photographer, Floor, parser.parse_args().out) as screens:
        screens.take_all()
    return 0


@contextlib.contextmanager
def photographer(
    make: "Callable[[Any, str, Path], AnyPhotographer]",
    make_floor: "Callable[[], Floor]",
    pictures: Path,
    evening: bool = False,
) -> "Iterator[AnyPhotographer]":
    """Seed a floor in a temporary folder, play on it, serve it from a thread, and yield a photographer of it.

    `evening`: the floor has the hour of play of the demo behind it, at every table.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(ROOT)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.local"
        os.environ |= {"DATABASE_URL": f"sqlite:///{folder}/floor.sqlite3", "REDIS_URL": "", "DEBUG": "False"}
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "1", "EMBEDDED_TICKER": "False"}
        os.environ |= {"PITSIDE_EXPORTS_DIR": f"{folder}/exports"}
        import django
        from django.core.management import call_command

        django.setup()
        from audit import clock
        from tests.services import chromium, server

        call_command("migrate", verbosity=0)
        with contextlib.nullcontext() if evening else clock.override(ShiftClock()):
            call_command("seed_demo", evening=evening, verbosity=0)
            make_floor().play()
        pictures.mkdir(parents=True, exist_ok=True)
        with server.serving() as live_server, chromium.running() as browser:
            yield make(browser, live_server.address, pictures)


class ShiftClock:
    """A clock that starts 50 minutes ago and moves nine seconds at each reading, until it is now."""

    def __init__(self) -> None:
        self.now = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=50)

    def __call__(self) -> dt.datetime:
        self.now = min(self.now + dt.timedelta(seconds=9), dt.datetime.now(dt.UTC))
        return self.now


class Floor:
    """The demo floor, on which acts are executed as people execute them."""

    def __init__(self) -> None:
        from audit.devices import enroll
        from audit.models import Person

        self.device, _ = enroll("Podium of the pictures", FACILITY, "podium")
        self.kate, self.ivan = Person.objects.get(code="kate"), Person.objects.get(code="ivan")

    def act(self, table: str, name: str, params: dict[str, Any] | None = None) -> None:
        from tables.demo.seeding import do
        from tables.models import Table

        row = Table.objects.get(facility__code=FACILITY, code=table)
        at_the_stick = row.stickperson if name == "offer_dice" else None
        do(at_the_stick or row.floorperson or self.ivan, self.device, FACILITY, table, name, params or {})

    def receive_dice(self) -> None:
        """A delivery waits for its inspection; one of its lots is measured and issued already."""
        from audit.models import Person
        from audit.runner import ActRequest
        from tables.demo.seeding import do
        from tables.runner import facility

        viktor, rita = Person.objects.get(code="viktor"), Person.objects.get(code="rita")
        lot = {"dice": 3, "size_um": 19_050, "attested": True, "seal_intact": True, "maker": "Midwest Dice"}
        lots = [{**lot, "lot": f"L-01{number:02}", "serial": f"MW-{number:04}"} for number in range(1, 5)]
        die = {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True}
        tools = {"micrometer": "M-1", "caliper": "C-1", "square": "Q-1"}
        said = {"lot": "L-0101", "compartment": "A-3", "dice": [die] * 3, **tools}
        for name, params in (
            ("receive_dice", {"from": "Midwest Dice, box 12", "lots": lots}),
            ("inspect_dice", said),
        ):
            facility.execute(
                ActRequest(
                    facility=FACILITY,
                    place="",
                    act=name,
                    command=uuid.uuid4(),
                    seen_version=0,
                    params=params,
                    actor=viktor,
                    device=self.device,
                    witness=rita,
                )
            )
        do(viktor, self.device, FACILITY, "T-01", "issue_dice", {"lot": "L-0101"}, rita)

    def step(self, table: str, until: str) -> None:
        """The next acts of a round, as the snapshot names them, until one of this name is next."""
        from tables.models import Table
        from tables.screens.snapshot import of_table

        pk = Table.objects.get(facility__code=FACILITY, code=table).pk
        while (following := of_table(pk)["next"]) is not None and following["act"] != until:
            self.act(table, following["act"], dict(following["params"]))

    def place(self, table: str, *wagers: tuple[Any, ...]) -> None:
        placed = [dict(zip(("seat", "wager", "cents", "play"), wager, strict=False)) for wager in wagers]
        self.act(table, "place_wagers", {"wagers": placed})

    def round(self, table: str, dice: list[int], *wagers: tuple[int, str, int]) -> None:
        self.place(table, *wagers)
        self.step(table, "call_dice")
        self.act(table, "call_dice", {"dice": dice})
        self.step(table, "clear_layout")
        self.act(table, "clear_layout")

    def disputed(self, dice: list[int], *wagers: tuple[int, str, int]) -> None:
        """A round at T-01 whose loser asks why, and is told."""
        from tables.models import Alert

        self.place("T-01", *wagers)
        self.step("T-01", "call_dice")
        self.act("T-01", "call_dice", {"dice": dice})
        self.act("T-01", "report_dispute", {"seat": 2, "about": "Big"})
        said = {"alert": Alert.objects.get(kind="dispute").pk, "note": "The dice were seen again; Big lost"}
        self.act("T-01", "acknowledge_alert", said)
        self.act("T-01", "read_decision", {"alert": said["alert"]})
        self.step("T-01", "clear_layout")
        self.act("T-01", "clear_layout")

    def play(self) -> None:
        """Some rounds at every open table, then each left at another step."""
        self.receive_dice()
        for dice in ([1, 3, 6], [4, 4, 2], [6, 6, 6]):
            self.round("T-01", dice, *WAGERS[:11])
        self.disputed([1, 2, 5], *WAGERS[:11])
        for table, dice in (("T-02", [3, 3, 4]), ("T-03", [1, 5, 6]), ("T-05", [2, 2, 2])):
            self.round(table, dice, (1, "big", 5_000), (3, "total:10", 2_500), (5, "small", 10_000))
        self.place("T-02", (2, "big", 10_000), (4, "one-of-a-kind:6", 2_500), (5, "total:8", 1_000))
        self.place("T-03", (1, "small", 25_000), (3, "big", 50_000), (8, "any-three-of-a-kind", 2_500))
        self.step("T-03", "call_dice")
        self.act("T-03", "call_dice", {"dice": [1, 4, 6]})
        self.place("T-05", (6, "two-dice:3-4", 2_000))
        self.step("T-05", "call_dice")
        self.act("T-04", "report_device_failure", {"what": "layout"})
        self.place("T-01", *WAGERS)
        self.seat_players()
        self.kick_off()

    def seat_players(self) -> None:
        """Five players at the High Roll table, and their wagers."""
        for seat in sorted({seat for seat, _, _ in HIGH_ROLL}):
            self.act("T-31", "seat_player", {"seat": seat})
        self.place("T-31", *HIGH_ROLL)

    def kick_off(self) -> None:
        """Wagers on the football table, and the dice with seat 5."""
        self.place("T-42", *FOOTBALL)
        for seat in (2, 3, 5):
            self.act("T-42", "offer_dice", {"seat": seat, "accepted": seat == 5})


class Photographer:
    """One tablet and one podium."""

    def __init__(self, browser: Any, address: str, pictures: Path) -> None:
        self.browser, self.address, self.pictures = browser, address, pictures

    @contextlib.contextmanager
    def page(self, place: str, person: str, width: int, height: int, ratio: float = 1) -> Iterator[Any]:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, base_url=self.address, has_touch=True,
            device_scale_factor=ratio, timezone_id="America/New_York",
        )  # fmt: skip
        page = context.new_page()
        page.goto("/enrol")
        page.locator(f"button[name=place][value='{place}']").click()
        if person:
            self.sign_in(page, person)
        yield page
        context.close()

    def sign_in(self, page: Any, person: str) -> None:
        page.locator(f"label.person:has(input[value='{person}'])").click()
        for digit in PINS[person]:
            page.locator(f"#sign-in [data-digit='{digit}']").click()
        page.locator(
            "live-screen:defined, #page"
        ).first.wait_for()  # compliance and the office land on their own pages
        page.wait_for_load_state("networkidle")

    def take(self, page: Any, name: str) -> None:
        """One picture; what still moves or fades is given a moment."""
        page.wait_for_timeout(400)
        file = self.pictures / f"{name}.png"
        file.write_bytes(self.reduced(page.screenshot()))
        print(f"{file.name}  {file.stat().st_size // 1024} kB")

    def reduced(self, picture: bytes) -> bytes:
        """The same picture in 256 colors: the browser chooses them, and the file is written here."""
        blank = self.browser.new_page()
        width, height, palette, pixels = blank.evaluate(REDUCE, base64.b64encode(picture).decode())
        blank.close()
        rows = base64.b64decode(pixels)
        lines = b"".join(b"\0" + rows[at : at + width] for at in range(0, len(rows), width))
        parts = (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", bytes(palette)),
            (b"IDAT", zlib.compress(lines, 9)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts
        )

    def take_all(self) -> None:
        self.take_the_opening()
        self.take_the_pit()
        self.take_the_rooms()
        self.take_the_office()
        self.take_a_repair()
        self.take_a_round()
        self.take_a_high_roll()
        self.take_a_football_game()
        with self.page(FACILITY, "marta", 1440, 900) as pit:
            pit.goto(f"/floor/{FACILITY}/T-01/")
            self.take(pit, "table")
            self.announce(pit)
        self.take_the_record()

    def take_the_record(self) -> None:
        """What an auditor sees of a disputed round: sealed, replayed, proven, reported, and on its way out."""
        from audit.exporting import jobs
        from audit.sealing import keys
        from audit.sealing.process import SealerSession

        replay = f"/floor/{FACILITY}/T-01/rounds/4/"
        with self.page(FACILITY, "kate", 1280, 800) as podium:
            podium.goto(replay)
            podium.locator("[data-open=file-slip]").click()
            box = podium.locator("#file-slip")
            box.locator(".pick:has([name=kind][value=payment])").click()
            box.locator("[data-add-payment]").first.click()
            box.locator("[data-of-kind=payment] [name=paid_cents]").fill("70")
            box.locator("[name=reason]").fill("One chip was missing")
            self.take(podium, "slip")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / keys.KEY_FOLDER).mkdir()
            keys.create(Path(folder))
            SealerSession(Path(folder)).run_once()
        with self.page(FACILITY, "carla", 1280, 800) as desk:
            desk.goto(f"/record/{FACILITY}/?place=T-01&round=4")
            self.take(desk, "record")
            desk.locator(".says", has_text="called and lit").click()
            self.take(desk, "entry")
            desk.goto(replay)
            while "called and lit" not in desk.locator(".acts .current strong").inner_text():
                desk.locator("a[data-move=before]").click()
                desk.wait_for_timeout(500)
            self.take(desk, "replay")
            for name in ("integrity", "report"):
                desk.goto(f"/record/{FACILITY}/{name}/")
                self.take(desk, name)
            desk.goto(f"/record/{FACILITY}/exports/")
            desk.locator("[data-open=ask-export]").click()
            desk.locator("#ask-export [data-go]").click()
            desk.locator("#ask-export").wait_for(state="hidden")
            jobs.Worker().run_next()
            desk.reload()
            self.take(desk, "exports")

    def announce(self, pit: Any) -> None:
        """New limits at a table with players: the dealer's prompt."""
        pit.locator("[data-limits-open=limits-change]").click()
        box = pit.locator("#limits-change")
        box.locator("[name=min]").fill("25")
        box.locator("[name=max]").fill("2,000")
        box.locator("label", has_text="Players are here").click()
        box.locator("[type=submit]").click()
        box.wait_for(state="hidden")
        with self.page(f"{FACILITY}/T-01", "mei", 1280, 800) as tablet:
            tablet.locator("#announce").click()
            self.take(tablet, "limits")

    def take_the_opening(self) -> None:
        with self.page(f"{FACILITY}/T-01", "", 1280, 800) as tablet:
            tablet.locator("label.person:has(input[value='mei'])").click()
            for digit in "110":
                tablet.locator(f"#sign-in [data-digit='{digit}']").click()
            self.take(tablet, "signin")
        with self.page(f"{FACILITY}/T-06", "ivan", 1280, 800) as tablet:
            for face in DICE:
                tablet.locator(f'[data-inspect-face="{face}"]').click()
            for number in range(3):
                tablet.locator("#inspect [data-combo]").nth(number).click()
            self.take(tablet, "inspection")

    def take_the_pit(self) -> None:
        with self.page(FACILITY, "marta", 1440, 900) as pit:
            self.take(pit, "floor")

    def take_the_rooms(self) -> None:
        """Dice, the chain of custody of a lot, the measuring of another, staff; and what is on file."""
        with self.page(FACILITY, "viktor", 1280, 800) as podium:
            for room, name in (("dice/", "dice-room"), ("dice/L-0001/", "dice-lot"), ("staff/", "staff")):
                podium.goto(f"/floor/{FACILITY}/{room}")
                self.take(podium, name)
            podium.goto(f"/floor/{FACILITY}/dice/")
            podium.locator('[data-open="inspect"][data-lot="L-0102"]').click()
            for number in range(3):
                podium.locator("#inspect [name=low_um]").nth(number).fill("19.040")
                podium.locator("#inspect [name=high_um]").nth(number).fill("19.060" if number else "19.200")
            podium.locator("#inspect [data-all-good]").click()
            self.take(podium, "dice-inspection")
        with self.page(FACILITY, "noah", 1280, 800) as office:
            office.goto(f"/floor/{FACILITY}/equipment/")
            self.take(office, "equipment")

    def take_the_office(self) -> None:
        """A submission that the gate refuses, the deadlines, and the guide on a phone."""
        with self.page(FACILITY, "noah", 1280, 800) as office:
            office.goto(f"/office/{FACILITY}/submissions/RS-0003/")
            office.locator('[data-open="draft-next"]').click()
            office.locator("#draft-next [name=why]").fill("Pay more on Total 4")
            office.locator("#draft-next [data-go]").click()
            office.locator("#draft-next").wait_for(state="hidden")
            office.goto(f"/office/{FACILITY}/submissions/RS-0003/")
            office.locator('[data-open="change-draft"]').click()
            row = office.locator("#change-draft .pay-row").filter(
                has=office.get_by_text("Total 4", exact=True)
            )
            row.locator("input[name=odds]").fill("80 to 1")
            office.locator("#change-draft [data-go]").click()
            office.locator("#change-draft").wait_for(state="hidden")
            office.goto(f"/office/{FACILITY}/submissions/RS-0003/")
            self.take(office, "submission")
            office.goto(f"/office/{FACILITY}/deadlines/")
            self.take(office, "deadlines")
        phone = self.browser.new_page(
            viewport={"width": 390, "height": 844}, base_url=self.address, device_scale_factor=2
        )
        phone.goto(f"/guide/{FACILITY}/?lang=es")
        phone.get_by_role("link", name="Sic Bo").first.click()
        self.take(phone, "guide")
        phone.close()

    def take_a_repair(self) -> None:
        """What a failed table asks for."""
        with self.page(f"{FACILITY}/T-04", "rosa", 1280, 800) as tablet:
            self.take(tablet, "ceased")

    def take_a_round(self) -> None:
        with self.page(f"{FACILITY}/T-01", "mei", 1280, 800) as tablet:
            tablet.locator('[data-seat="4"]').click()
            self.take(tablet, "tablet")
            tablet.set_viewport_size({"width": 820, "height": 1180})
            self.take(tablet, "tablet-portrait")
            tablet.set_viewport_size({"width": 1024, "height": 768})
            self.take(tablet, "tablet-1024")
            tablet.set_viewport_size({"width": 1280, "height": 800})
            self.step(tablet, "shaken", "ready")
            for face in DICE:
                tablet.locator(f'#dock-entry [data-face="{face}"]').click(delay=PRESS_TIME)
            self.step(tablet, "lit")
            self.take(tablet, "tablet-lit")
            self.step(tablet, "taken")
            tablet.locator("#next").click(delay=PRESS_TIME)
            tablet.locator("#side-pay :is(.due--paid, .stop--done)").first.wait_for()
            self.take(tablet, "tablet-pay")

    def take_a_high_roll(self) -> None:
        """The seats and the open one, the dice counted in, take and pay, and the extra throw."""
        with self.page(f"{FACILITY}/T-31", "abel", 1280, 800) as tablet:
            tablet.locator('[data-seat="2"]').click()
            self.take(tablet, "high-roll")
            tablet.set_viewport_size({"width": 820, "height": 1180})
            self.take(tablet, "high-roll-portrait")
            tablet.set_viewport_size({"width": 1280, "height": 800})
            self.step(tablet, "unlocked", "locked", "closed", "ready")
            self.count(tablet, FIRST_ROLL[:7])
            self.take(tablet, "high-roll-dice")
            self.count(tablet, FIRST_ROLL[7:])
            self.step(tablet, "called", "lit")
            self.take(tablet, "high-roll-settle")
            self.step(tablet, "loose", "closed", "ready")
            self.count(tablet, EXTRA_THROW)
            self.step(tablet, "lit")
            self.take(tablet, "high-roll-extra")

    def count(self, tablet: Any, dice: list[int]) -> None:
        for face in dice:
            tablet.locator(f'#dock-entry [data-face="{face}"]').click()

    def take_a_football_game(self) -> None:
        """The field while wagers are taken, while a play is settled, and after the touchdown."""
        place = f"{FACILITY}/T-42"
        with (
            self.page(place, "dana", 1280, 800) as tablet,
            self.page(place, "emil", 1280, 800) as left,
            self.page(place, "stan", 1280, 800) as stick,
        ):
            tablet.locator('[data-seat="5"]').click()
            self.take(tablet, "football")
            self.throw(stick, 6, 4, 2)
            tablet.locator("#screen[data-phase=lit]").wait_for()
            self.take(tablet, "football-play")
            tablet.set_viewport_size({"width": 820, "height": 1180})
            self.take(tablet, "football-portrait")
            tablet.set_viewport_size({"width": 1280, "height": 800})
            for dealer in (tablet, left):
                if dealer.locator("#next:not([aria-disabled=true])").count():
                    dealer.locator("#next").click()
                    dealer.locator("html:not([data-busy])").wait_for()
            stick.locator("#screen[data-phase=open]").wait_for()
            self.throw(stick, 3, 3, 2)
            self.throw(stick, 5, 6, 2)
            tablet.locator("#screen[data-phase=lit]").wait_for()
            self.take(tablet, "football-touchdown")

    def throw(self, tablet: Any, *dice: int) -> None:
        """One play: the dice out, called and entered."""
        self.step(tablet, "ready")
        for die, face in enumerate(dice):
            tablet.locator(f'[data-die="{die}"][data-pips="{face}"]').click()
        tablet.locator("#next").click()
        tablet.locator("#entry").wait_for(state="detached")

    def step(self, tablet: Any, *phases: str) -> None:
        for phase in phases:
            tablet.locator("#next").click(delay=PRESS_TIME)
            tablet.locator(f"#screen[data-phase={phase}]").wait_for()


if __name__ == "__main__":
    sys.exit(main())
