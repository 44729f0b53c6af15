"""What to change now: each proposal on exact numbers, and the page that lists them."""

import datetime as dt
from dataclasses import replace
from fractions import Fraction

import pytest

from audit import clock
from tables.advice import (
    Staked,
    TableHour,
    TrayHour,
    free_dealers,
    proposals,
    seats_of_last_hour,
    table_hours,
)
from tests.tables.cast import make_scene

NOW = dt.datetime(2026, 11, 20, 21, 42, tzinfo=dt.UTC)
EDGE = Fraction(1, 36)
# 40 rounds in 60 minutes with all of 8 seats; 100 wagers of $10 and 20 of $50 on Big: $55.55 expected
FULL = TableHour(
    "T-03", "sic-bo", 1_000, 50_000, 8, is_open=True, rounds=40, minutes=60, seat_rounds=320,
    stakes=(Staked(1_000, 100, EDGE), Staked(5_000, 20, EDGE)), dealers=("T. Okafor",),
)  # fmt: skip
EMPTY = replace(FULL, code="T-05", min_cents=2_500, seat_rounds=64, stakes=(Staked(2_500, 64, EDGE),))


def kinds(*tables, free=None):
    return [(proposal.kind, proposal.table) for proposal in proposals(tables, free or {}, NOW)]


def test_a_full_table_is_raised_to_the_minimum_that_gains_most_under_the_stated_assumption():
    (proposal,) = proposals([FULL], {}, NOW)
    # $25: of 100 wagers 75 stay, at $15 more; those of $50 stay as they are
    assert proposal.gain_cents == round(100 * EDGE * (Fraction(3, 4) * 2_500 - 1_000)) == 2_431
    assert (proposal.kind, proposal.min_cents, proposal.title) == ("raise", 2_500, "Raise T-03 to $25")
    assert (
        "100 % of its seats wagered in 60 min, 40 rounds. 100 of 120 wagers were under $25." in proposal.facts
    )
    half_observed = replace(FULL, minutes=30)
    assert proposals([half_observed], {}, NOW)[0].gain_cents == 4_861


@pytest.mark.parametrize(
    "calm",
    [
        replace(FULL, rounds=9, seat_rounds=72),
        replace(FULL, seat_rounds=200),
        replace(FULL, has_pending_limits=True),
        replace(FULL, stakes=(Staked(50_000, 120, EDGE),)),
        replace(FULL, max_cents=1_000),
    ],
)
def test_a_table_is_not_raised_without_a_full_known_hour_or_a_gain(calm):
    assert kinds(calm) == []


def test_a_fee_is_no_wager_and_what_the_limits_do_not_cover_does_not_rise():
    """100 circles of $10, each with an Extra Roll for $10, and 100 wagers of $1 on Millionaire Row."""
    circles, fees = Staked(1_000, 100, -EDGE), Staked(1_000, 100, Fraction(1), is_fee=True)
    row = Staked(100, 100, Fraction(3, 4), is_limited=False)
    (proposal,) = proposals([replace(FULL, stakes=(circles, fees, row))], {}, NOW)
    gain_of_each = Fraction(3, 4) * 2_500 - 1_000
    assert proposal.gain_cents == round(100 * (1 - EDGE) * gain_of_each) == 85_069
    assert "100 of 200 wagers were under $25. Now $1,047 an hour is expected." in proposal.facts


def test_a_nearly_empty_table_is_lowered_beside_a_full_one_or_closed_if_the_other_has_room():
    assert kinds(replace(FULL, stakes=()), replace(EMPTY, stakes=())) == [("lower", "T-05")]
    roomy = replace(FULL, seat_rounds=200, stakes=())
    (proposal,) = proposals([roomy, replace(EMPTY, seat_rounds=100)], {}, NOW)
    # 64 wagers of $25: $44.44 an hour, of which one in four is lost
    assert (proposal.kind, proposal.table, proposal.gain_cents) == ("close", "T-05", -1_111)
    assert "T-03 has room for them at $10. Closing it frees T. Okafor." in proposal.facts


def test_a_table_is_opened_only_if_all_are_full_one_is_ready_and_a_dealer_is_free():
    ready = TableHour("T-06", "sic-bo", 1_000, 50_000, 8, is_open=False, lot="L-0029", is_ready=True)
    full = replace(FULL, stakes=(Staked(50_000, 36, EDGE),))
    (proposal,) = proposals([full, ready], {"sic-bo": ["C. Ruiz"]}, NOW)
    # $500 expected an hour at 8 seats: four new seats bring half of it
    assert (proposal.kind, proposal.table, proposal.gain_cents) == ("open", "T-06", 25_000)
    assert "C. Ruiz is free. L-0029 is in its shaker." in proposal.facts
    assert kinds(full, ready) == []
    assert kinds(replace(full, seat_rounds=200), ready, free={"sic-bo": ["C. Ruiz"]}) == []


def test_what_is_due_at_once_comes_before_money_and_what_is_due_within_the_hour_after_it():
    calm = replace(FULL, seat_rounds=200)
    late = replace(calm, break_due=NOW - dt.timedelta(minutes=2), relief="N. Lindt")
    soon = replace(calm, code="T-12", lot="L-0031", dice_until=NOW + dt.timedelta(minutes=41))
    later = replace(calm, code="T-13", break_due=NOW + dt.timedelta(minutes=61))
    full = replace(FULL, code="T-14")
    first, second, third = proposals([soon, late, later, full], {}, NOW)
    assert (first.kind, first.facts) == ("break", "The break was due 2 min ago. N. Lindt rested longest.")
    assert (second.kind, second.table) == ("raise", "T-14")
    assert third.facts == "L-0031 reaches its time in 41 min; no round begins with it after that."


def test_a_fill_is_due_at_half_of_the_par_or_when_the_last_hour_repeated_would_lead_there():
    """A par of $10,000. Of $7,000 in the tray $2,000 may leave, at $4,000 an hour."""
    calm = replace(FULL, seat_rounds=200)
    tray = TrayHour(
        700_000, 1_000_000, outflow_cents=400_000, order="50 of $25 and 100 of $5", order_cents=175_000
    )
    (fill,) = proposals([replace(calm, tray=tray)], {}, NOW)
    assert (fill.kind, fill.title, fill.due_at) == (
        "fill", "Order a fill for T-03: $1,750", NOW + dt.timedelta(minutes=30),
    )  # fmt: skip
    assert fill.facts == (
        "Its tray has $7,000 of a par of $10,000. $4,000 an hour left it by play and sales, so that it has half in "
        "30 min. To order, toward the par: 50 of $25 and 100 of $5."
    )
    low = replace(tray, now_cents=400_000, coming_cents=100_000, outflow_cents=-1)
    (due,) = proposals([replace(calm, tray=low)], {}, NOW)
    assert due.due_at == NOW
    assert "$4,000 of a par of $10,000, $1,000 is under way. To order, toward the par: " in due.facts
    for enough in (
        replace(tray, outflow_cents=199_999),
        replace(low, coming_cents=100_100),
        replace(low, order=""),
    ):
        assert kinds(replace(calm, tray=enough)) == []
    assert kinds(replace(calm, tray=low, is_open=False)) == []
    # The chips sold in the first minutes say nothing of an hour; a low tray is low at once.
    assert kinds(replace(calm, tray=tray, minutes=29)) == []
    assert kinds(replace(calm, tray=low, minutes=0)) == [("fill", "T-03")]


def test_half_an_hour_with_hardly_a_round_says_that_nobody_plays():
    idle = replace(EMPTY, rounds=0, seat_rounds=0, minutes=30, stakes=())
    roomy = replace(FULL, seat_rounds=200, stakes=())
    (close,) = proposals([roomy, idle], {}, NOW)
    assert (close.kind, close.table, close.gain_cents) == ("close", "T-05", 0)
    assert (
        close.facts
        == "No settled round had a wager in 30 min; T-03 has room at $10. Closing it frees T. Okafor."
    )
    assert kinds(replace(FULL, stakes=()), idle) == [("lower", "T-05")]
    assert kinds(roomy, replace(idle, minutes=29)) == []
    assert kinds(roomy, replace(idle, has_wagers_now=True)) == []
    # Nine rounds with every seat say neither that nobody plays nor that the table is full.
    few_rounds = replace(FULL, rounds=9, seat_rounds=72)
    ready = TableHour("T-06", "sic-bo", 1_000, 50_000, 8, is_open=False, lot="L-0029", is_ready=True)
    assert kinds(few_rounds, ready, free={"sic-bo": ["C. Ruiz"]}) == []
    assert kinds(few_rounds, idle) == []


def test_a_table_well_below_its_target_pace_is_quickened_by_what_the_missing_rounds_would_earn():
    slow = replace(FULL, seat_rounds=200, target_pace=51)  # 40 rounds an hour, under four fifths of it
    (proposal,) = proposals([slow], {}, NOW)
    assert (proposal.kind, proposal.title, proposal.gain_cents) == (
        "pace",
        "Quicken T-03",
        round(5_555 * 11 / 40),
    )
    assert proposal.facts == (
        "40 settled rounds an hour in 60 min, the casino's target is 51. 63 % of its seats wagered. "
        "T. Okafor deals there now."
    )
    assert kinds(replace(slow, target_pace=50)) == []
    assert kinds(replace(slow, target_pace=None)) == []
    assert (
        kinds(replace(slow, rounds=10, seat_rounds=50, minutes=29)) == []
    )  # 21 an hour, in too short a time
    assert kinds(replace(slow, rounds=0, seat_rounds=0)) == []  # nobody plays
    assert (
        kinds(replace(slow, seat_rounds=160)) == []
    )  # half of the seats: the players are missing, not the rounds
    assert kinds(replace(slow, rounds=9, seat_rounds=60)) == [("pace", "T-03")]  # nine rounds in an hour
    assert kinds(replace(slow, is_open=False)) == []


@pytest.mark.django_db
def test_the_last_hour_of_a_table_is_read_from_its_rounds(scene):
    facility = scene.table.facility
    facility.target_paces = {"sic-bo": 45}
    facility.save()
    for _ in range(2):
        scene.play((1, "small", 2_500), (1, "big", 2_500), (4, "big", 10_000), dice=[2, 5, 5])
        scene.finish()
    (hour,) = table_hours(facility, clock.now())
    assert (hour.rounds, hour.seat_rounds, hour.is_open, hour.target_pace) == (2, 4, True, 45)
    assert hour.occupancy == Fraction(4, 2 * scene.table.seats)
    assert sorted(hour.stakes, key=lambda stake: (stake.cents, stake.count)) == [
        Staked(2_500, 2, EDGE),
        Staked(2_500, 2, EDGE),
        Staked(10_000, 2, EDGE),
    ]
    (seats,) = seats_of_last_hour(facility, clock.now())
    assert (seats.occupancy, seats.is_open) == (hour.occupancy, True)
    browser = scene.browser(scene.tokens["podium"], "floorperson")
    assert browser.get("/floor/larkfield/advice/occupancy").json()["tables"] == {
        "T-01": {"text": "25 %", "level": "empty"}
    }
    assert table_hours(facility, clock.now() + dt.timedelta(minutes=61))[0].rounds == 0
    assert free_dealers(facility, [replace(hour, is_ready=True)], clock.now()) == {"sic-bo": ["Relief"]}


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_seat_with_an_extra_roll_has_the_odds_of_two_throws_and_its_fee(hands):
    scene = make_scene("pa-675a", payout_limit_cents=5_006_000)
    bought = [(2, "pip:5", 2_500), (2, "like-kind:4", 2_500), (2, "extra-roll", 2_500)]
    plain = [(5, "pip:5", 2_500), (5, "like-kind:4", 2_500), (5, "millionaire:9", 100)]
    scene.place(*bought, *plain)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [5, 5, 5, 5, 1, 1, 6, 6, 6, 4]})
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 2, 3, 4, 6, 6]})
    scene.finish()
    (hour,) = table_hours(scene.table.facility, clock.now())
    pip, circle = Fraction(1_693_511, 10_077_696), Fraction(79_577, 209_952)
    circle_of_two_throws = Fraction(-2_049_657_089, 29_386_561_536)
    assert sorted(hour.stakes, key=lambda stake: (stake.cents, stake.advantage)) == [
        Staked(100, 1, Fraction(1_262_941, 1_679_616), is_limited=False),
        Staked(2_500, 1, circle_of_two_throws),
        Staked(2_500, 1, pip),
        Staked(2_500, 1, pip),
        Staked(2_500, 1, circle),
        Staked(2_500, 1, Fraction(1), is_fee=True),
    ]


@pytest.mark.django_db
def test_the_page_says_what_is_due_and_that_nothing_changes_by_itself(scene):
    browser = scene.browser(scene.tokens["podium"], "floorperson")
    page = browser.get("/floor/larkfield/advice/").content.decode()
    assert "Nothing here changes by itself." in page and "0 of 1 open tables" in page
    assert "/floor/larkfield/advice/" in browser.get("/floor/larkfield/").content.decode()
