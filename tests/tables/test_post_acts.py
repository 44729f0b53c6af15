"""Which post an act of Three Dice Football belongs to, and how another tablet acts for one that is lost."""

import json
import uuid
from typing import Any

import pytest

from games.registry import GAMES
from tables.runner import table as table_runner
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.test_readjudicate import settled_again

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

OFFER = ("offer_dice", {"seat": 5, "accepted": True}, "58 Pa. Code § 577.4(a)")
THROW: tuple[str, dict[str, Any], str] = ("throw_dice", {}, "58 Pa. Code § 577.4(a)")
NO_ROLL = ("call_no_roll", {"reason": "improper"}, "58 Pa. Code § 577.5(c)")
CALL = ("call_dice", {"dice": [6, 5, 1]}, "58 Pa. Code § 577.5(e)")
DISPUTED = ("call_dice", {"dice": [6, 5, 1], "disputed": True}, "58 Pa. Code § 577.5(e)")


@pytest.fixture
def table() -> Scene:
    scene = make_scene("pa-577")
    scene.place((5, "touchdown", 500), (2, "no-gain", 500, 1), (12, "over-four", 500, 1))
    return scene


def thrown(table: Scene) -> Scene:
    table.act("offer_dice", {"seat": 2, "accepted": True})
    table.act("throw_dice")
    table.act("call_dice", {"dice": [6, 5, 1]})
    return table


@clause("PA-577.4(a)-control", "PA-577.5(c)", "PA-577.5(e)-call", "PA-577.5(g)")
def test_the_dice_the_no_roll_the_call_and_a_disputed_face_are_the_stickpersons(table):
    table.act("offer_dice", {"seat": 2, "accepted": False})
    for acts in ([OFFER], [THROW], [NO_ROLL, CALL, DISPUTED]):
        for act, params, section in acts:
            for by in ("dealer", "relief", "floorperson", "shift-manager"):
                with table.refused("act-of-another-post", section) as refused:
                    table.act(act, params, by=by)
                assert refused.value.params == {"post": "stickperson, Stickperson"}, (act, by)
        act, params, _ = acts[-1]
        table.act(act, params, by="stickperson")
    assert table.entry["data"]["disputed"] is True


@clause("PA-577.6(d)-settle")
def test_each_dealer_settles_their_own_half_and_the_stickperson_none(table):
    thrown(table)
    for by, seats in (("dealer", [12]), ("relief", [2]), ("relief", [2, 12])):
        with table.refused("seats-of-another-post", "58 Pa. Code § 577.6(d)"):
            table.act("settle_seats", {"seats": seats}, by=by)
    for by in ("stickperson", "floorperson"):
        with table.refused("act-of-another-post", "58 Pa. Code § 577.6(d)"):
            table.act("settle_seats", by=by)
    table.act("settle_seats", by="relief")
    assert (table.entry["data"]["seats"], table.round.paid_seats) == ([12], [12])
    table.act("settle_seats", by="dealer")
    assert table.entry["data"]["seats"] == [2]


@clause("PA-577.9(b)-stick")
def test_the_acts_go_with_the_post_when_two_dealers_swap(table):
    thrown(table).act("take_over_table", {"post": "dealer"}, by="relief")
    table.act("settle_seats", by="relief")
    assert table.entry["data"]["seats"] == [2]
    with table.refused("seats-of-another-post"):
        table.act("settle_seats", {"seats": [12]}, by="relief")


@pytest.mark.parametrize("by", ["dealer", "floorperson"])
def test_another_tablet_acts_for_a_lost_one_and_the_entry_names_both_people_and_why(table, by):
    with table.refused("tablet-reason-missing", "58 Pa. Code § 577.4(a)"):
        table.act("offer_dice", {"seat": 2, "accepted": True}, by=by, witness="stickperson")
    lost = {"tablet_lost": "Battery empty"}
    with table.refused("not-at-that-post", "58 Pa. Code § 577.4(a)"):
        table.act("offer_dice", {"seat": 2, "accepted": True, **lost}, by=by, witness="relief")
    table.act("offer_dice", {"seat": 2, "accepted": True, **lost}, by=by, witness="stickperson")
    assert (table.entry["actor"], table.entry["witness"]) == (by, "stickperson")
    assert table.entry["data"]["acted_for"] == {
        "post": "stick",
        "person": "stickperson",
        "reason": "Battery empty",
    }
    table.act("throw_dice", by="stickperson")
    table.act("call_dice", {"dice": [6, 5, 1], **lost}, by=by, witness="stickperson")
    assert table.entry["data"]["acted_for"]["post"] == "stick"
    with table.refused("seats-of-another-post"):
        table.act("settle_seats", {"seats": [2, 12], **lost}, by=by, witness="relief")
    table.act("settle_seats", {"seats": [12], **lost}, by=by, witness="relief")
    assert table.entry["data"]["acted_for"] == {
        "post": "dealer-left",
        "person": "relief",
        "reason": "Battery empty",
    }
    table.act("settle_seats", by="dealer")
    assert "acted_for" not in table.entry["data"]
    table.act("void_round", {"reason": "dispute"}, by="floorperson", witness="dealer")
    assert settled_again()[0] == []


def test_a_lost_tablet_takes_the_pin_of_the_person_at_its_post(table):
    browser = table.browser("tablet", "dealer")

    def offer(pin: str) -> int:
        params = {"seat": 2, "accepted": True, "tablet_lost": "Battery empty"}
        body = {"command": str(uuid.uuid4()), "seen": table.version, "params": params}
        body["witness"] = {"person": "stickperson", "pin": pin}
        url = "/floor/larkfield/T-01/acts/offer_dice"
        return browser.post(url, json.dumps(body), content_type="application/json").status_code

    assert (offer("654321"), table.round.quarterback) == (401, None)
    assert (offer(PIN), table.round.quarterback) == (200, 2)


def test_acts_of_a_post_take_a_signature_so_that_a_lost_tablet_stops_no_game():
    acts = {act for game in GAMES.values() for act in game.post_acts}
    assert acts and {act for act in acts if not table_runner.ACTS[act].witness} == set()
