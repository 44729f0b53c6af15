"""A screen that heard of every act by its socket shows, node by node, what its page shows when it is loaded now."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page, expect

from audit.devices import enroll
from tests.e2e.floor import Dashboard, Screen, Tablet, become

pytestmark = pytest.mark.browser

WAGERS = ((1, "small", 2_500), (2, "big", 10_000), (3, "total:12", 500), (3, "two-of-a-kind:5", 2_500))
# Every node that a person or a screen reader may meet, a line each, after the nearest id. Left out are the texts of
# clocks, the moment of the rendering, closed dialogs (filled when they open), what belongs to this device alone
# (`data-local`, Undo, which lines it has shown), and the last message to screen readers.
LINES = """() => {
    const LEFT_OUT = ["script:not(#state)", "style", "link", "dialog:not([open])", "#area-panel[hidden]", "#hold-say",
        "input[name=csrfmiddlewaretoken]"].join();
    const CLOCKS = "[data-expires], [data-elapsed], [data-now], [data-today], [data-clock-warning]";
    const MOMENTS = ["data-as-of", "nonce"];
    const lines = [];
    const attributesOf = (element) => [...element.attributes]
        .filter(({ name }) => !MOMENTS.includes(name))
        .filter(({ name }) => !(element.matches("[data-rest-until]") && ["width", "stroke-dasharray"].includes(name)))
        .filter(({ name }) => !(element.matches("[data-do=undo]") && name === "disabled"))
        .filter(({ name }) => !(element.matches("[data-all]") && ["aria-disabled", "class"].includes(name)))
        .map(({ name, value }) => [name, name === "class" ? value.split(/\\s+/).sort().join(" ").trim() : value])
        .filter(([name, value]) => name !== "class" || value)
        .map(([name, value]) => `${name}="${value}"`).sort().join(" ");
    const visit = (node, place) => {
        if (node.nodeType === Node.TEXT_NODE) {
            const text = node.textContent.replace(/\\s+/g, " ").trim();
            if (text) lines.push(`${place} ${text.replace(/"as_of":"[^"]*"/, "")}`);
        }
        if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return;
        const here = node.id ? `#${node.id}` : `${place.split(" ")[0]} ${node.tagName.toLowerCase()}`;
        lines.push(`${here} <${node.tagName.toLowerCase()} ${attributesOf(node)}>`);
        if (node.matches(`${CLOCKS}, [data-local], [data-all-say]`)) return;
        for (const child of (node.content ?? node).childNodes) visit(child, here);
    };
    visit(document.body, "body");
    return lines;
}"""
IS_READY = "html[data-live=live]:not([data-busy]):not(:has(body.console):not([data-ready]))"


@pytest.fixture
def screens(scene, new_page) -> dict[str, Page]:
    """Every kind of screen of the table, open all the time."""
    table = Screen(new_page(1440, 900))
    table.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    wall = new_page(1920, 1080)
    become(wall, enroll("Wall", "larkfield", "wall")[1])
    wall.goto("/floor/larkfield/wall")
    return {
        "tablet": Tablet(new_page()).begin(scene).page,
        "floor": Dashboard(new_page(1440, 900)).begin(scene).page,
        "table": table.page,
        "wall": wall,
    }


def loaded_now(page: Page, server: str) -> Page:
    """The page as this server loads it, with what the tablet stores for it, such as the chosen seat."""
    stored = page.evaluate("() => [{...sessionStorage}, {...localStorage}]")
    loaded = page.context.new_page()
    loaded.goto(urljoin(server, "/healthz"))
    loaded.evaluate(
        "([session, local]) => { Object.assign(sessionStorage, session); Object.assign(localStorage, local); }",
        stored,
    )
    loaded.goto(urljoin(server, urlsplit(page.url).path))
    return loaded


def differences(
    screens: Mapping[str, Page], version: int, servers: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The lines of each screen (-) and of its page as it is loaded now (+) that differ.

    `servers`: which server loads the page now, by the screen's name; without it, the screen's own.
    """
    twins = {name: loaded_now(page, servers.get(name, page.url)) for name, page in screens.items()}
    found = []
    for name, page in screens.items():
        for shown in (page, twins[name]):
            expect(shown.locator(IS_READY)).to_have_count(1)
            expect(shown.locator(f'[data-table="T-01"][data-version="{version}"]').first).to_be_attached()
        lines = [page.evaluate(LINES), twins[name].evaluate(LINES)]
        for _ in range(20):  # sums are painted, and marks of taps fade
            if lines[0] == lines[1]:
                break
            page.wait_for_timeout(100)
            lines = [page.evaluate(LINES), twins[name].evaluate(LINES)]
        changed = difflib.unified_diff(*lines, n=0, lineterm="")
        found += [f"{name}: {line}" for line in changed if line[:3] not in ("---", "+++", "@@ ")]
        twins[name].close()
    return found


def test_after_each_phase_of_a_round_a_pushed_screen_is_as_a_loaded_one(scene, screens):
    def undecided():
        scene.place(*WAGERS)

    def corrected():
        scene.act("correct_dice", {"dice": [1, 5, 6], "reason": "Read from the side"}, witness="floorperson")

    unlike = {}
    for name, do in {
        "wagers": undecided,
        "dice awaited": scene.to_the_dice,
        "dice called": lambda: scene.act("call_dice", {"dice": [2, 5, 5]}),
        "dice corrected": corrected,
        "losers taken": lambda: scene.until("pay_seats"),
        "layout cleared": scene.finish,
    }.items():
        do()
        if lines := differences(screens, scene.version):
            unlike[name] = lines
    assert unlike == {}
