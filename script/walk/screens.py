"""Screens of the walk: real pages that stay open, each with a twin that is loaded after every act.

A screen has been patched by every push since it was opened; its twin shows the same address as the server renders it
now. What both show must be equal, node by node, apart from clocks and from what only the finger at this screen knows.
"""

import difflib
import time
from collections.abc import Iterator, Sequence
from typing import Literal

from playwright.sync_api import Error, Page, Request

Kind = Literal["tablet", "table", "floor", "wall"]
Versions = dict[str, int]

PATIENCE = 20.0  # seconds for which a screen may lack an act
PAINT_TIME = (
    0.3  # seconds after which the sums of a floor are painted, and the double tap of a person is over
)
EQUAL_WITHIN = 2.0  # seconds after which a difference between a screen and its twin stays a difference
MOST_LINES = 12  # of a difference that are printed

# Notes when this page was tapped last, and when it had drawn each version of a table. Milliseconds since 1970.
NOTE_TIMES = """
    window.tapTimes = [];
    window.drawTimes = {};
    for (const name of ["pointerdown", "click"])
        addEventListener(name, () => { window.tapTimes.push(Date.now()); }, true);
    addEventListener("screen:applied", () => requestAnimationFrame(() => setTimeout(() => {
        for (const { dataset } of document.querySelectorAll("[data-version][data-table]"))
            window.drawTimes[`${dataset.table} ${dataset.version}`] ??= Date.now();
    })));
"""
VERSIONS = """() => Object.fromEntries([...document.querySelectorAll("[data-version][data-table]")]
    .map(({ dataset }) => [dataset.table, Number(dataset.version)]))"""
IS_READY = """() => {
    const root = document.documentElement.dataset;
    const isConsole = document.querySelector("body.console") !== null;
    return root.live === "live" && !("busy" in root) && (!isConsole || "ready" in root);
}"""
# A window that a page opens has a copy of its session storage: which seat and which chip are chosen at this tablet.
OPEN_TWIN = "() => { open(location.href); }"
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
REPEATED_IDS = """() => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    return [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))];
}"""


class Screen:
    """A page that stays open, and its twin while they are compared: the same device, the same person."""

    def __init__(self, name: str, kind: Kind, page: Page) -> None:
        self.name, self.kind, self.page = name, kind, page
        self.twin: Page | None = None
        self.requests: list[Request] = []  # acts that this page has sent
        self.complaints: list[str] = []
        page.on("requestfinished", self._note)
        page.on("pageerror", lambda error: self.complaints.append(f"{self.name}: {error}"))

    def _note(self, request: Request) -> None:
        if request.method == "POST":
            self.requests.append(request)

    def versions(self) -> Versions:
        """The version of each table that this screen shows."""
        try:
            versions: Versions = self.page.evaluate(VERSIONS)
        except Error:  # the page is just opening
            return {}
        return versions

    def wait_for(self, table: str, version: int) -> str:
        """Wait until this screen shows this version. Returns what is wrong, or an empty text."""
        deadline = time.monotonic() + PATIENCE
        while (own_version := self.versions().get(table, 0)) < version:
            if time.monotonic() > deadline:
                return f"{self.name} shows version {own_version}, and the record has {version}"
            self.page.wait_for_timeout(20)
        return ""

    def draw_time(self, table: str, version: int) -> float | None:
        """When this page had drawn a version, in milliseconds since 1970; None if it was loaded with it."""
        times: dict[str, float] = self.page.evaluate("window.drawTimes")
        return times.get(f"{table} {version}")

    def tap_time(self, sent: float) -> float:
        """The last tap at this page before an act was sent, in milliseconds since 1970."""
        times: list[float] = self.page.evaluate("window.tapTimes")
        return max((moment for moment in times if moment <= sent + 1), default=sent)

    def open_twin(self) -> None:
        """Load the address of this screen in a second window, without waiting for it."""
        with self.page.expect_popup() as opening:
            self.page.evaluate(OPEN_TWIN)
        self.twin = opening.value

    def close_twin(self) -> None:
        if self.twin is not None:
            self.twin.close()
            self.twin = None

    def differences(self) -> list[str]:
        """How this screen differs from its twin, and which ids are on it twice."""
        assert self.twin is not None
        _wait_until_ready(self.twin)
        repeated = [f"{self.name}: the id {name} is there twice" for name in self.page.evaluate(REPEATED_IDS)]
        began = time.monotonic()
        while True:
            versions = self.versions()
            patched, loaded = self.page.evaluate(LINES), self.twin.evaluate(LINES)
            if patched == loaded:
                return repeated
            is_same_state = versions == self.versions() == self.twin.evaluate(VERSIONS)
            if time.monotonic() - began > (EQUAL_WITHIN if is_same_state else PATIENCE):
                return [*repeated, *(f"{self.name}: {line}" for line in _changed(patched, loaded))]
            self.page.wait_for_timeout(100)


def _wait_until_ready(page: Page) -> None:
    """Wait until the scripts of a page run and its socket is open."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if page.evaluate(IS_READY):
                return
        except Error:  # it is just being loaded
            page.wait_for_load_state()
        page.wait_for_timeout(20)


def _changed(patched: Sequence[str], loaded: Sequence[str]) -> Iterator[str]:
    """The lines of the screen (-) and of its twin (+) that differ."""
    lines = [
        line
        for line in difflib.unified_diff(patched, loaded, n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"… and {len(lines) - MOST_LINES} more lines"
