"""Roles × acts: every act of the road, asked by everybody in the cast, at every device."""

import uuid

import pytest

from audit.devices import enroll
from games.engine import Refusal
from tables.core.permissions import Forbidden
from tables.runner import table
from tests.tables.cast import ROLES, make_scene
from tests.tables.house import hire

pytestmark = pytest.mark.django_db

DEALERS = {"dealer", "relief"}
FLOOR = {"floorperson", "casino-supervisor", "pit-manager", "shift-manager"}
BOTH = DEALERS | FLOOR
DICE_KEEPERS = FLOOR - {"floorperson"}
STAFFERS = {"pit-manager", "shift-manager"}
WITHOUT_A_POST = {"take_over_table", "leave_table", "file_slip", "settle_slip"}
UNASSIGNED = {"stranger", "other-floorperson"}
# Written down a second time, apart from the decorators (docs/snapshot.md).
WHO_MAY = {
    "inspect_table": BOTH,
    "open_table": BOTH,
    "close_table": BOTH,
    "issue_dice": DICE_KEEPERS,
    "return_dice": DICE_KEEPERS,
    "unlock_shaker": BOTH,
    "examine_dice": FLOOR,
    "return_shaker": FLOOR,
    "change_dice_lot": BOTH,
    "replace_shaker": BOTH,
    "withdraw_dice": BOTH,
    "place_wagers": BOTH,
    "no_more_bets": BOTH,
    "shake": BOTH,
    "call_dice": BOTH,
    "draw_dice": BOTH,
    "call_no_roll": BOTH,
    "void_round": BOTH,
    "take_losers": BOTH,
    "pay_seats": BOTH,
    "clear_layout": BOTH,
    "settle_seats": BOTH,
    "seat_player": BOTH,
    "free_seat": BOTH,
    "lock_out_extra_rolls": BOTH,
    "collect_fees": BOTH,
    "move_dice": BOTH,
    "gather_loose_dice": BOTH,
    "offer_dice": BOTH,
    "throw_dice": BOTH,
    "correct_dice": BOTH,
    "record_missed_wager": BOTH,
    "strike_mistaken_wager": BOTH,
    "report_device_failure": BOTH,
    "record_repair": BOTH,
    "record_hand_settled_round": FLOOR,
    "acknowledge_alert": FLOOR,
    "report_dispute": BOTH,
    "take_over_table": DEALERS,
    "leave_table": DEALERS,
    "take_supervision": FLOOR,
    "assign_floorperson": STAFFERS,
    "change_limits": FLOOR,
    "log_device_incident": FLOOR,
    "cancel_limits_change": FLOOR,
    "post_limits_sign": BOTH,
    "announce_limits": BOTH,
    "players_left": BOTH,
    "file_slip": BOTH,
    "settle_slip": BOTH,
}
TAKES_A_WITNESS = {
    "inspect_table",
    "open_table",
    "close_table",
    "issue_dice",
    "return_dice",
    "unlock_shaker",
    "withdraw_dice",
    "replace_shaker",
    "change_dice_lot",
    "offer_dice",
    "throw_dice",
    "draw_dice",
    "call_dice",
    "call_no_roll",
    "settle_seats",
    "void_round",
    "correct_dice",
    "record_missed_wager",
    "strike_mistaken_wager",
    "report_device_failure",
    "record_repair",
    "file_slip",
    "settle_slip",
}


def test_every_act_is_in_the_matrix():
    assert set(WHO_MAY) == set(table.ACTS)
    assert {name for name, act in table.ACTS.items() if act.witness} == TAKES_A_WITNESS


def may(scene, act, by, **how) -> str | None:
    """The code by which the road forbids the act, or None where it goes on to ask the rules."""
    with scene.tried():
        try:
            scene.act(act, by=by, **how)
        except Forbidden as refusal:
            assert not refusal.section
            return refusal.code
        except Refusal:
            return None
    return None


@pytest.mark.parametrize("act", WHO_MAY)
def test_the_road_lets_in_whom_the_act_declares_and_nobody_else(scene, act):
    before = scene.version
    for by, (role, _, _) in ROLES.items():
        allowed = by in WHO_MAY[act]
        declared = role in table.ACTS[act].roles
        expected = None if allowed else "not-assigned" if declared and by in UNASSIGNED else "role-may-not"
        if allowed and by == "relief" and act not in WITHOUT_A_POST:
            expected = "at-no-post"
        assert may(scene, act, by) == expected, by
    assert scene.version == before


@pytest.mark.parametrize("act", WHO_MAY)
def test_a_device_of_another_place_serves_nobody_here(scene, act):
    by = next(who for who in ("floorperson", "pit-manager", "dealer") if who in WHO_MAY[act])
    other_table, _ = enroll("Tablet of T-02", "larkfield", "dealer", "larkfield/T-02")
    other_house, _ = enroll("Podium", "seabright", "podium")
    for device in (other_table, other_house):
        assert may(scene, act, by, device=device) == "device-of-another-table"
    assert may(scene, act, by, device=scene.podium) is None
    call = table.ActRequest("larkfield", "T-01", act, uuid.uuid4(), scene.version, {}, scene.people[by], None)
    with scene.refused("device-not-enrolled"):
        table.execute(call)


def test_an_assignment_that_has_ended_covers_nothing(scene):
    from audit import clock

    scene.people["dealer"].assignments.update(ended_at=clock.now())
    assert may(scene, "shake", "dealer") == "not-assigned"


def test_a_repeated_command_is_forbidden_to_whom_the_act_is(scene):
    command = uuid.uuid4()
    scene.place((1, "small", 2_500), command=command)
    with scene.refused("role-may-not"):
        scene.place((1, "small", 2_500), command=command, by="surveillance")


@pytest.mark.parametrize("device", ["tablet", "podium"])
@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-577"])
def test_a_dealer_at_no_post_of_the_table_deals_nothing_wherever_they_sign_in(rules, device):
    scene = make_scene(rules)
    hire(scene, ("spare", "dealer"))
    signed_in_at = scene.podium if device == "podium" else scene.tablet
    for act, params in (
        ("no_more_bets", {}),
        ("place_wagers", {"wagers": []}),
        ("call_dice", {"dice": [1, 1, 2]}),
    ):
        with pytest.raises(Forbidden, match="at-no-post"):
            scene.act(act, params, by="spare", device=signed_in_at)
