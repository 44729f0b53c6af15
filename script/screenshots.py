"""Take the pictures of docs/ on demo floors of their own: `python -m script.screenshots docs`, `felt`, `pit` …

A set is a floor and a section of script/pictures.txt, which says who looks at which device, what is tapped before, and
the sizes. `--only NAME…` takes some, `--out FOLDER` writes them elsewhere, `--drawings FOLDER` copies the drawings
that docs/looks.md names. Needs `script/setup --dev`, and Chromium (CHROMIUM_PATH, or on PATH). All are reduced to 256
colors, which halves them.
"""

import argparse
import contextlib
import datetime as dt
import importlib
import io
import os
import re
import sys
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "img"
LOOKS = IMAGES / "looks"
TABLE = ROOT / "script" / "pictures.txt"
FACILITY = "larkfield"
PLACES = {"podium": FACILITY, "wall": f"{FACILITY}/", "none": ""}
PRESS_TIME = 700  # ms: longer than what hold.js asks of a button that is pressed and held
READ_TIME = 1_000  # ms
PAUSE = 400  # ms: what still moves or fades is given a moment
DPI = 96
Size = tuple[int, int]


class PictureSet(NamedTuple):
    """Where the floor of a set is, and its pictures. `is_sized`: their files' names have their sizes.

    `has_evening`: the demo has its hour of play behind it, at every table.
    """

    module: str
    floor: str
    folder: Path = LOOKS
    is_sized: bool = True
    has_evening: bool = False


SETS = {
    "docs": PictureSet("looks_docs", "DocsFloor", IMAGES, is_sized=False),
    "felt": PictureSet("looks_docs", "FeltFloor"),
    "desk": PictureSet("looks_desk", "DeskFloor"),
    "pit": PictureSet("looks_pit", "EveningFloor", has_evening=True),
    "evening": PictureSet("looks_evening", "ManyTables", has_evening=True),
}


class Picture(NamedTuple):
    """A line of the table. `place`: as the page that enrolls a device has it."""

    name: str
    place: str
    person: str
    sizes: list[Size]
    steps: list[str]


def read_table(section: str, text: str) -> Iterator[Picture]:
    """Read the pictures of a section. Raises ValueError for a line that is none."""
    (rows,) = re.findall(rf"^\[{section}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    for row in filter(None, rows.splitlines()):
        name, device, person, sizes, steps = (part.strip() for part in row.split("|", 4))
        yield Picture(
            name,
            PLACES.get(device, f"{FACILITY}/{device}"),
            person,
            [(int(width), int(height)) for width, height in (size.split("x") for size in sizes.split())],
            [step for step in map(str.strip, steps.split(";")) if step],
        )


# The floor


class ShiftClock:
    """A clock that stands 18 minutes ago; from `start` on it moves four seconds at each reading, until it is now."""

    def __init__(self) -> None:
        self.now = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=18)
        self.step = dt.timedelta(0)

    def start(self) -> None:
        self.step = dt.timedelta(seconds=4)

    def __call__(self) -> dt.datetime:
        self.now = min(self.now + self.step, dt.datetime.now(dt.UTC))
        return self.now


class Floor:
    """The demo floor, on which acts are executed as people execute them. A set plays on it before its pictures."""

    def __init__(self) -> None:
        from audit.devices import enroll

        self.device, _ = enroll("Podium of the pictures", FACILITY, "podium")

    def play(self) -> None:
        raise NotImplementedError

    def person(self, code: str) -> Any:
        from audit.models import Person

        return Person.objects.get(code=code)

    def table(self, code: str) -> Any:
        from tables.models import Table

        return Table.objects.get(facility__code=FACILITY, code=code)

    def who_acts(self, table: Any, name: str) -> Any:
        at_the_stick = table.stickperson if name == "offer_dice" else None
        return at_the_stick or table.floorperson or self.person("ivan")

    def act(self, table: str, name: str, params: dict[str, Any] | None = None, witness: str = "") -> None:
        from tables.demo.seeding import do

        by = self.who_acts(self.table(table), name)
        do(by, self.device, FACILITY, table, name, params or {}, self.person(witness) if witness else None)

    def in_room(self, by: str, act: str, params: dict[str, Any], witness: str = "") -> Any:
        """An act of the facility, at no table."""
        from audit.runner import ActRequest
        from tables.runner import facility

        signed = self.person(witness) if witness else None
        request = (FACILITY, "", act, uuid.uuid4(), 0, params, self.person(by), self.device, signed)
        return facility.execute(ActRequest(*request))

    def step(self, table: str, until: str) -> None:
        """The next acts of a round, as the snapshot names them, until one of this name is next."""
        from tables.screens.snapshot import of_table

        pk = self.table(table).pk
        while (following := of_table(pk)["next"]) is not None and following["act"] != until:
            self.act(table, following["act"], dict(following["params"]))

    def place(self, table: str, *wagers: tuple[Any, ...]) -> None:
        placed = [dict(zip(("seat", "wager", "cents", "play"), wager, strict=False)) for wager in wagers]
        self.act(table, "place_wagers", {"wagers": placed})

    def round(self, table: str, dice: list[int], *wagers: tuple[int, str, int]) -> None:
        self.place(table, *wagers)
        self.end_round(table, dice)

    def end_round(self, table: str, dice: list[int]) -> None:
        self.step(table, "call_dice")
        self.act(table, "call_dice", {"dice": dice})
        self.step(table, "clear_layout")
        self.act(table, "clear_layout")


# Taking pictures


class Photographer:
    """A browser with a page for each device and person, and the folder of the pictures."""

    only: Collection[str] = frozenset()

    def __init__(self, browser: Any, address: str, pictures: Path, floor: Any = None) -> None:
        self.browser, self.address, self.pictures, self.floor = browser, address, pictures, floor
        self.pages: dict[tuple[str, str], Any] = {}

    def open_page(self, place: str, person: str, size: Size) -> Any:
        """A page in a browser of its own. Without a person nobody is signed in, without a place it is no device."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            base_url=self.address,
            has_touch=True,
            timezone_id="America/New_York",
        )
        page = context.new_page()
        if place:
            page.goto("/enrol")
            page.locator(f"button[name=place][value='{place}']").click()
        if person:
            self.sign_in(page, person)
        return page

    def sign_in(self, page: Any, person: str) -> None:
        label = page.locator(f"label.person:has(input[value='{person}'])")
        if not label.is_visible():
            page.locator("input[type=search]").fill(person)
        label.click()
        self.enter_pin(page.locator("#sign-in"), person)
        # Compliance and the office land on their own pages.
        page.locator("live-screen:defined, #page").first.wait_for()
        page.wait_for_load_state("networkidle")

    def enter_pin(self, pad: Any, person: str) -> None:
        from tables.demo.floor import PEOPLE

        for digit in next(row.pin for row in PEOPLE if row.code == person):
            pad.locator(f"[data-digit='{digit}']").click()

    def show(self, picture: Picture, *, is_sized: bool) -> None:
        """Do the steps of a picture, and take it."""
        key = (picture.place, picture.person)
        if key not in self.pages:
            self.pages[key] = self.open_page(*key, picture.sizes[0])
        page = self.pages[key]
        resize(page, picture.sizes[0])
        for step in picture.steps:
            self.do(page, *step.partition(" ")[::2])
        if picture.name:
            self.sizes(page, picture.name, *picture.sizes, is_sized=is_sized)
        resize(page, picture.sizes[0])

    def do(self, page: Any, verb: str, words: str) -> None:
        """Do one step. Raises ValueError for one that is not known."""
        target, text = (part.strip() for part in words.partition(" = ")[::2])
        field = f"dialog[open] [name={target}]" if target.isidentifier() else target
        match verb:
            case "go":  # names in braces are attributes of the floor
                page.goto(words.format(floor=self.floor))
                page.wait_for_load_state("networkidle")
            case "tap":
                page.locator(words).first.click()
            case "hold-if":  # it is there, once every line has been seen
                lines = page.locator(".row, [data-seen]")
                if lines.count():
                    lines.last.scroll_into_view_if_needed()
                page.wait_for_timeout(READ_TIME)
                if page.locator(words).count():
                    page.locator(words).first.click(delay=PRESS_TIME)
                    page.locator("html:not([data-busy])").wait_for(state="attached")
            case "tap-all":  # until there is none any more
                while page.locator(words).count():
                    page.locator(words).first.click()
                    page.wait_for_timeout(1_500)
            case "again":  # a tap right after a change of the screen does not count
                target, wanted = words.split(" => ")
                while not page.locator(wanted).first.is_visible():
                    page.locator(target).first.click()
                    page.wait_for_timeout(500)
            case "hold":
                page.wait_for_timeout(READ_TIME)
                page.locator(words).first.click(delay=PRESS_TIME)
                page.locator("html:not([data-busy])").wait_for(state="attached")
            case (
                "next"
            ):  # the next step, which leads to this phase; too soon after the last one it does not count
                page.wait_for_timeout(READ_TIME)
                page.locator("#next").click(delay=PRESS_TIME)
                page.locator(f"#screen[data-phase={words}]").wait_for()
            case "dice":
                for face in words.split():
                    page.locator(f'#dock-entry [data-face="{face}"]').click()
            case "throw":  # of football: the dice, entered
                for die, face in enumerate(words.split()):
                    page.locator(f'[data-die="{die}"][data-pips="{face}"]').click()
                page.wait_for_timeout(READ_TIME)
                page.locator("#next").click()
                page.locator("#entry").wait_for(state="detached")
            case "fill":  # the fields of this name in the open dialog, or of a selector
                for number, value in enumerate(text.split(", ")):
                    page.locator(field).nth(number).fill(value)
            case "select":
                page.locator(field).select_option(text)
            case "pin":
                self.enter_pin(page.locator(target), text)
            case "key":
                page.keyboard.press(words)
            case "type":
                page.keyboard.type(words)
            case "drag":  # and do not let go
                for number, selector in enumerate(words.split(" => ")):
                    box = page.locator(selector).bounding_box()
                    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
                    if number == 0:
                        page.mouse.down()
            case "drop":
                page.mouse.up()
            case "until" | "gone":
                page.locator(words).first.wait_for(state="visible" if verb == "until" else "hidden")
            case "wait":
                page.wait_for_timeout(int(words))
            case "online" | "offline":
                page.context.set_offline(verb == "offline")
            case "call":  # something that is done beside the screens
                getattr(self.floor, words)()
            case "paper":  # a PDF instead of the page
                self.take_paper(*getattr(self.floor, words)())
            case _:
                raise ValueError(f"{verb} is no step")

    def sizes(self, page: Any, name: str, *sizes: Size, is_sized: bool = True) -> None:
        """A picture for each size; with `is_sized` each file's name has it."""
        for size in sizes:
            sized = f"{name}-{size[0]}x{size[1]}" if is_sized else name
            if not self.only or {name, sized} & set(self.only):
                resize(page, size)
                self.take(page, sized)

    def take(self, page: Any, name: str) -> None:
        page.wait_for_timeout(PAUSE)
        save(page.screenshot(), self.pictures / f"{name}.png")

    def take_paper(self, name: str, content: bytes) -> None:
        """Each page of a PDF, at the size of its drawing."""
        import pypdfium2

        for number, page in enumerate(pypdfium2.PdfDocument(content), start=1):
            picture = io.BytesIO()
            page.render(scale=DPI / 72).to_pil().save(picture, "PNG")
            save(picture.getvalue(), self.pictures / f"{name}{f'-{number}' if number > 1 else ''}.png")


def resize(page: Any, size: Size) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def save(picture: bytes, file: Path) -> None:
    """Write a picture in 256 colors."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").point(lambda value: value & 0xFC | 2)
    reduced = image.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    reduced.save(file, optimize=True)
    print(f"{file.name}  {file.stat().st_size // 1024} kB")


@contextlib.contextmanager
def photographer(
    make_floor: Callable[[], Floor], pictures: Path, *, evening: bool = False
) -> Iterator[Photographer]:
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
        shift = ShiftClock()
        with contextlib.nullcontext() if evening else clock.override(shift):
            call_command("seed_demo", evening=evening, verbosity=0)
            floor = make_floor()
            shift.start()
            floor.play()
        pictures.mkdir(parents=True, exist_ok=True)
        with server.serving() as live_server, chromium.running() as browser:
            yield Photographer(browser, live_server.address, pictures, floor)


def copy_drawings(folder: Path) -> None:
    """The drawings that are beside the pictures of docs/looks.md, in 256 colors."""
    for path in sorted((IMAGES / "drawings").glob("*.png")):
        save((folder / path.name).read_bytes(), path)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.screenshots", description=__doc__)
    parser.add_argument("set", nargs="?", choices=SETS, default="docs", help="the pictures to take")
    parser.add_argument("--only", nargs="+", default=(), help="names of pictures, with or without their size")
    parser.add_argument("--out", type=Path, help="the folder of the pictures")
    parser.add_argument("--drawings", type=Path, help="copy the drawings of this folder instead")
    options = parser.parse_args()
    if options.drawings:
        copy_drawings(options.drawings)
        return 0
    chosen = SETS[options.set]
    floor = getattr(importlib.import_module(f"script.{chosen.module}"), chosen.floor)
    with photographer(floor, options.out or chosen.folder, evening=chosen.has_evening) as camera:
        camera.only = frozenset(options.only)
        for picture in read_table(options.set, TABLE.read_text("utf-8")):
            camera.show(picture, is_sized=chosen.is_sized)
    return 0


if __name__ == "__main__":
    sys.exit(main())
