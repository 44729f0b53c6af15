"""Take the pictures of docs/ on demo floors of their own: `python -m script.screenshots docs`, `felt`, `pit` …

A set is a floor of script/looks.py and a section of script/pictures.txt, which says who looks at which device, what is
tapped before, and the sizes. `--only NAME…` takes some, `--out FOLDER` writes them elsewhere. Needs `script/setup
--dev`, and Chromium (CHROMIUM_PATH, or on PATH). All are reduced to 256 colors, which halves them.
"""

import argparse
import contextlib
import io
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from script import looks
from script.looks import FACILITY, ROOT

IMAGES = ROOT / "docs" / "img"
LOOKS = IMAGES / "looks"
TABLE = ROOT / "script" / "pictures.txt"
PLACES = {"podium": FACILITY, "wall": f"{FACILITY}/", "none": ""}
PRESS_TIME = 700  # ms: longer than what hold.js asks of a button that is pressed and held
READ_TIME = 1_000  # ms
PAUSE = 400  # ms: what still moves or fades is given a moment
DPI = 96
Size = tuple[int, int]


class PictureSet(NamedTuple):
    """The floor of a set, and where its pictures are. `is_sized`: their files' names have their sizes."""

    floor: type[looks.Floor]
    folder: Path = LOOKS
    is_sized: bool = True


SETS = {
    "docs": PictureSet(looks.DocsFloor, IMAGES, is_sized=False),
    "felt": PictureSet(looks.FeltFloor),
    "desk": PictureSet(looks.DeskFloor),
    "pit": PictureSet(looks.EveningFloor),
    "evening": PictureSet(looks.ManyTables),
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
                target, awaited = words.split(" => ")
                while not page.locator(awaited).first.is_visible():
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
def photographer(make_floor: type[looks.Floor], pictures: Path) -> Iterator[Photographer]:
    """Seed a floor in a temporary folder, play on it, serve it from a thread, and yield a photographer of it."""
    with looks.demo_database(DJANGO_ALLOW_ASYNC_UNSAFE="1", EMBEDDED_TICKER="False"):
        from django.core.management import call_command

        from audit import clock
        from tests.services import chromium, server

        shift = looks.ShiftClock()
        with contextlib.nullcontext() if make_floor.has_evening else clock.override(shift):
            call_command("seed_demo", evening=make_floor.has_evening, verbosity=0)
            floor = make_floor()
            shift.start()
            floor.play()
        pictures.mkdir(parents=True, exist_ok=True)
        with server.serving() as live_server, chromium.running() as browser:
            yield Photographer(browser, live_server.address, pictures, floor)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.screenshots", description=__doc__)
    parser.add_argument("set", nargs="?", choices=SETS, default="docs", help="the pictures to take")
    parser.add_argument("--only", nargs="+", default=(), help="names of pictures, with or without their size")
    parser.add_argument("--out", type=Path, help="the folder of the pictures")
    options = parser.parse_args()
    chosen = SETS[options.set]
    with photographer(chosen.floor, options.out or chosen.folder) as camera:
        camera.only = frozenset(options.only)
        for picture in read_table(options.set, TABLE.read_text("utf-8")):
            camera.show(picture, is_sized=chosen.is_sized)
    return 0


if __name__ == "__main__":
    sys.exit(main())
