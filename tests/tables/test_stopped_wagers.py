"""A provider's wager that may not be dealt: refused at the table, settled whole where it lay before, and shown."""

import datetime as dt

import pytest

from games.office.providers import services
from games.registry import GAMES
from tables import rules
from tests.games.office.chapter_528 import (
    ANY_TRIPLE,
    applied,
    certified,
    dealt,
    linked,
    permitted,
    three_steps,
)

CERTIFIED = "58 Pa. Code § 528.7(4)"
FACILITY, GAME = "larkfield", "sic-bo"


@pytest.fixture
def clocked(hands, scene):
    """The scene by a clock whose hands move; the dice are fresh whenever they are asked for."""
    return scene


def at_local(day: dt.date, hour: int, minute: int = 0) -> dt.datetime:
    """A moment of the house in winter, as UTC."""
    return dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=dt.UTC) + dt.timedelta(hours=5)


def rescinded(scene, hands, wagers=(ANY_TRIPLE,)) -> dt.datetime:
    """A permitted provider whose permission was rescinded; returns the first moment without it."""
    code = applied(scene)
    three_steps(scene, linked(scene, code, *wagers), hands.now)
    permitted(scene, code)
    notice = {
        "provider": code,
        "on": "2026-11-21",
        "cease_on": "2026-11-22",
        "notice": scene.on_file("Notice"),
    }
    scene.in_office("rescind_permission", notice)
    return at_local(dt.date(2026, 11, 22), 6)


def of(scene, at):
    return services.suspended_codes(scene.table.facility, GAME, at)


@pytest.mark.clause("PA-528.7", "PA-528.7(4)")
def test_a_linked_wager_is_refused_until_its_four_steps_are_done(clocked, hands):
    scene = clocked
    code = applied(scene)
    service = linked(scene, code, ANY_TRIPLE)
    with scene.refused("wager-stopped-laboratory", "58 Pa. Code § 528.7(1)") as refusal:
        scene.place((1, ANY_TRIPLE, 1000))
    assert refusal.value.params["provider"] == "Tumbling Dice Ideas"
    three_steps(scene, service, hands.now)
    with scene.refused("wager-stopped-certified", CERTIFIED):
        scene.place((1, ANY_TRIPLE, 1000))
    scene.place((1, "small", 1000))  # what nobody supplies goes on
    certified(scene, code)
    scene.place((1, ANY_TRIPLE, 1000))


def test_a_wager_that_lay_there_before_stays_may_be_taken_off_and_is_not_raised(clocked, hands):
    scene = clocked
    scene.place((1, ANY_TRIPLE, 1000), (2, ANY_TRIPLE, 2000), (1, "small", 1000))
    linked(scene, applied(scene), ANY_TRIPLE)
    with scene.refused("wager-stopped-laboratory"):
        scene.place((1, ANY_TRIPLE, 1500))
    scene.place((1, ANY_TRIPLE, 1000), (1, "small", 2000))
    scene.place((2, ANY_TRIPLE, 0))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [4, 4, 4]})
    won = {(seat, code): (outcome, paid) for seat, code, outcome, paid, _ in scene.settled}
    assert won == {(1, ANY_TRIPLE): ("win", 24_000), (1, "small"): ("lose", 0)}


@pytest.mark.clause("PA-528.4(a)")
def test_a_certification_runs_out_at_the_end_of_its_last_gaming_day_and_its_wager_stops(clocked, hands):
    scene = clocked
    dealt(scene, hands.now)
    last = dt.date(2030, 11, 20)
    assert of(scene, at_local(last, 23, 59)) == frozenset()
    assert of(scene, at_local(last + dt.timedelta(1), 5, 59)) == frozenset()
    assert of(scene, at_local(last + dt.timedelta(1), 6)) == {ANY_TRIPLE}


@pytest.mark.clause("PA-528.8(b)-cease")
def test_a_rescinded_service_is_refused_at_the_table_from_the_gaming_day_named(clocked, hands):
    scene, cease_at = clocked, rescinded(clocked, hands)
    hands.now = cease_at - dt.timedelta(seconds=1)
    scene.place((1, ANY_TRIPLE, 1000))
    hands.now = cease_at
    with scene.refused("wager-stopped-certified", "58 Pa. Code § 528.8(c)"):
        scene.place((2, ANY_TRIPLE, 1000))
    scene.place((2, "big", 1000))


@pytest.mark.clause("PA-528.8(c)-cease")
def test_a_suspended_game_opens_at_no_table_and_begins_no_round(clocked, hands):
    scene = clocked
    cease_at = rescinded(scene, hands, wagers=())
    assert of(scene, hands.now) == frozenset()
    scene.place((1, "small", 1000))
    hands.now = cease_at
    assert of(scene, hands.now) == {services.WHOLE_GAME}
    with scene.refused("wager-stopped-certified"):
        scene.place((2, "small", 1000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 2, 3]})
    assert scene.settled == [(1, "small", "win", 1000, 1000)]
    scene.finish()
    assert scene.snapshot["missing"]["code"] == "game-stopped-certified"
    with scene.refused("game-stopped-certified", "58 Pa. Code § 528.8(c)"):
        scene.place((1, "small", 1000))
    scene.close()
    assert "game-stopped-certified" in [one["code"] for one in scene.snapshot["to_open"]]
    scene.inspect()
    with scene.refused("game-stopped-certified"):
        scene.open()


def test_a_missed_wager_that_was_stopped_all_round_is_not_written_down(clocked, hands):
    scene = clocked
    missed = {"seat": 1, "wager": ANY_TRIPLE, "cents": 1000, "reason": "lay there, not entered"}
    cease_at = rescinded(scene, hands)
    hands.now = cease_at - dt.timedelta(minutes=1)
    scene.place((1, "small", 1000))
    hands.now = cease_at
    scene.to_the_dice()
    scene.act("record_missed_wager", missed, witness="floorperson")  # it lay there before it stopped
    scene.act("call_dice", {"dice": [1, 2, 3]})
    scene.finish()
    scene.place((1, "small", 1000))
    scene.to_the_dice()
    with scene.refused("wager-stopped-certified"):
        scene.act("record_missed_wager", missed, witness="floorperson")


def test_the_snapshot_says_of_each_wager_why_it_is_not_dealt(clocked):
    scene = clocked
    linked(scene, applied(scene), ANY_TRIPLE)
    layout = {one["wager"]: one["stopped"] for one in scene.snapshot["layout"]}
    assert [code for code, said in layout.items() if said] == [ANY_TRIPLE]
    said = layout[ANY_TRIPLE]
    assert said["section"] == "§ 528.7(1)"
    assert "Tumbling Dice Ideas (SP-0001)" in said["text"] and "laboratory" in said["text"]


def test_the_felt_names_a_stopped_wager_not_dealt_in_words(clocked):
    scene = clocked
    linked(scene, applied(scene), ANY_TRIPLE)
    page = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    assert page.count("area--stopped") == 1
    assert "not dealt" in page


def test_the_pits_page_of_the_table_names_it_too(clocked):
    scene = clocked
    linked(scene, applied(scene), ANY_TRIPLE)
    scene.place((1, "small", 1000))
    page = scene.browser("podium", "pit-manager").get("/floor/larkfield/T-01/").content.decode()
    assert "Bets are open, Any Three of a Kind not dealt</p>" in page


def test_a_simulated_table_deals_on(clocked):
    scene = clocked
    linked(scene, applied(scene), ANY_TRIPLE)
    scene.table.kind = "simulated"
    scene.table.save(update_fields=["kind"])
    scene.place((1, ANY_TRIPLE, 1000))


def test_it_costs_one_statement_where_no_provider_supplies_the_game(scene, django_assert_num_queries):
    from audit import clock

    now = clock.now()  # asked of PostgreSQL where that has the clock
    with django_assert_num_queries(1):
        assert of(scene, now) == frozenset()


def test_every_game_has_wagers_that_may_be_named():
    assert all(services.wagers_of_game(game) for game in GAMES)
    assert rules.WHOLE_GAME == "*"
