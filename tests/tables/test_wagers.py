"""Placing wagers: what they are made in, when they are refused, and what lies there afterwards."""

import json

import pytest
from django.db import IntegrityError, transaction

from audit.models import Entry
from tables.models import Settlement, Table, Wager
from tables.opening.opening import make_table
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

EDITIONS = [
    pytest.param("pa-539", "4(a)", marks=clause("PA-539.4(a)-verbal")),
    pytest.param("pa-625a/A", "4(a)", marks=clause("PA-625a.4(a)-verbal")),
    pytest.param("pa-625a/B", "4(a)"),
    pytest.param("nj-19-47-9", "3(a)", marks=clause("NJ-19:47-9.3(a)-verbal")),
]


@pytest.mark.parametrize(("rules", "section"), EDITIONS)
def test_it_refuses_a_verbal_wager_with_cash(rules, section):
    scene = make_scene(rules)
    with scene.refused("cash-wager", CHAPTER[rules] + section):
        scene.place((1, "small", 2_500), made_in="cash")
    assert scene.round is None


@pytest.mark.parametrize("made_in", ["chips", "plaques"])
@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.4(a)-chips")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.4(a)-chips")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.3(a)-chips")),
    ],
)
def test_it_takes_chips_and_plaques_on_an_area(rules, made_in):
    scene = make_scene(rules)
    scene.place((1, "total:9", 2_500), made_in=made_in)
    assert list(Wager.objects.values_list("seat", "code", "cents", "made_in")) == [
        (1, "total:9", 2_500, made_in)
    ]
    with scene.refused("malformed"):
        scene.place((1, "total:9", 2_500), made_in="promise")


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-539", "3", marks=clause("PA-539.3")),
        pytest.param("pa-625a/A", "3", marks=clause("PA-625a.3")),
        pytest.param("nj-19-47-9", "2(a)", marks=clause("NJ-19:47-9.2(a)")),
    ],
)
@pytest.mark.parametrize("code", ["total:3", "total:18", "four-of-a-kind:1", "two-dice:5-2", "odd"])
def test_it_refuses_a_wager_that_the_edition_does_not_know(rules, section, code):
    scene = make_scene(rules)
    with scene.refused("no-such-wager", CHAPTER[rules] + section):
        scene.place((1, "small", 2_500), (2, code, 2_500))
    assert not Wager.objects.exists()


@pytest.mark.parametrize(
    ("rules", "shaker", "section"),
    [
        pytest.param("pa-539", "manual", "5(b)", marks=clause("PA-539.5(b)")),
        pytest.param("pa-539", "automated-uncovered", "5(b)", marks=clause("PA-539.5(b)")),
        pytest.param("pa-625a/A", "manual", "5(c)", marks=clause("PA-625a.5(c)")),
        pytest.param("pa-625a/A", "automated-covered", "5(c)", marks=clause("PA-625a.5(c)")),
        pytest.param("pa-625a/A", "automated-uncovered", "5(g)", marks=clause("PA-625a.5(g)-wagers")),
        pytest.param("pa-625a/A", "player-activated", "5(g)", marks=clause("PA-625a.5(g)-wagers")),
        pytest.param("nj-19-47-9", "manual", "5(b)", marks=clause("NJ-19:47-9.5(b)")),
    ],
)
def test_it_refuses_wager_after_no_more_bets(rules, shaker, section):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500))
    scene.to_closed_bets()
    with scene.refused("bets-closed", CHAPTER[rules] + section):
        scene.place((2, "big", 2_500))
    scene.to_the_dice()
    with scene.refused("bets-closed", CHAPTER[rules] + section):
        scene.place((1, "small", 0))
    assert scene.round.wagered_cents == 2_500


@pytest.mark.parametrize(
    "shaker",
    [
        pytest.param("manual", marks=clause("PA-625a.5(b)(1)")),
        pytest.param("automated-covered", marks=clause("PA-625a.5(b)(2)")),
    ],
)
def test_it_takes_wagers_before_and_after_a_covered_shake(shaker):
    scene = make_scene("pa-625a/A", shaker)
    scene.place((1, "small", 2_500))
    scene.act("shake", {"shakes": 3})
    scene.place((1, "small", 5_000), (2, "big", 1_000))
    assert (scene.round.phase, scene.round.wagered_cents) == ("shaken", 6_000)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.4(b)-position")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.4(b)-position")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.3(b)-position")),
    ],
)
def test_a_position_does_not_change_once_bets_are_closed(rules):
    scene = make_scene(rules)
    scene.place((1, "small", 2_500))
    scene.place((1, "small", 0), (1, "big", 2_500))
    assert list(Wager.objects.values_list("code", flat=True)) == ["big"]
    scene.to_closed_bets()
    with scene.refused("bets-closed"):
        scene.place((1, "big", 0), (1, "small", 2_500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    assert scene.settled == [(1, "big", "lose", 0, 0)]


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.4(c)")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.4(c)")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.3(c)")),
    ],
)
def test_the_same_stake_settles_by_its_position_alone(rules):
    scene = make_scene(rules)
    scene.play((1, "small", 2_500), (1, "big", 2_500), (2, "two-dice:2-5", 2_500), dice=[5, 2, 5])
    assert scene.settled == [
        (1, "small", "lose", 0, 0),
        (1, "big", "win", 2_500, 2_500),
        (2, "two-dice:2-5", "win", 12_500, 2_500),
    ]


def test_it_refuses_seat_9_of_8(scene):
    with scene.refused("no-such-seat") as refusal:
        scene.place((9, "small", 2_500))
    assert refusal.value.params == {"seat": 9, "seats": 8}
    scene.place((8, "small", 2_500))


def test_it_refuses_the_same_area_twice_in_one_act(scene):
    with scene.refused("malformed"):
        scene.place((1, "small", 2_500), (1, "small", 5_000))


def test_one_refused_wager_refuses_the_act(scene):
    with scene.refused("no-such-seat"):
        scene.place((1, "small", 2_500), (9, "big", 2_500))
    assert (Wager.objects.count(), scene.round) == (0, None)


def test_the_amount_sent_is_the_new_total(scene):
    scene.place((1, "small", 2_500), (1, "big", 1_000))
    scene.place((1, "small", 10_000))
    scene.place((1, "big", 0))
    assert list(Wager.objects.values_list("code", "cents")) == [("small", 10_000)]
    assert scene.round.wagered_cents == 10_000
    assert scene.entry["data"] == {
        "round": 1,
        "placed": [{"seat": 1, "wager": "big", "cents": 0, "made_in": "chips", "flag": ""}],
        "wagered_cents": 10_000,
    }


@pytest.mark.clause("PA-521.7(c)")
def test_it_flags_a_wager_outside_the_limits_and_settles_it_in_full(scene):
    scene.play((1, "big", 900), (2, "big", 100_100), (3, "big", 1_000), (4, "big", 100_000), dice=[2, 5, 5])
    flags = dict(Wager.objects.values_list("seat", "flag"))
    assert flags == {1: "under-min", 2: "over-max", 3: "", 4: ""}
    assert dict(Settlement.objects.values_list("wager__seat", "paid_cents")) == {
        1: 900,
        2: 100_100,
        3: 1_000,
        4: 100_000,
    }
    shown = {seat["seat"]: seat["flags"] for seat in scene.snapshot["round"]["seats"] if seat["flags"]}
    assert shown == {1: ["$9 is under $10"], 2: ["$1,001 is over $1,000"]}


@pytest.mark.clause("PA-521.7(a)")
@pytest.mark.parametrize(
    ("limits", "guard"),
    [
        ({"min_cents": 0}, "table_has_a_minimum_and_a_maximum"),
        ({"min_cents": 5_000, "max_cents": 4_999}, "table_has_a_minimum_and_a_maximum"),
        ({"min_cents": None}, "min_cents"),
        ({"max_cents": None}, "max_cents"),
    ],
)
def test_a_table_has_a_minimum_and_a_maximum(scene, limits, guard):
    with pytest.raises(IntegrityError, match=guard), transaction.atomic():
        Table.objects.filter(pk=scene.table.pk).update(**limits)


@pytest.mark.clause("PA-521.7(a)")
def test_a_table_opens_with_the_minimum_and_maximum_that_the_house_set_and_states_them():
    scene = make_scene(opened=False)
    limits = {"min_cents": 2_500, "max_cents": 250_000}
    with pytest.raises(IntegrityError, match="table_has_a_minimum_and_a_maximum"), transaction.atomic():
        made(scene, "T-08", min_cents=2_500, max_cents=2_400)
    made(scene, "T-09", **limits)
    body = json.loads(bytes(Entry.objects.get(stream__name="larkfield/T-09", type="table.made").body))
    assert {name: body["data"][name] for name in limits} == limits
    scene.staff()
    scene.inspect()
    scene.open()
    assert {name: scene.entry["data"][name] for name in limits} == {"min_cents": 1_000, "max_cents": 100_000}
    scene.place((1, "small", 900), (2, "big", 1_000), (3, "small", 100_100))
    flags = {seat["seat"]: seat["flags"] for seat in scene.snapshot["round"]["seats"] if seat["flags"]}
    assert flags == {1: ["$9 is under $10"], 3: ["$1,001 is over $1,000"]}


def made(scene, code, **limits):
    """Another table in the same pit, with these limits."""
    return make_table(
        scene.table.facility,
        code=code,
        pit=scene.table.pit,
        submission="RS-0009",
        kind="live",
        seats=8,
        **limits,
    )


@pytest.mark.clause("PA-521.7(d)")
def test_it_refuses_a_stake_that_would_win_a_fraction_of_a_cent():
    scene = make_scene("pa-539", **{"total:9": "13 to 2"})
    with scene.refused("fraction-of-a-cent", "58 Pa. Code § 521.7(d)"):
        scene.place((1, "total:9", 2_501))
    with scene.refused("payout-not-in-chips", "58 Pa. Code § 521.7(d)") as refusal:
        scene.place((1, "total:9", 2_500))  # $162.50
    assert refusal.value.params["stakes"] == "$24 or $26"
    scene.play((1, "total:9", 2_600), dice=[3, 3, 3])
    assert scene.settled == [(1, "total:9", "win", 16_900, 2_600)]


@pytest.mark.parametrize("cents", [-1, 10**12 + 1, 2**60, 2_500.0, "2500", True, None])
def test_it_refuses_an_amount_that_is_no_amount(scene, cents):
    with scene.refused("malformed"):
        scene.place((1, "small", cents))
