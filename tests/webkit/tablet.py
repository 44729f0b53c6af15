"""A device whose browser is WebKit: the tablet's console and the pit's dashboard, as the tests touch and read them."""

import json
import time
from collections.abc import Callable
from typing import Any

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver import ActionChains, WebKitGTK
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.tables.cast import PIN

SECONDS = 20
A_PRESS = 0.8  # seconds: the step that closes corrections is held
A_DOUBLE_TAP = 1.2  # second: a person reads the next step before the next tap
# A state that arrives under the finger draws an element again, or still covers it.
PASSING = (
    StaleElementReferenceException,
    NoSuchElementException,
    ElementClickInterceptedException,
    ElementNotInteractableException,
)
COUNT_ERRORS = """
    if (!window.errorsSeen) {
        window.errorsSeen = [];
        addEventListener('error', (event) => errorsSeen.push(String(event.message)));
        addEventListener('unhandledrejection', (event) => errorsSeen.push(String(event.reason)));
        document.addEventListener('securitypolicyviolation', (event) => errorsSeen.push(event.violatedDirective));
    }
    return errorsSeen;
"""


class WebKitScreen:
    """One device. Every wait ends after twenty seconds, with the name of what did not come."""

    def __init__(self, driver: WebKitGTK, url: str, width: int, height: int) -> None:
        self.driver, self.url, self.stepped_at = driver, url, 0.0
        driver.set_window_size(width, height)
        driver.get(f"{url}/")
        # The window's bar is not part of the page.
        bar = height - driver.execute_script("return innerHeight")
        driver.set_window_size(width, height + bar)

    def until(self, condition: Callable[[], Any], what_for: str) -> Any:
        wait = WebDriverWait(self.driver, SECONDS, poll_frequency=0.1, ignored_exceptions=PASSING)
        return wait.until(lambda _: condition(), f"{what_for}, but: {self.text('body')[:600]}")

    def touch(self, selector: str) -> None:
        def click() -> bool:
            element = self.driver.find_element(By.CSS_SELECTOR, selector)
            if element.get_attribute("data-hold") is None:
                element.click()
            else:
                ActionChains(self.driver).click_and_hold(element).pause(A_PRESS).release().perform()
            return True

        self.until(click, f"{selector} could be touched")

    def text(self, selector: str) -> str:
        elements = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return elements[0].text if elements else ""

    def attribute(self, selector: str, name: str) -> str | None:
        elements = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return elements[0].get_attribute(name) if elements else None

    def says(self, selector: str, text: str) -> None:
        self.until(lambda: text in self.text(selector), f"{selector} says {text!r}")

    def errors(self) -> list[str]:
        """Errors of the page's scripts and refusals of its policy, since this was first asked."""
        errors: list[str] = self.driver.execute_script(COUNT_ERRORS)
        return errors

    def enroll(self, token: str) -> None:
        """This browser becomes a device of the casino, through the page of its own."""
        self.driver.get(f"{self.url}/")
        self.driver.find_element(By.NAME, "token").send_keys(token)
        self.touch("form:has([name=token]) button")
        self.until(lambda: self.text("#sign-in"), "the page of the sign-in came")

    def sign_in(self, person: str) -> None:
        self.touch(f"label.person:has(input[value='{person}'])")
        for digit in PIN:
            self.touch(f"#sign-in [data-digit='{digit}']")
        self.is_live()
        self.errors()

    def is_live(self) -> None:
        self.until(lambda: self.text("#live") == "LIVE", "the screen is live")

    def is_ready(self) -> None:
        """The console's own scripts hear taps."""
        self.until(lambda: self.attribute("html", "data-ready") is not None, "the console is ready")

    def place(self, *wagers: tuple[int, str, int]) -> None:
        """Wagers as (seat, code, chip)."""
        for seat, code, cents in wagers:
            self.choose(f'[data-seat="{seat}"]')
            self.choose(f'[data-chip="{cents}"]')
            self.touch(f'[data-wager="{code}"]')
        self.until(lambda: self.attribute("html", "data-busy") is None, "the wagers were taken")
        self.until(lambda: len(self.wagers()) == len(wagers), f"{len(wagers)} wagers lie there")

    def choose(self, selector: str) -> None:
        self.touch(selector)
        self.until(lambda: self.attribute(selector, "aria-pressed") == "true", f"{selector} is chosen")

    def step(self, phase: str) -> None:
        """The one next step, and the phase that it leads to."""
        self.read_step()
        self.until(lambda: self.attribute("#next", "aria-disabled") != "true", "the next step is possible")
        self.touch("#next")
        self.is_in(phase)
        self.stepped_at = time.monotonic()

    def read_step(self) -> None:
        """A tap that comes within a second of the step before does nothing."""
        time.sleep(max(0, self.stepped_at + A_DOUBLE_TAP - time.monotonic()))

    def pay(self) -> None:
        """Each payment of the list, to the last."""
        while self.attribute("#screen", "data-phase") == "taken":
            before = self.text("#next")
            time.sleep(A_DOUBLE_TAP)
            self.touch("#next")
            self.until(lambda before=before: self.text("#next") != before, "the payment was taken")
        self.stepped_at = time.monotonic()
        self.is_in("paid")

    def is_in(self, phase: str) -> None:
        self.until(lambda: self.attribute("#screen", "data-phase") == phase, f"the round is {phase}")

    def call(self, *dice: int) -> None:
        for face in dice:
            self.touch(f'#dock-entry [data-face="{face}"]')

    def wagers(self) -> dict[tuple[int, str], int]:
        """What the screen believes to lie there: cents by seat and wager."""
        state = self.driver.execute_script("return document.getElementById('state').textContent")
        return {(w["seat"], w["wager"]): w["cents"] for w in json.loads(state)["round"]["wagers"]}

    def lit(self) -> set[str]:
        return {
            area.get_attribute("data-wager") or ""
            for area in self.driver.find_elements(By.CSS_SELECTOR, "[data-wager][data-lit]")
        }

    def overflows(self) -> bool:
        """The page scrolls sideways."""
        overflow: bool = self.driver.execute_script(
            "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )
        return overflow
