"""The first day of docs/first-day.md as people walk it: the commands of the document, and everything else in Chromium.

From an empty database to the first settled round, on whatever installation runs: processes of a test, or containers.
"""

import base64
import datetime as dt
import os
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page, expect

from audit import factors
from script import screenshots
from tests.e2e.floor import Tablet, letter
from tests.e2e.test_rooms import Office, measure
from tests.services.chromium import Pages
from tests.services.installation import ROOT
from tests.services.sign_ins import WORDS
from tests.tables.cast import PIN

FACILITY = "boardwalk"
DAY = dt.timedelta(days=1)


class Server:
    """An installation on an empty database. `build` is the version of its software."""

    build: str

    def __init__(self) -> None:
        self.commands = commands()

    def type(self, words: list[str], typed: str = "") -> str:
        """Type a command at the server, and answer its questions with `typed`. Returns what it prints."""
        raise NotImplementedError

    def next(self, name: str) -> str:
        """Run the next command of the document, which must be this one. PINs come from lines instead of a terminal."""
        words = next(self.commands)
        assert words[0] == name
        asks = {
            "create_facility": "--pins-from-stdin",
            "add_person": "--pin-from-stdin",
            "enrol_device": "--pin-from-stdin",
        }.get(name)
        return self.type([*words, asks] if asks else words, f"{PIN}\n{PIN}\n{PIN}\n")


def commands() -> Iterator[list[str]]:
    """The commands of the document in their order, as words after `manage.py`."""
    text = (ROOT / "docs" / "first-day.md").read_text()
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("manage "):
                yield shlex.split(line)[1:]


def picture(page: Page, name: str) -> None:
    """Take a picture of the document, where PITSIDE_PICTURES names its folder."""
    folder = os.environ.get("PITSIDE_PICTURES")
    if folder:
        screenshots.Photographer(page.context.browser, "", Path(folder)).take(page, name)


class Podium(Office):
    """A podium at which people sign in with a password and an app, or with a PIN."""

    def tap(self, target: str | Locator) -> None:
        """One tap on something that is on the page; a step that is missing there fails at once."""
        expect(self.page.locator(target) if isinstance(target, str) else target).to_be_visible()
        super().tap(target)

    def set_up_sign_in(self, person: str, one_time: str) -> None:
        """The first sign-in: choose a password, and register an app by the secret that the page shows."""
        page = self.page
        self.tap(page.locator(f"label.person:has(input[value='{person}'])"))
        page.get_by_label("Password").fill(one_time)
        self.tap(page.get_by_role("button", name="Continue"))
        page.get_by_label("New password").fill(WORDS)
        page.get_by_label("Repeat it").fill(WORDS)
        page.get_by_label("What you call it").fill("My phone")
        secret = base64.b32decode(page.locator("code.secret").inner_text().replace(" ", ""))
        page.get_by_role("textbox", name="Code").fill(
            factors.code_of_step(secret, int(time.time()) // factors.STEP_SECONDS)
        )
        self.tap(page.get_by_role("button", name="Register the app"))
        self.is_signed_in()

    def is_signed_in(self) -> None:
        expect(self.page.locator(".bar .me")).to_be_visible()

    def sign_off(self) -> None:
        self.tap(self.page.get_by_role("button", name="Sign off"))
        expect(self.page.locator("#sign-in")).to_be_visible()

    def follow(self, *names: str) -> None:
        """Tap links by their names, from page to page."""
        for name in names:
            self.tap(self.page.get_by_role("link", name=re.compile(f"^{name}")).first)
            self.page.wait_for_load_state()

    def step(self, title: str, *lacks: str) -> None:
        """Open a step of Setup, which lacks this."""
        self.follow("Setup")
        self.tap(self.page.locator(".path a", has_text=title))
        expect(self.page.locator("#here-h")).to_contain_text(title)
        expect(self.page.locator(".need .short th")).to_have_text(list(lacks))

    def fill_in(self, dialog: str, **fields: str) -> Locator:
        """Open a dialog, and fill in its fields."""
        box = self.slip(dialog)
        for field, text in fields.items():
            box.locator(f"[name={field}]").fill(text)
        return box

    def put_on_duty(self, name: str, place: str, signer: str = "") -> None:
        self.tap(self.page.locator(".member", has_text=name).locator('[data-open="assign"]'))
        box = self.page.locator("#assign")
        self.tap(box.locator(".pick", has_text=place))
        if signer:
            box.locator("[data-witness]").select_option(signer)
            self.sign(box)
        self.go(box)

    def record_decision(self, dialog: str, reference: str) -> None:
        box = self.fill_in(dialog, reference=reference)
        self.tap(box.locator(".pick", has_text="Approved"))
        box.locator("input[type=file]").set_input_files([letter()])
        expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")
        self.go(box)

    def record_approval(self, opener: str, reference: str, **fields: str) -> None:
        """The approval of a shaker or of a table's equipment, with everything that it asks to be seen."""
        self.tap(self.page.locator(opener))
        box = self.page.locator("#approve")
        for name, text in {"reference": reference, "approved_on": "2026-01-12", **fields}.items():
            box.locator(f"[name={name}]").fill(text)
        for line in box.locator("[name=lines]").all():
            line.check()
        if box.locator("[name=prints]").first.is_visible():
            box.locator("[name=prints][value=odds]").check()
        box.locator("input[type=file]").set_input_files([letter()])
        expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")
        self.go(box)

    def approve(self, count: int, pictured: str = "") -> None:
        """Approve everything that waits for a second person."""
        self.follow("Rules")
        for left in range(count, 0, -1):
            self.follow("Approvals")
            reviews = self.page.get_by_role("link", name=re.compile("Review CH-"))
            expect(reviews).to_have_count(left)
            self.tap(reviews.first)
            expect(self.page.locator("h1")).to_have_text(re.compile("CH-"))
            if pictured:
                picture(self.page, pictured)
            self.go(self.slip("approve"))

    def make_secret(self, person: str, slip: str) -> str:
        """Make the one-time PIN or password of a person whom one approved, and read it on the page People."""
        self.page.goto(
            f"{self.page.url.partition('/floor/')[0].partition('/office/')[0]}/floor/{FACILITY}/people/?person={person}"
        )
        self.go(self.slip(slip))
        heading = "password" if slip == "make-password" else "pin"
        return self.page.locator(f".given-pin[aria-labelledby='{heading}-{person}'] code").inner_text()


class People(NamedTuple):
    """Where people are when the first round is over."""

    office: Podium  # Noah's, who prepares
    compliance: Podium  # Carla's, who approves
    podium: Podium  # Viktor's, on the floor
    tablet: Tablet  # Mei's


def deal_the_first_round(server: Server, pages: Pages) -> People:
    """Walk the whole document."""
    token = server.next("create_facility")
    passwords = [server.next("give_password") for _ in range(2)]
    office, compliance, podium = (Podium(pages()) for _ in range(3))
    page = office.page
    office.enrol(token)
    office.set_up_sign_in("teo", passwords[0])
    page.wait_for_url(f"**/floor/{FACILITY}/setup/")
    picture(page, "first-day")
    compliance.enrol(server.next("enrol_device"))
    compliance.set_up_sign_in("carla", passwords[1])

    # 2. and 3. A pit and people
    office.step("Pits and tables", "Pit", "Table")
    office.go(office.fill_in("add-pit", name="Pit 1", pit="p1"))
    office.follow("Setup", "People")
    box = office.fill_in(
        "add-person", name="Mei Tran", person="mei", badge="1184", licence_ends_on="2038-11-30"
    )
    box.locator("[name=role]").select_option("dealer")
    office.go(box)
    compliance.approve(1)
    for _ in range(4):
        server.next("add_person")
    office.follow("Staff", "Everybody")
    for name in ("Viktor Lind", "Noah Berg", "Rita Ibarra"):
        office.put_on_duty(name, "The whole facility", signer="carla")
    office.follow("Sign-ins")
    office.tap(page.get_by_role("button", name="New password for Noah Berg"))
    box = page.locator("#forgotten-password")
    box.locator("[name=why]").fill("First password")
    office.go(box)
    compliance.approve(1)
    password_of_noah = compliance.make_secret("noah", "make-password")
    podium.enrol(server.next("enrol_device"))
    podium.sign_in("viktor")
    podium.is_signed_in()
    podium.follow("Staff", "Everybody")
    for name in ("Kate Boyd", "Mei Tran"):
        podium.put_on_duty(name, "Pit 1")
    pin_of_mei = compliance.make_secret("mei", "make-pin")
    podium.tap(podium.page.locator(".member", has_text="Mei Tran").locator('[data-open="train"]'))
    box = podium.page.locator("#train")
    podium.tap(box.locator(".pick", has_text="Sic Bo"))
    box.locator("[name=reference]").fill("TR-1")
    podium.go(box)
    office.step("People")

    # 4. and 5. The first submission, the guide and a table: Noah prepares, Carla approves
    office.sign_off()
    office.set_up_sign_in("noah", password_of_noah)
    office.follow("Rules", "Submissions")
    box = office.fill_in("draft-submission", why="The first table")
    office.tap(box.locator(".pick", has_text="Chapter 625a, Paytable A"))
    office.go(box)
    office.follow("Open RS-0001")
    office.go(office.slip("file-submission"))
    office.record_decision("record-decision", "BGO-0001")
    compliance.approve(1, "first-day-approval")
    office.follow("Guide")
    for name in ("generate", "file-sample"):
        office.go(office.slip(name))
    office.record_decision("decide-guide", "BGO-0002")
    office.step("Pits and tables", "Table")
    office.go(office.fill_in("add-table", table="T-01", min_cents="10", max_cents="1,000"))
    expect(page.locator(".pit-tables")).to_contain_text("T-01")

    # 6. and 7. Tablet, equipment and dice
    office.follow("Equipment")
    office.go(office.fill_in("register", shaker="S-01"))
    office.record_approval('[data-open="approve"][data-shaker="S-01"]', "BGO-0003")
    compliance.approve(2)
    tablet = Tablet(pages())
    tablet.enrol(server.next("enrol_device"))
    tablet.sign_in("mei", pin_of_mei)
    for field in ("New PIN", "Repeat it"):
        tablet.page.get_by_role("textbox", name=field, exact=True).fill("314159")
    tablet.tap(tablet.page.get_by_role("button", name="Save it and sign in"))
    tablet.is_live()
    tablet.tap(tablet.next)
    tablet.tap('#ask [data-fill="shaker"][data-value="S-01"]')
    tablet.sign("kate")
    tablet.says("Put dice in")
    office.follow("Rules", "Guide")
    office.go(office.slip("publish"))
    office.follow("Equipment")
    for number, subject in enumerate(("layout", "device", "boxes"), start=1):
        version = {"versions": server.build} if subject == "device" else {}
        opener = f'.thing [data-open="approve"][data-subject="{subject}"]'
        office.record_approval(opener, f"AP-{number}", **version)
    compliance.approve(3)
    podium.follow("Dice", "Counts and instruments")
    today = dt.datetime.now(dt.UTC).date()
    valid = {"calibrated_on": f"{today - 30 * DAY}", "ends_on": f"{today + 300 * DAY}"}
    for code, kind in (("M-7", "Micrometer"), ("C-2", "caliper"), ("Q-1", "square")):
        box = podium.fill_in("register-instrument", instrument=code, **valid)
        podium.tap(box.locator(".pick", has_text=kind))
        podium.go(box)
    podium.follow("Dice")
    box = podium.slip("receive")
    box.locator("[name=from]").fill("The maker")
    podium.tap(box.locator("[data-kind]").first)
    podium.tap(box.locator("[data-add-lots]"))
    box.locator("[name=seal_intact]").check()
    podium.sign(box)
    podium.go(box)
    box = podium.slip("inspect")
    measure(box, *[("19.04", "19.06")] * 3)
    podium.tap(box.locator("[data-all-good]"))
    podium.sign(box)
    podium.go(box)
    box = podium.slip("issue")
    podium.tap(box.locator(".pick", has_text="T-01"))
    podium.sign(box)
    podium.go(box)
    tablet.tap(tablet.next)
    tablet.tap('#ask [data-fill="lot"]')
    tablet.page.locator("#ask [name=seal]").fill("SL-1")
    tablet.sign("kate")
    office.step("First opening", "Table opened")
    picture(page, "first-day-opening")

    # 8. The first opening, and the first round
    tablet.inspect(1, 2, 5, signs="kate")
    tablet.open_table(signs="kate")
    office.step("First opening")
    expect(page.locator(".lacking")).to_contain_text("Missing before the first opening: 0")
    tablet.place((1, "big", 2_500))
    for label in ("Shaken", "No more bets"):
        tablet.step(label)
    tablet.call(2, 5, 6)
    tablet.pay_all()
    tablet.step("Layout cleared")
    tablet.is_in("open")
    assert next(server.commands, None) is None
    return People(office, compliance, podium, tablet)
