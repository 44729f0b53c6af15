"""Thieves who add to a round once its dice are known, or write a whole round: what stops them, and who is told.

Each test is one story: what the thief does, what stops him, who is told. The tray of every table is kept, so that what
leaves it is seen. A "watched PIN" is a PIN that the thief has seen somebody enter.
"""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from games.facility_runner import Forbidden
from tables.cases.exceptions import KINDS, exceptions
from tables.core.reads import locked_table
from tables.corrections.record_checks import check_tray_corrections
from tables.models import Alert, Slip
from tables.money.inventory import exact_cents
from tables.money.keeping import change_keeping
from tables.replay.play_tables import differences_of
from tables.runner.system import system_context
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import entry, file, review, settle

pytestmark = pytest.mark.django_db
AFTERDICE_TRAY = {"500": 300, "2500": 400, "10000": 200, "100000": 10}  # $41,500
AFTERDICE_TRAY_CENTS = 4_150_000
AFTERDICE_GAIN = [6, 6, 2]  # at football, a gain
TWO_FIVES = [2, 5, 5]  # Big wins, Small loses, total 12 pays 6 to 1


def afterdice_scene(rules: str = "pa-625a/A", **how: Any) -> Scene:
    """An open table of a casino that keeps inventories, after an opener of $41,500."""
    scene = make_scene(rules, opened=False, **how)
    change_keeping(scene.fresh.facility, True)
    scene.staff()
    scene.act("count_opener", {"chips": AFTERDICE_TRAY}, witness="floorperson")
    box = {"by": "security", "witness": "floorperson", "device": scene.podium}
    scene.act("put_on_drop_box", {"box": "B-17"}, **box)
    scene.inspect()
    scene.open()
    return scene


def afterdice_alerts(*kinds: str) -> list[dict[str, Any]]:
    """The params of the open alerts of these kinds, oldest first."""
    return list(
        Alert.objects.filter(kind__in=kinds, ended_at=None).order_by("pk").values_list("params", flat=True)
    )


def afterdice_kinds() -> set[str]:
    return set(Alert.objects.filter(ended_at=None).values_list("kind", flat=True))


def afterdice_missed(
    scene: Scene, seat: int, wager: str, cents: int, witness: str | None = "floorperson", **how: Any
):
    params = {"seat": seat, "wager": wager, "cents": cents, "reason": "under a hand", **how.pop("more", {})}
    return scene.act("record_missed_wager", params, witness=witness, **how)


def afterdice_hand_settled(scene: Scene, *wagers: tuple[int, str, int], dice: Any = TWO_FIVES, **how: Any):
    lines = [{"seat": seat, "wager": wager, "cents": cents} for seat, wager, cents in wagers]
    params = {"dice": dice, "wagers": lines, "reason": "tablet dead"}
    return scene.act("record_hand_settled_round", params, **{"witness": "floorperson", **how})


def afterdice_verified(scene: Scene) -> None:
    """The record, its rows and the tray agree to the cent, and the entries settle again by their terms."""
    assert list(check_tray_corrections(lambda: None)) == []
    assert list(differences_of(scene.fresh)) == []
    out = io.StringIO()
    call_command("readjudicate", "--json", stdout=out)
    assert json.loads(out.getvalue().splitlines()[-1])["differences"] == 0


# A whole round, written by one person


def test_a_pit_manager_alone_writes_no_winning_round():
    """A pit manager alone recorded $100 at 180 to 1, and the tray fell by $18,000. Dealer and floor sign."""
    scene = afterdice_scene()
    scene.act("report_device_failure", {"what": "device"})
    for by, witness in (
        ("pit-manager", None),
        ("pit-manager", "floorperson"),
        ("floorperson", None),
        ("dealer", None),
    ):
        with scene.refused("hand-settled-needs-two"):
            afterdice_hand_settled(scene, (1, "total:4", 10_000), dice=[1, 1, 2], by=by, witness=witness)
    with scene.refused("hand-settled-needs-two"):
        afterdice_hand_settled(scene, (1, "total:4", 10_000), dice=[1, 1, 2], witness="relief")
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS


def test_no_round_is_written_without_a_failure_and_one_failure_has_one_round():
    """Dealer and floor invent rounds while the device works, or several for one failure, or after its repair."""
    scene = afterdice_scene()
    with scene.refused("no-failure-on-record"):
        afterdice_hand_settled(scene, (2, "big", 5_000))
    scene.act("report_device_failure", {"what": "device"})
    afterdice_hand_settled(scene, (2, "big", 5_000))
    with scene.refused("failure-has-its-round"):
        afterdice_hand_settled(scene, (2, "big", 5_000))
    scene.act(
        "report_device_failure", {"what": "layout"}
    )  # another failure, and gaming has not resumed since
    with scene.refused("failure-has-its-round"):
        afterdice_hand_settled(scene, (2, "big", 5_000))
    scene.repair()
    with scene.refused("no-failure-on-record"):
        afterdice_hand_settled(scene, (2, "big", 5_000))
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS - 5_000


def test_a_round_in_play_is_never_replaced_by_one_on_paper():
    """Dealer and floor replaced the losing wagers of a live round with winning ones."""
    scene = afterdice_scene()
    scene.place((1, "small", 50_000))
    with scene.refused("round-is-live"):
        afterdice_hand_settled(scene, (1, "big", 50_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": TWO_FIVES})
    with scene.refused("dice-entered-already"):
        afterdice_hand_settled(scene, (1, "big", 50_000))
    scene.act("report_device_failure", {"what": "device"}, witness="floorperson")
    with scene.refused("dice-entered-already"):
        afterdice_hand_settled(scene, (1, "big", 50_000))


def test_a_large_round_on_paper_is_paid_only_after_its_review_and_surveillance_is_told():
    """Dealer and floor together report a failure and record $100 at 60 to 1. Its $6,000 wait for surveillance."""
    scene = afterdice_scene()
    scene.act("report_device_failure", {"what": "device"})
    afterdice_hand_settled(scene, (4, "total:4", 10_000), (5, "big", 2_500), dice=[1, 1, 2])
    slip = Slip.objects.get()
    won = scene.last_round.paid_cents
    assert (slip.kind, slip.review_comes_first, slip.due) == ("payment", True, [{"seat": 4, "cents": won}])
    assert (slip.filed_by.code, slip.filed_with.code) == ("dealer", "floorperson")
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500
    assert {"hand-settled", "slip-review"} <= afterdice_kinds()
    told = afterdice_alerts("hand-settled")[0]
    assert (told["person"], told["signed_with"], told["cents"], told["held"]) == (
        scene.people["dealer"].name, scene.people["floorperson"].name, won - 2_500, True,
    )  # fmt: skip
    with scene.refused("slip-review-first"):
        settle(scene, (4, won))
    review(scene)
    settle(scene, (4, won))
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500 - won
    afterdice_verified(scene)


def test_small_rounds_on_paper_stand_among_the_exceptions_of_both_who_signed():
    """Dealer and floor keep each round on paper just under the sum. Both have a line with a rate of its own."""
    scene = afterdice_scene()
    scene.act("report_device_failure", {"what": "device"})
    afterdice_hand_settled(scene, (2, "big", 90_000))
    assert Slip.objects.count() == 0 and "hand-settled" in afterdice_kinds()
    table = scene.fresh
    counted = exceptions(table.facility, scene.last_round.gaming_day, 4)
    place = list(KINDS).index("by_hand")
    rows = {row.label: row.cells[place].count for row in counted.rows("dealer")}
    assert rows == {scene.people["dealer"].name: 1, scene.people["floorperson"].name: 1}
    assert [row.cells[place].count for row in counted.rows("table")] == [1]


# A late wager


def test_a_late_wager_of_ten_thousand_at_a_hundred_and_fifty_is_held_back():
    """With a watched PIN a dealer adds $10,000 at 150 to 1 once the dice lie there. He hands over nothing of it.

    The alert about the maximum comes at once. The floorperson whose PIN it was reads at the podium what they are said
    to have signed, and so does surveillance.
    """
    scene = afterdice_scene()
    scene.play((1, "big", 2_500), dice=[1, 1, 1])
    said = json.dumps({"seat": 3, "wager": "three-of-a-kind:1", "cents": 1_000_000})
    query = {"act": "record_missed_wager", "params": said}
    preview = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/correction", query)
    assert "Nothing of it is paid before its review." in preview.content.decode()
    afterdice_missed(scene, 3, "three-of-a-kind:1", 1_000_000)
    won = scene.round.paid_cents
    assert won >= 150_000_000
    assert {"over-max", "held-after-dice"} <= afterdice_kinds()
    told = afterdice_alerts("held-after-dice")[0]
    assert (told["person"], told["signed_with"], told["act"], told["seats"], told["cents"]) == (
        scene.people["dealer"].name, scene.people["floorperson"].name, "record_missed_wager", [3], won,
    )  # fmt: skip
    shown = scene.snapshot["round"]
    assert shown["held"] == [{"seat": 3, "cents": won, "stake_cents": 0}]
    assert [(seat["seat"], seat["cents"]) for seat in shown["pay"]["seats"]] == [(3, 0)]
    scene.finish()
    slip = Slip.objects.get()
    assert (slip.due, slip.review_comes_first) == ([{"seat": 3, "cents": won}], True)
    assert (slip.filed_by.code, slip.filed_with.code) == ("dealer", "floorperson")
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500
    with scene.refused("slip-review-first"):
        settle(scene, (3, won))
    review(scene, differs=True, reason="no such wager on camera 12")
    with scene.refused("slip-review-differs"):
        settle(scene, (3, won))
    afterdice_verified(scene)


def test_a_billion_on_the_layout_is_a_typing_error():
    """$1,000,000,000 at 24 to 1 is more than all chips of the casino: before the dice, after them, and on a slip."""
    scene = afterdice_scene()
    with scene.refused("more-than-the-house-has"):
        scene.place((1, "big", 100_000_000_000))
    scene.play((1, "big", 2_500), dice=[1, 1, 1])
    with scene.refused("more-than-the-house-has"):
        afterdice_missed(scene, 3, "any-three-of-a-kind", 100_000_000_000)
    scene.finish()
    wagers = [{"seat": 3, "wager": "any-three-of-a-kind", "cents": 100_000_000_000}]
    with pytest.raises(Exception, match="more-than-the-house-has"):
        file(scene, "wager", wagers=wagers)


def test_what_was_accepted_is_paid_after_its_review_whatever_its_size():
    """§ 521.7(c): a real wager over the maximum that the dealer had not entered is reviewed, and then paid."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 400_000)
    scene.finish()
    review(scene)
    settle(scene, (3, 400_000))
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500 - 400_000
    afterdice_verified(scene)


def test_four_small_late_wagers_in_a_round_add_up():
    """$300 at a time stays under the sum each. From the fourth on the round's raises are held, all of them."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    for seat in (2, 3, 4):
        afterdice_missed(scene, seat, "big", 30_000)
        assert scene.snapshot["round"]["held"] == []
    afterdice_missed(scene, 5, "big", 30_000)
    assert [amount["seat"] for amount in scene.snapshot["round"]["held"]] == [2, 3, 4, 5]
    assert len(afterdice_alerts("raised-after-dice")) == 3 and len(afterdice_alerts("held-after-dice")) == 1
    scene.finish()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500
    afterdice_verified(scene)


def test_corrected_dice_pay_only_after_their_review():
    """Dealer and floor "correct" the dice for a player who lost $5,000. Stake and winnings wait for surveillance."""
    scene = afterdice_scene()
    scene.play((1, "small", 500_000), (2, "big", 10_000), dice=TWO_FIVES)
    scene.act("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}, witness="floorperson")
    assert scene.snapshot["round"]["held"] == [{"seat": 1, "cents": 1_000_000, "stake_cents": 500_000}]
    scene.finish()
    assert Slip.objects.get().due == [{"seat": 1, "cents": 1_000_000}]
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 500_000 + 10_000
    afterdice_verified(scene)


def test_a_losing_wager_is_not_struck_once_the_dice_are_known():
    """Dealer and floor strike a friend's losing $5,000, or lower it to $10. A slip says where the chips are."""
    scene = afterdice_scene()
    scene.play((1, "small", 500_000), dice=TWO_FIVES)
    with scene.refused("correct-by-slip"):
        scene.act(
            "strike_mistaken_wager", {"seat": 1, "wager": "small", "reason": "mistake"}, witness="floorperson"
        )
    with scene.refused("correct-by-slip"):
        afterdice_missed(scene, 1, "small", 1_000)
    scene.finish()
    wrong = [{"seat": 1, "wager": "small", "cents": 0, "chips": "player"}]
    file(scene, "wager", wagers=wrong)
    assert Slip.objects.get().review_due_at is not None
    assert {"held-after-dice"} <= afterdice_kinds()


def test_a_moved_wager_is_a_struck_and_a_missed_one_and_both_count():
    """$600 moved from the losing to the winning side: $600 not taken and $600 paid come to more than the sum."""
    scene = afterdice_scene()
    scene.play((1, "small", 60_000), dice=TWO_FIVES)
    scene.act(
        "strike_mistaken_wager", {"seat": 1, "wager": "small", "reason": "on Big"}, witness="floorperson"
    )
    afterdice_missed(scene, 1, "big", 60_000)
    assert scene.snapshot["round"]["held"] == [{"seat": 1, "cents": 60_000, "stake_cents": 0}]


def test_nobody_raises_a_payout_alone():
    """A floorperson alone at the podium adds a winning wager after the dice; so does a dealer whom nobody signs."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    with scene.refused("raise-needs-two"):
        afterdice_missed(scene, 3, "big", 2_500, witness=None, by="floorperson", device=scene.podium)
    with scene.refused("floorperson-must-sign"):
        afterdice_missed(scene, 3, "big", 2_500, witness=None)
    with pytest.raises(Forbidden):
        afterdice_missed(scene, 3, "big", 2_500, by="surveillance")


def test_a_late_wager_at_football_is_held_back_when_later_dice_pay_it():
    """$2,000 on the touchdown are added after a good first play. What the last play pays on them waits."""
    scene = afterdice_scene("pa-577")
    scene.act("offer_dice", {"seat": 5, "accepted": True}, by="stickperson")
    scene.place((5, "touchdown", 500))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": AFTERDICE_GAIN}, by="stickperson")
    afterdice_missed(scene, 5, "touchdown", 200_500)
    assert (
        afterdice_alerts("raised-after-dice")[0]["cents"] == 0
    )  # nothing is paid on it yet, and both are told
    while (scene.round is not None and scene.round.phase != "lit") or not scene.round.raises:
        following = scene.round_part["next"]
        dice = {"dice": AFTERDICE_GAIN} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], dice, by="stickperson" if "dice" in dice else None)
    held = scene.snapshot["round"]["held"]
    assert [amount["seat"] for amount in held] == [5] and held[0]["cents"] >= 100_000
    scene.finish()
    slip = Slip.objects.get()
    assert (slip.due, slip.review_comes_first) == ([{"seat": 5, "cents": held[0]["cents"]}], True)
    assert (slip.filed_by.code, slip.filed_with.code) == ("dealer", "floorperson")
    afterdice_verified(scene)


def test_a_tray_below_zero_is_an_alert_until_it_holds_chips_again():
    """A tray cannot hold less than nothing: a record that says so is wrong, and somebody must look at once."""
    scene = afterdice_scene()
    scene.play((1, "big", 5_000_000), dice=TWO_FIVES)
    scene.finish()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS - 5_000_000
    assert afterdice_alerts("tray-below-zero") == [{"cents": 5_000_000 - AFTERDICE_TRAY_CENTS}]
    scene.play((1, "small", 1_000_000), dice=TWO_FIVES)
    scene.finish()
    assert afterdice_alerts("tray-below-zero") == []


def test_the_tray_is_exact_while_a_payout_is_held_back():
    """A count in the middle of the round finds what is held back in the tray."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 400_000)
    while scene.round.phase != "paid":
        following = scene.round_part["next"]
        scene.act(following["act"], following["params"])
    assert exact_cents(system_context(locked_table("larkfield", "T-01"))) == AFTERDICE_TRAY_CENTS + 2_500
    assert entry(scene, "winners.paid")[2]["data"]["held_cents"] == 400_000
