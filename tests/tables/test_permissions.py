"""Permission for an act: duty, post, second signature. Who may do which act: tests/test_rights.py."""

import uuid

import pytest

from games.engine import Refusal
from tables.core.duty import Forbidden
from tables.runner import table
from tests.tables.cast import make_scene
from tests.tables.house import hire

pytestmark = pytest.mark.django_db

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
    "record_hand_settled_round",
    "record_repair",
    "file_slip",
    "settle_slip",
    "relieve_dealer",
    *("change_limits", "cancel_limits_change"),  # a row of the policy may say that two people sign
    *("count_opener", "count_tray", "count_closer", "put_on_drop_box", "take_off_drop_box", "count_drop"),
    *("set_par", "sign_paper"),
    *("sign_to_carry", "hand_over_transfer", "receive_transfer", "report_count_difference", "void_transfer"),
}


def test_a_second_person_may_sign_these_acts_and_no_others():
    assert {name for name, act in table.ACTS.items() if act.witness} == TAKES_A_WITNESS


def may(scene, act, by, **how) -> str | None:
    """The code by which the runner forbids the act, or None where it goes on to ask the rules."""
    with scene.tried():
        try:
            scene.act(act, by=by, **how)
        except Forbidden as refusal:
            assert not refusal.section
            return refusal.code
        except Refusal:
            return None
    return None


def test_an_act_needs_an_enrolled_device(scene):
    call = table.ActRequest(
        "larkfield", "T-01", "shake", uuid.uuid4(), scene.version, {}, scene.people["dealer"], None
    )
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
