"""Whole rounds on tablets at two workers: after each act, every screen is as the other worker loads it from the rows.

Acts go by the sockets, and each worker keeps copies of tables. On SQLite there is one process, which loads them.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from playwright.sync_api import WebSocket, expect
from psycopg import sql

from tests.e2e.field import GAIN_OF_4, GAIN_OF_8, GAIN_OF_9, TWO_ONES, FieldTablet
from tests.e2e.floor import Dashboard, Screen, Tablet, again, become_of_another_server
from tests.e2e.server_apart import ServerApart
from tests.e2e.test_pushed_screens import differences
from tests.services.chromium import Contexts, Pages
from tests.services.installation import address

pytestmark = pytest.mark.browser

MOST_STEPS = 60
# What the page has heard of its table on its socket, as one text; null if it had to fetch its state.
HEARD = """([table, version]) => {
    const heard = document.querySelector("live-screen").received.get(table);
    return heard?.version === version ? Object.values(heard.parts).join("\\n") : null;
}"""
AS_OF = re.compile(r'"as_of":"[^"]*"|data-as-of="[^"]*"')


@dataclass
class Shift:
    """One table with its screens, and what was compared so far. `loads`: which server loads a screen to compare."""

    servers: tuple[ServerApart, ...]
    pages: tuple[Pages, ...]
    screens: dict[str, Screen] = field(default_factory=dict)
    loads: dict[str, str] = field(default_factory=dict)
    on_sockets: list[str] = field(default_factory=list)
    posted: list[str] = field(default_factory=list)
    unlike: dict[str, list[str]] = field(default_factory=dict)
    texts: int = 0
    loaded: int = 0

    def enter(self, name: str, screen: type[Screen], token: str, person: str, path: str = "/") -> Any:
        """Open a screen at one worker, each at another than the one before."""
        number = len(self.screens) % len(self.servers)
        entered = screen(self.pages[number]())
        become_of_another_server(entered.page, self.servers[0].tokens[token])
        entered.send_sign_in(person)
        entered.page.on("websocket", self._listen)
        entered.page.on(
            "request", lambda request: self.posted.append(request.url) if "/acts/" in request.url else None
        )
        entered.page.goto(path)
        entered.is_live()
        self.screens[name] = entered
        self.loads[name] = self.servers[number - 1].url
        return entered

    def _listen(self, socket: WebSocket) -> None:
        socket.on(
            "framesent",
            lambda frame: self.on_sockets.append(str(frame)) if str(frame)[:4] == "act " else None,
        )

    def after(self, act: str, actor: Tablet, *, are_pages_loaded: bool = True) -> None:
        """Compare every screen with the other server's, once what was tapped is taken."""
        actor.is_taken()
        version = int(actor.page.locator("#screen").get_attribute("data-version") or "")
        lines = self._heard_otherwise(version)
        if are_pages_loaded:
            lines += differences(
                {name: screen.page for name, screen in self.screens.items()}, version, self.loads
            )
            self.loaded += len(self.screens)
        if lines:
            self.unlike[f"{version} {act}"] = lines

    def _heard_otherwise(self, version: int) -> list[str]:
        """Which screens heard another text on their socket than the other server renders now."""
        lines = []
        for name, screen in self.screens.items():
            page = screen.page
            expect(page.locator(f'[data-table="T-01"][data-version="{version}"]').first).to_be_attached()
            heard = page.evaluate(HEARD, ["T-01", version])
            if heard is None:
                continue
            fallback = page.locator("live-screen").get_attribute("fallback")
            body = page.request.get(
                f"{self.loads[name]}{fallback}", headers={"Accept": "application/json"}
            ).json()
            rendered = body["tiles"]["T-01"]["html"] if "tiles" in body else body["html"]
            self.texts += 1
            if AS_OF.sub("", heard).split() != AS_OF.sub("", rendered).split():
                lines.append(f"{name}: heard {heard!r}, rendered {rendered!r}")
        return lines


@contextlib.contextmanager
def empty_database() -> Iterator[str]:
    """The address of an empty database beside that of the tests."""
    server = connection.get_connection_params()
    given = {key: server[key] for key in ("host", "port", "user", "password") if server.get(key)}
    name = f"pitside_{secrets.token_hex(4)}"
    with psycopg.connect(**given, dbname="postgres", autocommit=True) as root:
        root.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield address(given, name, str(given["user"]), str(given.get("password", "")))
        finally:
            root.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(params=[pytest.param("two", marks=[pytest.mark.postgres, pytest.mark.redis]), again("one")])
def begin(
    request: pytest.FixtureRequest, contexts: Contexts, tmp_path: Path
) -> Iterator[Callable[..., Shift]]:
    """`begin("pa-539")`: a table under these rules, at two workers on PostgreSQL, or one process on SQLite."""
    with contextlib.ExitStack() as stack:

        def begin(rules: str, **more: Any) -> Shift:
            apart: dict[str, str] = {}
            if request.param == "two":
                apart = {
                    "database": stack.enter_context(empty_database()),
                    "redis": os.environ["TEST_REDIS_URL"],
                }
            first = ServerApart(tmp_path, rules, **apart, **more)
            servers = (first, first.beside()) if apart else (first,)
            for server in servers:
                stack.callback(server.kill)
                server.start()
            pages = tuple(Pages(contexts, server.url) for server in servers)
            for of_a_server in pages:
                stack.callback(of_a_server.close)
            return Shift(servers, pages)

        yield begin


def play_on(shift: Shift, tablets: Sequence[Tablet], throws: Iterator[Sequence[int]]) -> None:
    """Step by step until the layout is clear for the next round. Each step at the first tablet that may do it."""
    number = tablets[0].state()["round"]["number"]
    for _ in range(MOST_STEPS):
        if tablets[0].state()["round"]["number"] != number:
            return
        tablet = next(
            tablet
            for tablet in tablets
            if tablet.next.get_attribute("aria-disabled") != "true" or awaits_dice(tablet)
        )
        words = tablet.next.locator(".next-l").inner_text()
        if not awaits_dice(tablet):
            tablet.pay_all() if words.startswith("Paid seat") else tablet.tap(tablet.next)
        elif isinstance(tablet, FieldTablet):
            tablet.tap_dice(*next(throws))
            tablet.tap(tablet.next)
        else:
            tablet.call(*next(throws))
        shift.after(words, tablet)
    raise AssertionError("The round does not end.")


def awaits_dice(tablet: Tablet) -> bool:
    return tablet.page.locator(":is(#dock-entry [data-face], [data-die][data-pips]):visible").count() > 0


def place_one_by_one(shift: Shift, tablet: Tablet, *wagers: tuple[int, str, int]) -> None:
    for wager in wagers:
        tablet.place(wager)
        shift.after(f"placed {wager}", tablet, are_pages_loaded=False)


def the_record_is_as_played(shift: Shift) -> None:
    """No screen was ever unlike, acts went by the sockets, on copies where there are any, and the record holds."""
    assert shift.unlike == {}
    assert [error for pages in shift.pages for error in pages.errors] == []
    # An act that a busy machine kept for eight seconds is asked for by POST.
    assert len(shift.on_sockets) > len(shift.posted)
    assert shift.texts >= len(shift.on_sockets)
    page = next(iter(shift.screens.values())).page
    acts = [page.request.get(f"{server.url}/readyz").json()["acts"] for server in shift.servers]
    for check in ("verify_record", "readjudicate"):
        answer = shift.servers[0].manage(check)
        assert answer.returncode == 0, answer.stdout + answer.stderr
    print(f"{len(shift.on_sockets)} acts, {shift.texts} texts and {shift.loaded} pages compared; {acts}")


SIC_BO = (
    "small",
    "big",
    "total:12",
    "two-of-a-kind:5",
    "one-of-a-kind:5",
    "total:9",
    "any-three-of-a-kind",
    "total:4",
)


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-539"), again("nj-19-47-9")])
def test_sic_bo_with_every_seat_full(begin, rules):
    shift = begin(rules)
    dealer = shift.enter("tablet", Tablet, "tablet", "dealer")
    shift.enter("second", Tablet, "second", "floorperson")
    shift.enter("floor", Dashboard, "podium", "pit-manager")
    for dice in ([2, 5, 5], [3, 3, 3]):
        place_one_by_one(shift, dealer, *((seat, code, 2_500) for seat, code in enumerate(SIC_BO, 1)))
        play_on(shift, [dealer], iter([dice]))
    the_record_is_as_played(shift)


HIGH_ROLL = {
    "pa-675a": [[1, 1, 6, 6, 6, 5, 5, 5, 5, 4], [1, 2, 3, 5, 6, 6], [1, 2, 3, 5, 6, 6]],
    "pa-675a.6": [[1, 1, 6, 6, 6, 5], [2, 3, 4, 5, 6, 1], [2, 3, 4, 5, 6, 1]],
}


@pytest.mark.parametrize("rules", ["pa-675a", again("pa-675a.6")])
def test_high_roll_with_every_seat_full(begin, rules):
    shift = begin(rules, payout_limit_cents=7_500_000)
    dealer = shift.enter("tablet", Tablet, "tablet", "dealer")
    shift.enter("second", Tablet, "second", "floorperson")
    shift.enter("floor", Dashboard, "podium", "pit-manager")
    wagers = [(seat, code, 2_500) for seat in range(1, 7) for code in (f"pip:{seat}", "like-kind:3")]
    place_one_by_one(shift, dealer, *wagers)
    play_on(shift, [dealer], iter(HIGH_ROLL[rules]))
    the_record_is_as_played(shift)


def test_football_on_three_tablets_with_every_place_full(begin):
    shift = begin("pa-577")
    right = shift.enter("right", FieldTablet, "tablet", "dealer")
    left = shift.enter("left", FieldTablet, "second", "relief")
    stick = shift.enter("stick", FieldTablet, "third", "stickperson")
    shift.enter("floor", Dashboard, "podium", "pit-manager")
    place_one_by_one(
        shift, right, *((place, "touchdown", 2_500) for place in range(1, 9)), (3, "over-four", 500)
    )
    place_one_by_one(
        shift, left, *((place, "touchdown", 2_500) for place in range(9, 17)), (12, "penalty", 500)
    )
    play_on(shift, [stick, right, left], iter([GAIN_OF_8, GAIN_OF_4, GAIN_OF_9, TWO_ONES]))
    the_record_is_as_played(shift)
