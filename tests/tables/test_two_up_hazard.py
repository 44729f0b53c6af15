"""A new game is one folder and one registry line: the fictitious Two Up Hazard is dealt, shown and explained."""

import json
import random
import shutil
import uuid
from itertools import product
from pathlib import Path

import pytest
from django.test import Client

from audit import clock
from games import registry
from games.adjudication import adjudicate
from games.engine import Rules
from games.guide.content import content_at, without_plan
from games.models import Facility
from tables.demo.simulation import play_round, simulated_tables
from tests.fixtures import games as fixtures
from tests.games.office.test_guide_acts import publish
from tests.tables.cast import Scene, approve, make_scene

pytestmark = pytest.mark.django_db
hazard = fixtures.hazard

CITE = "Fictitious Code § 9."
WAGERS = [(1, "double", 1_000), (2, "seven", 2_000), (2, "over", 3_000), (3, "under", 1_000)]


@pytest.fixture
def scene(hazard) -> Scene:
    return make_scene("xx-hazard")


def test_its_odds_are_those_of_all_36_throws(hazard):
    rules = Rules.of("xx-hazard")
    for code, (outcome,) in hazard.outcomes(rules).items():
        wins = sum(code in hazard.winning_codes(rules, [dice]) for dice in product(range(1, 7), repeat=2))
        assert (outcome.probability * 36, str(outcome.pays)) == {
            "double": (6, "5 to 1"),
            "seven": (6, "4 to 1"),
            "over": (15, "1 to 1"),
            "under": (15, "1 to 1"),
        }[code]
        assert wins == outcome.probability * 36


def test_a_round_on_paper_settles(hazard):
    wagers = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in WAGERS]
    line = {"id": "x", "rules": "xx-hazard", "throws": [[4, 4]], "wagers": wagers}
    settled = adjudicate(json.dumps(line).encode())["wagers"]
    assert [(wager["outcome"], wager["paid_cents"]) for wager in settled] == [
        ("win", 5_000),
        ("lose", 0),
        ("win", 3_000),
        ("lose", 0),
    ]
    assert {wager["cite"] for wager in settled} == {f"{CITE}5", f"{CITE}3(d)(3)", f"{CITE}3(d)(1)"}


def act(browser: Client, scene: Scene, name: str, params: dict) -> dict:
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params}
    answer = browser.post(f"/floor/larkfield/T-01/acts/{name}", json.dumps(body), "application/json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_full_round_is_dealt_through_the_acts_and_shown_on_every_screen(scene):
    tablet, podium = scene.browser("tablet", "dealer"), scene.browser("podium", "pit-manager")
    wagers = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in WAGERS]
    act(tablet, scene, "place_wagers", {"wagers": wagers})
    act(tablet, scene, "no_more_bets", {})
    html = act(tablet, scene, "shake", {"shakes": 3})["screen"]["html"]
    assert html.count('<span class="slot"></span>') == 2 and "Two faces to go" in html
    html = act(tablet, scene, "call_dice", {"dice": [6, 2]})["screen"]["html"]
    assert "Total 8" in html and 'data-lit><span class="sr">Wins: Over 7' in html.replace("\n", "")
    act(tablet, scene, "take_losers", {})
    act(tablet, scene, "pay_seats", {"seats": [2]})
    act(tablet, scene, "clear_layout", {})
    assert scene.settled == [
        (1, "double", "lose", 0, 0),
        (2, "seven", "lose", 0, 0),
        (3, "under", "lose", 0, 0),
        (2, "over", "win", 3_000, 3_000),
    ]

    console = tablet.get("/floor/larkfield/T-01/console").content.decode()
    assert "Two Up Hazard" in console and "/static/two_up_hazard/console.css" in console
    assert "Tap the two faces" in console
    tile = podium.get("/floor/larkfield/").content.decode()
    assert '<symbol id="two-up-hazard"' in tile and '<use href="#two-up-hazard"/>' in tile
    table = podium.get("/floor/larkfield/T-01/").content.decode()
    assert "Any Double" in table and ">8<" in table
    sign = podium.get("/floor/larkfield/T-01/sign/odds").content.decode()
    assert "Total 7" in sign and "4 to 1" in sign
    replay = podium.get("/floor/larkfield/T-01/rounds/1/").content.decode()
    assert "Round 1" in replay and "Total 8" in replay


def test_the_device_failed_dialog_is_that_of_its_edition(scene):
    """The dice that were seen are entered and a witness signs; with a game's name in the template it was wrong."""
    console = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    dialog = console.split('data-act="report_device_failure"', 1)[1].split("</template>")[0]
    assert 'data-fields="what seen failure witness"' in dialog
    assert "The device" in console and "The lights of the layout" in console
    assert 'data-ask="report_device_failure"><b>Device failed' in console
    scene.place((1, "over", 1_000))
    scene.to_the_dice()
    scene.act("report_device_failure", {"what": "device", "dice": [5, 4]}, witness="floorperson")
    assert scene.last_round.by_hand and scene.snapshot["round"]["dice"] == [4, 5]


def test_a_guide_explains_it_in_three_languages(hands, scene):
    publish(scene)
    address = "/guide/larkfield/two-up-hazard-xx-hazard/"
    for language, words in (("en", "Any Double"), ("es", "Cualquier doble"), ("zh", "任意对子")):
        answer = Client().get(address, {"lang": language})
        assert answer.status_code == 200 and words in answer.content.decode()
    assert Client().get("/guide/larkfield/guide.pdf").status_code == 200


def test_simulated_players_play_it(scene):
    (table,) = simulated_tables(scene.table.facility, 1, "RS-0009")
    for _ in range(3):
        play_round(table, random.Random(5))


def test_a_game_without_a_guide_plan_leaves_the_others_their_guide(scene, tmp_path, monkeypatch):
    facility = Facility.objects.get()
    approve(facility, "pa-625a/A", {}, None, "RS-0010")
    assert {game["game"] for game in content_at(facility, clock.now())["games"]} == {
        "sic-bo",
        "two-up-hazard",
    }
    code = scene.table.game
    shutil.copytree(Path(fixtures.__file__).parent / "two_up_hazard", tmp_path / "hazard_unexplained")
    shutil.rmtree(tmp_path / "hazard_unexplained" / "guide")
    monkeypatch.syspath_prepend(tmp_path)
    registry.unregister(code)
    registry.register("hazard_unexplained")
    try:
        assert {game["game"] for game in content_at(facility, clock.now())["games"]} == {"sic-bo"}
        assert without_plan(facility, clock.now()) == ["Two Up Hazard"]
        page = scene.browser("podium", "games-administrator").get("/office/larkfield/guide/")
        assert "There is no guide text for Two Up Hazard" in page.content.decode()
    finally:
        registry.unregister(code)
        registry.register(fixtures.HAZARD)
