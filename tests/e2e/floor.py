"""People at their screens: a tablet on which every tap is counted, and the pit's dashboard beside it."""

import contextlib
import re
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self
from weakref import WeakKeyDictionary

import pytest
from django.http import HttpResponse
from playwright.sync_api import Error, Locator, Page, expect

from audit.devices import enroll, set_device_cookie
from audit.models import Device
from audit.one_time import token_hash
from script.tablet import read_state
from tests.services.chromium import HOLD_TIME, READ_TIME, Pages
from tests.services.device_cookie import set_newest_cookie
from tests.tables.cast import PIN, Scene

WITHOUT_A_HEARTBEAT = 4_000  # ms; a heartbeat is due after five seconds
A_DOUBLE_TAP, TO_READ = 0.8, 0.3  # seconds
PRESS_TIME = 2 * HOLD_TIME
AIM_TIME = 200  # ms over an area until a drag counts there
STEPS = ("#next", "#decline")
FORM_KEY = "k" * 32
SHARED_STATIONS = ("podium", "office")  # where a test opens several browsers
A_FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
# The page and its clicks so far: what a tap changes, whatever it hits.
CLICKS = "[performance.timeOrigin, window.clicks]"
BEFORE_A_TAP = f"(button) => [{CLICKS}, button.hasAttribute('data-hold')]"
# Whether it had no effect: it came too soon after a change of the screen, or was a press that a busy browser cut short.
# A button says so.
AFTER_A_TAP = f"""{A_FRAME}.then(() => {{
    const buttons = [...document.querySelectorAll(".too-quick, .hold-short")];
    for (const button of buttons) button.classList.remove("too-quick", "hold-short");
    return {{ clicks: {CLICKS}, hadNoEffect: buttons.length > 0 }};
}})"""
PRESS = """(pad, pin) => { for (const digit of pin) pad.querySelector(`[data-digit="${digit}"]`).click(); }"""
people_tapped: list[str] = []  # whose PIN fingers tapped at the sign-in, in this process: one is enough
# A refused act is an answer of 4xx, and a browser says so on its console.
AN_ANSWER = re.compile(r"Failed to load resource: the server responded with a status of 4(?:09|22|23|01|03)")


own_tokens: WeakKeyDictionary[Page, dict[str, str]] = WeakKeyDictionary()


def become(page: Page, token: str) -> None:
    """This browser is the device with this token, as if it had enrolled.

    Of two browsers with the cookie of one podium, one is a copy. So a second browser is a podium of its own.
    """
    tokens = own_tokens.setdefault(page, {})
    if token not in tokens:
        tokens[token] = _unused(token)
    response = HttpResponse()
    set_newest_cookie(response, tokens[token])
    (cookie,) = response.cookies.values()
    add_cookie(page, cookie.key, cookie.coded_value)


def _unused(token: str) -> str:
    """The token of this device, or of another podium of its place where somebody has signed in at it."""
    device = Device.objects.filter(token_sha256=token_hash(token)).first()
    if device is None or device.station not in SHARED_STATIONS or not device.cookies_made:
        return token
    return enroll(f"{device.name} {Device.objects.count()}", device.facility, device.station, device.place)[1]


def become_of_another_server(page: Page, token: str) -> None:
    """This browser is a device of a server that has a database of its own, where nobody has signed in yet."""
    response = HttpResponse()
    set_device_cookie(response, token, 0)
    (cookie,) = response.cookies.values()
    add_cookie(page, cookie.key, cookie.coded_value)


def add_cookie(page: Page, name: str, value: str) -> None:
    """A cookie for every server of this machine, whatever its port."""
    page.context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"}])


def touch(element: Locator) -> None:
    """One finger, once; it presses and holds a button that asks for it.

    A browser that is busy for half a second takes the touch for a long press, which is no tap: the finger tries again.
    So it does when the screen has just changed under it, after reading it.
    """
    page = element.page
    for _ in range(5):
        try:
            before, is_held = element.evaluate(BEFORE_A_TAP)
        except Error:  # the tap before is just opening another page
            page.wait_for_load_state()
            continue
        if is_held:
            element.click(delay=PRESS_TIME)
        else:
            element.tap()
        # A tap that opens another page has no frame to wait for.
        with contextlib.suppress(Error):
            after = page.evaluate(AFTER_A_TAP)
            if after["hadNoEffect"]:
                page.wait_for_timeout(READ_TIME)
                if not element.is_visible():  # it had one after all: a button of an earlier tap said so
                    return
                continue
            if after["clicks"] != before:
                return
            for _ in range(10):
                page.wait_for_timeout(100)
                if page.evaluate(CLICKS) != before:
                    return
            continue
        return


@contextlib.contextmanager
def slow_readers(page: Page) -> Iterator[None]:
    """No tap within the block comes from somebody who has read what the tap before it changed."""
    page.evaluate("document.documentElement.style.setProperty('--read-time', 60_000)")
    yield
    page.evaluate(f"document.documentElement.style.setProperty('--read-time', {READ_TIME})")
    page.wait_for_timeout(READ_TIME)


def press_pin(pad: Locator, pin: str, *, by_fingers: bool) -> None:
    """Six digits, tapped, or clicked by a script at once."""
    if not by_fingers:
        pad.evaluate(PRESS, pin)
        return
    for digit in pin:
        touch(pad.locator(f'[data-digit="{digit}"]'))


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the page this size, and let it draw itself."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(A_FRAME)


@dataclass
class Screen:
    """One device with its browser. It notes its pages and sockets, and what its console complained about."""

    page: Page
    visited: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    taps: int = 0
    stepped_at: float = 0.0
    has_tapped_pin: bool = False

    def __post_init__(self) -> None:
        self.page.on("framenavigated", lambda frame: self.visited.append(frame.url))
        self.page.on("websocket", lambda socket: self.visited.append(socket.url))
        self.page.on("console", self._listen)

    def reload(self) -> None:
        """Load the page again. It may be leaving for the sign-in by itself at this moment."""
        with contextlib.suppress(Error):
            self.page.reload()
        self.page.wait_for_load_state()

    def _listen(self, message: Any) -> None:
        if message.type == "error" and not AN_ANSWER.match(message.text):
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def enrol(self, token: str) -> None:
        """This browser becomes a device of the casino, through the page of its own."""
        self.page.goto("/")
        self.page.get_by_label("Token", exact=True).fill(token)
        touch(self.page.get_by_role("button", name="Enroll this device"))
        expect(self.page.locator("#sign-in")).to_be_visible()

    def let_in(self, token: str, person: str, path: str = "/") -> None:
        """Enrolled and signed in, on the page with this path."""
        self.get_session(token, person)
        self.page.goto(path)

    def get_session(self, token: str, person: str) -> None:
        """Enrolled and signed in without the pages for it, whose own tests come through them. No page is open yet.

        Several browsers may be the same device here: their cookies are set, and the token is not used up. The form of
        the sign-in is sent without its page, so the cookie of its key is made here too.
        """
        become(self.page, token)
        self.send_sign_in(person)

    def send_sign_in(self, person: str) -> None:
        """The form of the sign-in, without its page."""
        add_cookie(self.page, "csrftoken", FORM_KEY)
        form = {"person": person, "pin": PIN, "csrfmiddlewaretoken": FORM_KEY}
        # The server may just be closing the connection of the request before.
        sent = self.page.request.post("/sign-in", form=form, max_redirects=0, max_retries=2)
        assert sent.status == 302

    def sign_in(self, person: str, pin: str = PIN) -> None:
        """Taps the name and six digits; they send themselves."""
        touch(self.page.locator(f"label.person:has(input[value='{person}'])"))
        press_pin(self.page.locator("#sign-in"), pin, by_fingers=not people_tapped)
        people_tapped.append(person)

    def enter_pin(self, pad: Locator, pin: str = PIN) -> None:
        """Six digits in a dialog. Fingers tap the first PIN at this screen; a script clicks the later ones at once."""
        self.taps += len(pin)
        press_pin(pad, pin, by_fingers=not self.has_tapped_pin)
        self.has_tapped_pin = True

    def is_live(self) -> None:
        """The page's scripts run, and it says LIVE."""
        expect(self.page.locator("live-screen:defined")).to_be_visible()
        self.page.wait_for_load_state()
        expect(self.page.locator("#live")).to_have_text("LIVE")

    def tap(self, target: str | Locator) -> None:
        """One finger, once, and counted. Two taps on the next step are apart, as those of a person who reads it."""
        self.taps += 1
        element = self.page.locator(target) if isinstance(target, str) else target
        is_step = str(element) in map(str, map(self.page.locator, STEPS))
        if is_step:
            # A person taps a step again only when the act before it is confirmed, and after reading it.
            with contextlib.suppress(AssertionError):  # some tests tap while an act is on its way
                expect(self.page.locator("html")).not_to_have_attribute("data-busy", "", timeout=2_000)
            if time.monotonic() - self.stepped_at < A_DOUBLE_TAP:
                self.page.wait_for_timeout(1000 * TO_READ)
        touch(element)
        if is_step:
            self.stepped_at = time.monotonic()

    def tap_each(self, *targets: str | Locator) -> None:
        for target in targets:
            self.tap(target)


class Tablet(Screen):
    """The dealer's console of one table."""

    def begin(self, scene: Scene, person: str = "dealer") -> Self:
        """Enrolled as the tablet of this table, with this person signed in."""
        self.let_in(scene.tokens["tablet"], person)
        self.is_live()
        return self

    def arrive(self, person: str) -> None:
        self.sign_in(person)
        self.is_live()

    def is_live(self) -> None:
        """The console hears taps too: its game's own script comes after the page."""
        super().is_live()
        expect(self.page.locator("html")).to_have_attribute("data-ready", "")

    def posts_acts(self) -> None:
        """This page sends every act by POST from now on, so that a test can hold or lose a request."""
        self.page.evaluate("void (document.querySelector('live-screen').sendAct = () => null)")

    @property
    def next(self) -> Locator:
        return self.page.locator("#next")

    def area(self, wager: str) -> Locator:
        return self.page.locator(f'[data-wager="{wager}"]')

    def seat(self, number: int) -> Locator:
        return self.page.locator(f'[data-seat="{number}"]')

    def chip(self, cents: int) -> Locator:
        return self.page.locator(f'[data-chip="{cents}"]')

    def place(self, *wagers: tuple[int, str, int]) -> None:
        """Wagers as (seat, code, chip), one tap for each after the choice of seat and chip."""
        for seat, wager, cents in wagers:
            self.choose(self.seat(seat))
            self.choose(self.chip(cents))
            self.tap(self.area(wager))
        self.is_taken()

    def choose(self, button: Locator) -> None:
        """Tap a seat or a chip until it is chosen: a state that arrives under the finger redraws it."""
        for _ in range(3):
            if button.get_attribute("aria-pressed") == "true":
                return
            self.tap(button)
        expect(button).to_have_attribute("aria-pressed", "true")

    def clear_seat(self) -> None:
        """Take off all wagers of the chosen seat, from the list of other acts."""
        self.tap("[data-open=more]")
        self.tap("#more [data-do=clear-seat]")

    def tap_at_once(self, *targets: str) -> None:
        """Fingers that are quicker than this machine may be: a script clicks these, one right after the other."""
        self.taps += len(targets)
        self.page.evaluate(
            "(targets) => targets.forEach((target) => document.querySelector(target).click())", targets
        )

    def hold(self, area: Locator) -> None:
        """One finger that stays on an area until it opens."""
        self.taps += 1
        area.hover()
        self.page.mouse.down()
        expect(self.page.locator("#area-panel")).to_be_visible()
        self.page.mouse.up()

    def drag(self, button: Locator, wager: str) -> None:
        """One finger that takes a seat or a chip to an area. Where none is marked it gives up, and begins again."""
        self.taps += 1
        area = self.area(wager)
        for milliseconds in (3_000, None):
            button.hover()
            self.page.mouse.down()
            area.hover()
            try:
                expect(area).to_have_class(re.compile("area--target"), timeout=milliseconds)
                break
            except AssertionError:
                if milliseconds is None:
                    raise
                self.page.keyboard.press("Escape")
                self.page.mouse.up()
        self.page.wait_for_timeout(AIM_TIME)
        self.page.mouse.up()

    def is_taken(self) -> None:
        """Nothing of what was tapped is still on its way, both in one look: between two, an act may follow another."""
        expect(self.page.locator("html:not([data-busy]):not(:has(.seat-mark--sending))")).to_have_count(1)

    def says(self, label: str) -> None:
        expect(self.next.locator(".next-l")).to_have_text(label)

    def step(self, label: str) -> None:
        """The one next step, which must be this one."""
        self.says(label)
        self.tap(self.next)

    def pay_all(self) -> None:
        """Every line that is still to be paid, at once, after it was on screen; a single line by the next step."""
        expect(self.next.locator(".next-l")).to_contain_text("Paid seat")
        everything = self.page.locator("#all")
        if not everything.count():
            return self.tap(self.next)
        expect(everything).to_have_attribute("aria-disabled", "false")
        return self.tap(everything)

    def enter(self, *dice: int) -> None:
        for face in dice:
            self.tap(f'#dock-entry [data-face="{face}"]')

    def call(self, *dice: int) -> None:
        """Three faces, and the confirmation."""
        self.enter(*dice)
        expect(self.next).to_have_attribute("aria-disabled", "false")
        self.tap(self.next)
        expect(self.page.locator("#dock-dice")).to_be_visible()

    def call_held(self, *dice: int) -> None:
        """The faces, of which the last is held until the dice are called."""
        *first, last = dice
        self.enter(*first)
        self.taps += 1
        self.page.locator(f'#dock-entry [data-face="{last}"]').click(delay=PRESS_TIME)
        expect(self.page.locator("#dock-dice")).to_be_visible()

    def is_in(self, phase: str) -> None:
        expect(self.page.locator("#screen")).to_have_attribute("data-phase", phase)

    def lit(self) -> set[str]:
        """The areas that are lit, which must be the areas that say so in a word."""
        by_mark = self.codes("[data-wager][data-lit]")
        by_word = self.codes("[data-wager]:has(.wins:text-is('WINS'))")
        assert by_mark == by_word
        return by_mark

    def codes(self, areas: str) -> set[str]:
        return set(self.page.locator(areas).evaluate_all("found => found.map((area) => area.dataset.wager)"))

    def lying(self) -> dict[tuple[int, str], int]:
        """What the screen believes to lie there, from the state that it was drawn from."""
        return {(w["seat"], w["wager"]): w["cents"] for w in self.state()["round"]["wagers"]}

    def state(self) -> dict[str, Any]:
        return read_state(self.page.locator("#state").text_content() or "")

    def other(self, act: str) -> None:
        """One of the other acts, from the list of those that are legal now."""
        self.tap("[data-open=more]")
        expect(self.page.locator("#more")).to_be_visible()
        self.tap(f'#more [data-ask="{act}"]')
        expect(self.page.locator("#ask")).to_be_visible()

    def sign(self, person: str, pin: str = PIN) -> None:
        """A witness's own six digits in the dialog that asks: the sixth sends the act."""
        self.page.locator("#ask [name=person]").select_option(person)
        self.enter_pin(self.page.locator("#ask .ask-pin"), pin)

    def go(self) -> None:
        """The button of the dialog: a tap, or a finger that stays where the dialog asks for that."""
        button = self.page.locator("#ask [data-go]")
        is_held = button.get_attribute("data-hold") is not None
        self.tap(button)
        if is_held:
            expect(self.page.locator("#ask")).to_be_hidden()

    def replace_dice(self, *faces: int) -> None:
        """In the dialog of a correction: each die in turn, and what it shows."""
        for die, face in enumerate(faces):
            self.tap_each(f'#ask [data-ask-die="{die}"]', f'#ask [data-ask-face="{face}"]')

    def report_failure(self, what: str, *dice: int) -> None:
        """In the dialog of the failed device: what failed, and the dice if they were seen."""
        self.other("report_device_failure")
        self.tap(f'#ask [data-value="{what}"]')
        self.tap(f'#ask [data-value="{"seen" if dice else "unseen"}"]')
        for face in dice:
            self.tap(f'#ask [data-ask-face="{face}"]')

    def inspect(self, *dice: int, signs: str | None = None) -> None:
        """Whatever the list asks, in its order, confirmed one by one; then the floor signs, with a PIN if it is not
        signed in here.
        """
        if dice:
            self.light(*dice)
            self.tap_all("#inspect [data-combo]")
        self.tap_all("#inspect [data-toss]")
        self.tap_all("#inspect [data-line]")
        for end, camera in enumerate(self.page.locator("#inspect [data-camera]").all()):
            camera.fill(f"C-1{end}")
        self.tap_all("#inspect [data-camera-seen]")
        self.step("Inspected")
        if signs:
            self.sign(signs)

    def light(self, *dice: int) -> None:
        """Three values entered; the layout shows what they light."""
        for face in dice:
            self.tap(f'[data-inspect-face="{face}"]')
        expect(self.page.locator("#inspect [data-combo]").first).to_be_visible()

    def tap_all(self, targets: str) -> None:
        """Every element of a kind, once."""
        found = self.page.locator(targets)
        for number in range(found.count()):
            self.tap(found.nth(number))

    def open_table(self, *, signs: str | None = None) -> None:
        """The step after the inspection; a lapsed edition is acknowledged."""
        self.step("Open the table")
        lapsed = self.page.locator("#ask [name=lapsed]")
        if lapsed.count():
            lapsed.check()
        if signs:
            self.sign(signs)
        elif lapsed.count():
            self.tap("#ask [data-go]")
        expect(self.page.locator("#screen")).to_have_attribute("data-mode", "betting")

    def refused(self) -> Locator:
        return self.page.locator("#refusal")


class Dashboard(Screen):
    """The pit's dashboard on a podium."""

    def begin(self, scene: Scene, person: str = "pit-manager") -> "Dashboard":
        self.let_in(scene.tokens["podium"], person)
        return self.watch()

    def watch(self) -> "Dashboard":
        """It is live; from here on a reload would be noticed."""
        self.is_live()
        expect(self.page.locator(".tile").first).to_be_visible()
        self.page.evaluate("window.loadedOnce = true")
        return self

    def tile(self, code: str = "T-01") -> Locator:
        return self.page.locator(f"#tile-{code}")

    def shows(self, phase: str | None = None, *, version: int | None = None, **texts: str) -> None:
        """Pushed: the phase, the version, and the text of parts of the tile by their class."""
        tile = self.tile()
        if version is not None:
            expect(tile).to_have_attribute("data-version", str(version), timeout=WITHOUT_A_HEARTBEAT)
        if phase is not None:
            # the words of the state, and the time in it
            words = re.compile(rf"^\s*{re.escape(phase)}(\s+\d.*)?\s*$")
            expect(tile.locator(".phase")).to_have_text(words, timeout=WITHOUT_A_HEARTBEAT)
        for part, text in texts.items():
            expect(tile.locator(f".{part}")).to_contain_text(text, timeout=WITHOUT_A_HEARTBEAT)

    def was_never_loaded_again(self) -> None:
        assert self.page.evaluate("window.loadedOnce") is True


def lying(scene: Scene) -> dict[tuple[int, str], int]:
    """What lies on the layout by the database, in cents by seat and wager."""
    found = scene.round
    return {(wager.seat, wager.code): wager.cents for wager in found.wagers.all()} if found else {}


def again(*values: str) -> Any:
    """A case that repeats a story in another edition or state: script/test --all runs it."""
    return pytest.param(*values, marks=pytest.mark.repeated)


def tablet(
    new_page: Pages, scene: Scene, person: str = "dealer", size: tuple[int, int] = (1280, 800)
) -> Tablet:
    return Tablet(new_page(*size)).begin(scene, person)


def dashboard(new_page: Pages, scene: Scene, person: str = "pit-manager") -> Dashboard:
    return Dashboard(new_page(1440, 900)).begin(scene, person)


def all_on(host: str, screens: Iterable[Screen]) -> list[str]:
    """The pages and sockets on any other host than this. What a page asks others for is an error of its own."""
    own = re.compile(rf"(?:http|ws)://{re.escape(host)}/|data:|blob:|about:blank")
    return [url for screen in screens for url in screen.visited if not own.match(url)]


def letter() -> dict:
    """A letter of its own: one file says one decision."""
    words = f"Letter {uuid.uuid4()}: the body has decided as it was filed."
    return {"name": "letter.txt", "mimeType": "text/plain", "buffer": words.encode()}
