"""Corrections in each phase of a round of High Roll Dice: every wager settles exactly once."""

import pytest

from tables.models import Settlement
from tests.tables.cast import make_scene
from tests.tables.test_high_roll_table import BOUGHT, FOUR_FIVES, to_the_extra_throw

pytestmark = pytest.mark.django_db


@pytest.fixture
def table():
    return make_scene("pa-675a")


def rows_of(table):
    """Each wager of the last round by its last settlement: seat, code, outcome, paid cents."""
    newest = {}
    for one in Settlement.objects.select_related("wager").order_by(
        "throw__number", "throw__revision", "place"
    ):
        newest[one.wager_id] = (one.wager.seat, one.wager.code, one.outcome, one.paid_cents)
    struck = set(table.last_round.wagers.filter(struck=True).values_list("pk", flat=True))
    return sorted(row for pk, row in newest.items() if pk not in struck)


def test_wagers_corrected_before_the_dice_are_moved_settle_with_the_others(table):
    table.place((1, "pip:5", 2_500), (1, "pip:1", 2_500), (2, "pip:5", 1_000))
    table.to_the_dice()
    table.act("call_dice", {"dice": FOUR_FIVES})
    mistake = {"seat": 1, "wager": "pip:1", "reason": "never lay there"}
    table.act("strike_mistaken_wager", mistake, witness="floorperson")
    mistake = {"seat": 3, "wager": "pip:5", "cents": 5_000, "reason": "overlooked"}
    table.act("record_missed_wager", mistake, witness="floorperson")
    assert table.round.phase == "called"
    table.finish()
    assert rows_of(table) == [
        (1, "pip:5", "win", 10_000),
        (2, "pip:5", "win", 4_000),
        (3, "pip:5", "win", 20_000),
    ]
    assert (table.last_round.taken_cents, table.last_round.paid_cents) == (0, 34_000)
    assert table.entry["data"]["paid_cents"] == 34_000


@pytest.mark.parametrize("acts", [[], ["lock_out_extra_rolls"]])
def test_a_round_whose_only_extra_roll_is_struck_goes_on_to_the_shake(table, acts):
    table.place(*BOUGHT)
    for act in ["no_more_bets", *acts]:
        table.act(act)
    struck = {"seat": 2, "wager": "extra-roll", "reason": "never bought"}
    table.act("strike_mistaken_wager", struck, witness="floorperson")
    assert (table.round.phase, table.snapshot["next"]["act"]) == ("closed", "shake")


def test_an_extra_roll_found_on_its_sensor_is_still_locked_out_and_collected(table):
    table.place((2, "pip:5", 2_500), (2, "like-kind:5", 2_500))
    table.act("no_more_bets")
    missed = {"seat": 2, "wager": "extra-roll", "cents": 2_500, "reason": "on the sensor"}
    table.act("record_missed_wager", missed, witness="floorperson")
    assert table.snapshot["next"]["act"] == "lock_out_extra_rolls"


def test_what_a_voided_round_had_paid_counts_nothing_in_the_win_of_the_day(table):
    """It is *Won in void rounds*, which the figures and the tray name (docs/figures.md)."""
    to_the_extra_throw(table, (2, "pip:5", 2_500), (2, "like-kind:5", 2_500), (2, "extra-roll", 2_500))
    table.act("void_round", {"reason": "dispute"}, witness="pit-manager")
    figures = table.snapshot["figures"]
    assert (figures["rounds"], figures["win_cents"], figures["win_line_cents"]) == (0, 0, [0])
