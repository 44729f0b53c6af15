"""The sums in the head of the floor, at a podium, on a phone and on the wall: those of the figures, under each name."""

import datetime as dt
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from audit import clock
from audit.devices import enroll
from games.models import Facility
from tables.demo.simulation import simulated_tables
from tables.figures import rollup
from tables.models import Round
from tests.e2e.floor import Dashboard, become, dashboard
from tests.services.chromium import Pages
from tests.tables import slip_scene
from tests.tables.cast import Scene
from tests.tables.conftest import Hands
from tests.tables.test_figures_agree import (
    EIGHT_FIVES,
    FIGURES,
    NORMAL,
    ONES,
    deal,
    moment,
    pairs_of,
    play_the_day,
    row_of,
    text_of,
)

pytestmark = pytest.mark.browser
EXPECTED = re.compile(r"expected \+?(\S+) ± (\S+)", re.IGNORECASE)


@pytest.fixture
def hands() -> Iterator[Hands]:
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands


def texts(page: Page, **selectors: str) -> dict[str, str]:
    """What the page shows at each selector, once its script has added the tables up."""
    shown = {name: page.locator(selector).first.inner_text() for name, selector in selectors.items()}
    return {name: " ".join(text.split()) for name, text in shown.items()}


def with_band(shown: dict[str, str]) -> dict[str, str]:
    """The text `expected $12 ± $34` as two figures, each under its own name."""
    found = EXPECTED.search(shown.pop("band"))
    assert found, shown
    return {**shown, "Expected": found[1], "± 2 σ": found[2]}


def test_the_head_of_the_floor_says_the_figures_of_the_day(stage, hands: Hands, new_page: Pages) -> None:
    """A day that follows one with everything, with a fee, a void round, odd dollars and slips of its own."""
    scene, day = play_the_day(hands, NORMAL), NORMAL + dt.timedelta(days=1)
    wagers = ((2, "pip:5", 50_000), (2, "like-kind:8", 50_000), (2, "extra-roll", 50_000))
    deal(scene, *wagers, dice=EIGHT_FIVES, extra=[1, 2])
    changed = deal(scene, (3, "pip:1", 1_250), (4, "pip:2", 20_000), dice=ONES)
    scene.place((3, "pip:1", 70_000))
    scene.act("void_round", {"reason": "dice-seen-early"}, witness="floorperson")
    voided = deal(scene, (5, "pip:3", 30_000), dice=ONES)
    hands.now = moment(scene, day, 9)
    slip_scene.file(scene, "void", number=voided, witness="pit-manager")
    slip_scene.file(scene, "dice", number=changed, dice=EIGHT_FIVES)
    assert Round.objects.filter(gaming_day=day).count() == 5

    rollup.write_rollups()
    client = scene.browser("podium", "compliance")
    html = client.get(f"{FIGURES}?from={day}&to={day}").content.decode()
    figures = {**row_of(html, "T-01"), **pairs_of(html)}
    money = with_band({"Handle": figures["Handle"], "Win": figures["Win"], "band": text_of(html)})
    assert money["Handle"] == "$2,211.50" and "$0" not in money.values(), money

    podium, phone = dashboard(new_page, scene, "floorperson"), Dashboard(new_page(390, 844))
    phone.let_in(enroll("Phone", "larkfield", "pit")[1], "floorperson")
    head = {"Handle": "[data-sum=handle]", "Win": "[data-sum=win]", "band": "[data-sum=expected]"}
    for screen in (podium, phone.watch()):
        expect(screen.page.locator("[data-sum=expected]")).to_contain_text("expected $")
        assert with_band(texts(screen.page, **head)) == money
        rest = texts(screen.page, pit="[data-pit-win]", tile="#tile-T-01 .win")
        assert rest == {"pit": money["Win"], "tile": f"Win {money['Win']}"}

    wall = new_page(1920, 1080)
    become(wall, enroll("Wall", "larkfield", "wall")[1])
    wall.goto("/")
    pit = wall.locator(".wall-pit").filter(has_text="expected $")
    expect(pit).to_have_count(1)
    shown = texts(wall, Win="[data-sum=win]")
    shown |= {
        "of its pit": pit.locator("[data-win]").inner_text(),
        "band": pit.locator("[data-band]").inner_text(),
    }
    wanted = {name: money[name] for name in ("Win", "Expected", "± 2 σ")}
    assert with_band(shown) == {**wanted, "of its pit": money["Win"]}


def test_pace_is_that_of_the_last_fifteen_minutes_and_falls_by_itself_while_a_table_is_still(
    stage, new_page: Pages
) -> None:
    """Eight rounds in an hour, five of them in the last quarter: twenty an hour now. It was that of the whole day."""
    now = clock.now()
    hands = Hands(now - dt.timedelta(minutes=70))
    with clock.override(hands):
        scene = stage()
        Facility.objects.update(
            gaming_day_start=scene.table.facility.local(now - dt.timedelta(hours=12)).time()
        )
        for minutes in (60, 50, 40, 14, 11, 8, 5, 2):
            hands.now = now - dt.timedelta(minutes=minutes)
            scene.play((1, "small", 1_000), dice=[1, 1, 2])
            scene.finish()
        hands.now = now
        pit, wall = Dashboard(new_page(1440, 900)), new_page(1920, 1080)
        pit.page.clock.install()
        pit.begin(scene)
        wall.clock.install()
        become(wall, enroll("Wall", "larkfield", "wall")[1])
        wall.goto("/")
        paces = (
            pit.tile().locator(".pace-now"), pit.page.locator("[data-sum=pace]"), wall.locator("[data-pit-pace]").first,
        )  # fmt: skip
        for pace in paces:
            expect(pace).to_have_text("20")
        for page in (pit.page, wall):
            page.context.set_offline(True)  # no answer sets the clock of its page back
        for minutes, fallen_to in ((6, "12"), (10, "0")):
            for page in (pit.page, wall):
                page.clock.fast_forward(60_000 * minutes)
            for pace in paces:
                expect(pace).to_have_text(fallen_to)


def test_a_table_that_a_program_deals_has_no_dot_that_says_connected(scene: Scene, new_page: Pages) -> None:
    """No tablet is connected to it. It had the green dot of a table whose tablet is."""
    simulated_tables(scene.table.facility, 1, scene.table.submission_code)
    pit = dashboard(new_page, scene)
    for code, dots in (("T-01", 1), ("SIM-01", 0)):
        expect(pit.tile(code)).to_be_visible()
        expect(pit.tile(code).get_by_text("connected")).to_have_count(dots)
    pit.tap(pit.page.get_by_role("button", name="Plan"))
    for code, dots in (("T-01", 1), ("SIM-01", 0)):
        table = pit.page.locator(".plan-table").filter(has_text=code)
        expect(table).to_be_visible()
        expect(table.locator(".dot")).to_have_count(dots)
