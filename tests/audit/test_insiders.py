"""What insiders tried, what stops them, and who is told: one story each."""

import contextlib
import dataclasses
import datetime as dt
import io
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import ProgrammingError
from django.test import Client
from django.utils import timezone

from audit import chain, clock, devices, export, people, record, registration, verification, verify
from audit.entries import PERSON_SIGNED_IN
from audit.exporting import bundle
from audit.management.commands import provision_roles
from audit.models import Checkpoint, Device, Entry, LegalHold, Lockout, Person, Stream
from audit.people_record_checks import check_people
from audit.refusals import LeaveHasBegun
from audit.sealing import keys
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.process import SealerSession
from audit.sealing.sealer import Sealer
from audit.sealing.status import health_problem
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.jurisdictions import jurisdiction
from games.models import ChangeNotice
from games.separation import policy
from tables.cases.case import open_found_cases
from tables.cases.exceptions import KINDS, exceptions
from tables.core.context import locked_table
from tables.corrections.slips import check_tray_corrections
from tables.figures.round_figures import figures_of_rating, sum_of_ratings
from tables.models import (
    Alert,
    Assignment,
    Case,
    ChipTransfer,
    Pit,
    Player,
    PlayerDetails,
    Rating,
    Round,
    Slip,
)
from tables.money.chips import change_keeping
from tables.money.tray import exact_cents
from tables.players.record_checks import check_players
from tables.replay.play_tables import differences_of
from tables.rounds.no_rolls import VOID_REASONS, end_reason_text
from tables.runner.table import system_context
from tables.screens import fragments
from tables.staffing.access_review import check_registrations
from tables.ticker import tick
from tables.words.sentences import act_line
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.conftest import Hands
from tests.tables.house import hire, make_house
from tests.tables.slip_scene import entry, file, review, settle
from tests.tables.test_money import FILL, OPENER, cage, count, fill, keep_inventory, newest, request
from tests.tables.test_money import findings as findings_of_money

from .gone_back import as_superuser
from .outsider import bad, check

pytestmark = pytest.mark.django_db


# Thieves who add to a round once its dice are known, or write a whole round: what stops them, and who is told. Each
# test is one story: what the thief does, what stops him, who is told. The tray of every table is kept, so that what
# leaves it is seen. A "watched PIN" is a PIN that the thief has seen somebody enter.


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


def insiders_two_tables(rules: str = "pa-625a/A") -> tuple[Scene, Scene]:
    """Two open tables of one casino: the dealer deals at T-01, and at T-02 the relief, who is the dealer there."""
    here, there = make_house(("T-01", rules, None), ("T-02", rules, None)).values()
    there = dataclasses.replace(there, people={**there.people, "dealer": there.people["relief"]})
    for scene in (here, there):
        scene.staff()
        scene.inspect()
        scene.open()
    return here, there


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


def test_the_failure_of_another_table_writes_no_round_here():
    """The device of T-02 fails. Dealer and floor of T-01, whose device works, record a winning round for it."""
    here, there = insiders_two_tables()
    there.act("report_device_failure", {"what": "device"})
    with here.refused("no-failure-on-record") as refusal:
        afterdice_hand_settled(here, (2, "big", 5_000))
    assert refusal.value.params["table"] == "T-01"
    assert Round.objects.count() == 0


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


def test_a_wager_over_the_maximum_on_paper_is_an_alert_like_any_other():
    """Dealer and floor let a friend lose $1,500 on paper, at a maximum of $1,000, before the wager that is to win."""
    scene = afterdice_scene()
    scene.act("report_device_failure", {"what": "device"})
    afterdice_hand_settled(scene, (2, "small", 150_000))
    told = afterdice_alerts("over-max")
    assert [(alert["seat"], alert["wager"], alert["cents"]) for alert in told] == [(2, "small", 150_000)]


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
    screens = {name: str(fragments.render(name, scene.snapshot)) for name in ("table", "dealer")}
    assert ["after the dice" in screens[name] for name in ("table", "dealer")] == [True, False]
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
    """$1,000,000,000 is more than all chips of the casino: before the dice, after them, on a slip, and on paper."""
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
    scene.act("report_device_failure", {"what": "device"})
    with scene.refused("more-than-the-house-has"):
        afterdice_hand_settled(scene, (1, "big", 100_000_000_000))


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


def test_nobody_corrects_the_dice_alone_where_that_pays_more():
    """A floorperson alone at the podium "corrects" the dice, so that $25 on Small win. Two sign, and both are told.

    Dice that pay less are corrected by the floor alone: nobody gains.
    """
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    alone = {"by": "floorperson", "device": scene.podium}
    winning = {"dice": [1, 1, 2], "reason": "misread"}
    with scene.refused("raise-needs-two"):
        scene.act("correct_dice", winning, **alone)
    scene.act("correct_dice", winning, witness="dealer", **alone)
    told = afterdice_alerts("raised-after-dice")
    assert [(alert["person"], alert["signed_with"], alert["act"], alert["cents"]) for alert in told] == [
        (scene.people["floorperson"].name, scene.people["dealer"].name, "correct_dice", 5_000)
    ]
    scene.act("correct_dice", {"dice": TWO_FIVES, "reason": "as called"}, **alone)
    scene.finish()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500
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


# Insiders and the money of the tables: split slips, guessed counts, unsigned credits, fills beyond the par. Each
# test is one story: what the thief does, what stops them, and who is told.


@pytest.fixture
def money_clock() -> Iterator[Hands]:
    """It is 10:00 in the casino until a story moves the hands."""
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands


def money_open_alerts() -> set[str]:
    return set(Alert.objects.filter(ended_at=None).values_list("key", flat=True))


# Slips below the sum of a first review


def money_round(scene: Scene, number: int = 1) -> None:
    """Seat 2 wins $900 on Big in the next round, seat 3 wins $900 too."""
    scene.play((2, "big", 90_000), (3, "big", 90_000), dice=[2, 5, 5])
    scene.finish()


def money_slip(scene: Scene, *, number: int = 1, seat: int = 2, **signers: str) -> Slip:
    """A slip that pays $840 to a seat: "only $60 of $900 were paid"."""
    payment = {"seat": seat, "paid_cents": 6_000, "taken_cents": 0}
    file(scene, "payment", number=number, payments=[payment], **signers)
    return Slip.objects.latest("pk")


def test_four_slips_of_840_dollars_for_one_round_and_seat_wait_for_a_review_from_the_second_on(money_clock):
    """A dealer and a floorperson pay an accomplice $840 four times, each slip below the $1,000 of a first review.

    The second slip comes to $1,680 with the first, so no money moves before surveillance has seen it, and so do the
    third and fourth, each with the first: what surveillance agreed to before it moved does not count again.
    Surveillance sees all four; the record has the sum.
    """
    scene = make_scene()
    money_round(scene)
    assert not money_slip(scene).review_comes_first
    settle(scene, (2, 84_000))
    for _ in range(3):
        slip = money_slip(scene)
        assert slip.review_comes_first
        assert entry(scene, "slip.filed")[2]["data"]["review"]["sum_cents"] == 168_000
        assert f"slip-review:{slip.code}" in money_open_alerts()
        with scene.refused("slip-review-first"):
            settle(scene, (2, 84_000), code=slip.code)
        review(scene, slip.code)
        settle(scene, (2, 84_000), code=slip.code)


def test_a_slip_that_only_waits_counts_too_and_another_seat_of_the_round_does_not_help(money_clock):
    """The thieves file for two rounds before either slip is paid, and for the other seat of a round: both wait."""
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1).review_comes_first
    assert money_slip(scene, number=2, seat=3).review_comes_first
    settle(scene, (2, 84_000))
    assert money_slip(scene, number=1, seat=3, by="relief", witness="pit-manager").review_comes_first


def test_the_slips_of_a_signer_add_up_within_an_hour_whoever_signs_beside_them(money_clock):
    """A floorperson signs a slip in each round, with another dealer each time. Within an hour the second one waits.

    After an hour the slips of the morning no longer count: what a signer moves without a review is less than $1,000 an
    hour.
    """
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1, seat=2).review_comes_first
    settle(scene, (2, 84_000), by="relief", witness="pit-manager")  # whoever settles has signed it too
    money_clock.now += dt.timedelta(minutes=20)
    assert money_slip(scene, number=2, seat=3, by="relief", witness="shift-manager").review_comes_first
    money_clock.now += dt.timedelta(minutes=61)
    assert not money_slip(scene, number=3, seat=3, by="dealer", witness="floorperson").review_comes_first


def test_a_seat_that_four_people_pay_is_one_seat(money_clock):
    """Two pairs who never sign together pay the same accomplice from two rounds. The seat is what they share."""
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1).review_comes_first
    settle(scene, (2, 84_000))
    assert money_slip(scene, number=2, by="relief", witness="pit-manager").review_comes_first


def test_a_round_stays_one_sum_hours_later_and_with_other_people(money_clock):
    """The thieves wait for two hours, and let two others sign for the other seat. The round is still the same."""
    scene = make_scene()
    money_round(scene)
    assert not money_slip(scene).review_comes_first
    settle(scene, (2, 84_000))
    money_clock.now += dt.timedelta(hours=2)
    assert money_slip(scene, seat=3, by="relief", witness="pit-manager").review_comes_first


def test_a_slip_of_which_nothing_moved_does_not_count(money_clock):
    """Surveillance differed and the slip was settled with $0: the next honest slip is not made to wait by it."""
    scene = make_scene()
    money_round(scene)
    slip = money_slip(scene)
    review(scene, slip.code, differs=True, reason="camera 12 shows $900")
    money_round(scene)
    assert not money_slip(scene, number=2).review_comes_first
    settle(scene, (2, 0), reason="the review differs")
    assert not money_slip(scene, number=1, seat=3, by="relief", witness="pit-manager").review_comes_first
    settle(scene, (2, 84_000), code="ENS-0002")
    assert money_slip(scene, number=2, seat=3).review_comes_first


# Slips that take chips out of the tray before anybody has reviewed them, or give up what was held back


def slips_held(scene: Scene) -> None:
    """A round in which $4,000 at 1 to 1 were added for seat 3 once the dice were known, and are held back."""
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 400_000)
    scene.finish()


def slips_payment(scene: Scene, seat: int, paid_cents: int, **how: Any) -> Slip:
    """A slip that says what a seat was paid in all; nothing was taken from it."""
    file(scene, "payment", payments=[{"seat": seat, "paid_cents": paid_cents, "taken_cents": 0}], **how)
    return Slip.objects.latest("pk")


def test_held_money_is_not_given_up_before_its_review_and_its_alert_stays():
    """Dealer and floor settle the held $4,000 with $0, so that the alert ends, and say then that it was handed over."""
    scene = afterdice_scene()
    slips_held(scene)
    with scene.refused("slip-review-first"):
        settle(scene, (3, 0), reason="the player left")
    assert "slip-review" in afterdice_kinds()
    with scene.refused("slip-settle-first"):
        slips_payment(scene, 3, 399_900, corrects=1)
    review(scene, differs=True, reason="no such wager on camera 4")
    settle(scene, (3, 0), reason="the review differs")
    assert "slip-differs" in afterdice_kinds()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS


def test_a_slip_that_waits_for_its_review_is_not_ended_with_nothing():
    """Dealer and floor file that seat 1 was paid $0, and end the slip with $0 before surveillance has looked."""
    scene = afterdice_scene()
    scene.play((1, "big", 200_000), dice=TWO_FIVES)
    scene.finish()
    assert slips_payment(scene, 1, 0).review_comes_first
    with scene.refused("slip-review-first"):
        settle(scene, (1, 0), reason="the player left")
    assert {"slip-review"} == {kind for kind in afterdice_kinds() if kind.startswith("slip")}
    review(scene)
    settle(scene, (1, 0), reason="the player left")
    assert not {kind for kind in afterdice_kinds() if kind.startswith("slip")}


def test_a_payment_slip_states_an_amount_in_chips_that_the_casino_has():
    """A slip said that a seat was paid $10 billion, and another one $24.33: both are typing errors."""
    scene = afterdice_scene()
    scene.play((1, "big", 2_500), dice=TWO_FIVES)
    scene.finish()
    with scene.refused("more-than-the-house-has"):
        slips_payment(scene, 6, settings.HOUSE_CHIPS_CENTS + 100, corrects=1)
    with scene.refused("stake-not-in-chips"):
        slips_payment(scene, 1, 2_433, corrects=1)
    with scene.refused("stake-not-in-chips"):
        payments = [{"seat": 1, "paid_cents": 2_500, "taken_cents": 33}]
        file(scene, "payment", payments=payments, corrects=1)
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS - 2_500


def slips_gone(scene: Scene, cents: int, number: int = 1, seat: int = 1, **how: Any) -> Slip:
    """A slip about a recorded loser: "the player has the chips". Nothing is due by it."""
    wagers = [{"seat": seat, "wager": "small", "cents": 0, "chips": "player"}]
    file(scene, "wager", number=number, wagers=wagers, **how)
    slip = Slip.objects.latest("pk")
    assert (slip.due, slip.elsewhere_cents) == ([], -cents)
    return slip


def slips_exported(scene: Scene) -> None:
    """The record, the rows, and what an outsider settles again agree, the tray at a count included."""
    scene.act("count_tray", {"chips": AFTERDICE_TRAY}, witness="floorperson")
    afterdice_verified(scene)
    verify.verify(io.BytesIO(b"".join(export.lines(export.select([scene.fresh.stream.name])))))


def test_chips_that_a_large_slip_says_are_gone_stay_in_the_tray_until_its_review_agrees():
    """Dealer and floor take $29,975, file that seat 1 was overpaid by it, and would settle the slip with $0.

    The tray is still to hold the chips, so a count shows that they are missing. Surveillance is told, and decides.
    """
    scene = afterdice_scene()
    scene.play((1, "big", 2_500), dice=TWO_FIVES)
    scene.finish()
    held_cents = scene.fresh.tray_cents
    assert slips_payment(scene, 1, 3_000_000).review_comes_first
    with scene.refused("slip-review-first"):
        settle(scene, (1, 0), reason="the player left")
    assert scene.fresh.tray_cents == held_cents
    assert {"held-after-dice", "slip-review"} <= afterdice_kinds()
    slips_exported(scene)
    review(scene)
    settle(scene, (1, 0), reason="the player left")
    assert scene.fresh.tray_cents == held_cents - 2_997_500
    slips_exported(scene)


def test_chips_of_a_losing_wager_are_not_gone_on_the_word_of_two_and_a_later_slip_says_where_they_are():
    """ "The player has the chips" of $5,000. Surveillance sees them in the tray: they stay, by the next slip too."""
    scene = afterdice_scene()
    scene.play((1, "small", 500_000), dice=TWO_FIVES)
    scene.finish()
    held_cents = scene.fresh.tray_cents
    assert slips_gone(scene, 500_000).review_comes_first
    assert "slip-review" in afterdice_kinds()
    review(scene, differs=True, reason="the dealer took the chips")
    assert scene.fresh.tray_cents == held_cents
    file(scene, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 500_000, "chips": "house"}])
    slip = Slip.objects.latest("pk")
    assert (slip.due, slip.elsewhere_cents, slip.review_comes_first) == ([], 0, True)
    assert scene.fresh.tray_cents == held_cents
    slips_exported(scene)


def test_a_later_slip_takes_over_what_an_earlier_one_withholds_and_its_review_decides():
    """Two slips say that the chips of two wagers of one round are gone; the review of the first one moves nothing."""
    scene = afterdice_scene()
    scene.play((1, "small", 200_000), (2, "small", 200_000), dice=TWO_FIVES)
    scene.finish()
    held_cents = scene.fresh.tray_cents
    slips_gone(scene, 200_000)
    file(scene, "wager", wagers=[{"seat": 2, "wager": "small", "cents": 0, "chips": "player"}])
    assert Slip.objects.latest("pk").elsewhere_cents == -400_000
    review(scene)
    assert scene.fresh.tray_cents == held_cents
    slips_exported(scene)
    review(scene, "ENS-0002")
    assert scene.fresh.tray_cents == held_cents - 400_000
    slips_exported(scene)


def test_slips_about_chips_that_are_gone_add_up_like_money(money_clock):
    """$900 of a loser in each round are said to be gone: from the second on, surveillance comes before the tray.

    Another pair at another seat adds up with them, for it is the same tray; an hour later nobody does.
    """
    scene = afterdice_scene()
    for _ in range(4):
        scene.play((1, "small", 90_000), (2, "small", 90_000), dice=TWO_FIVES)
        scene.finish()
    assert not slips_gone(scene, 90_000).review_comes_first
    held_cents = scene.fresh.tray_cents
    assert slips_gone(scene, 90_000, 2).review_comes_first
    others = {"by": "relief", "witness": "pit-manager"}
    assert slips_gone(scene, 90_000, 3, 2, **others).review_comes_first
    assert scene.fresh.tray_cents == held_cents
    money_clock.now += dt.timedelta(minutes=61)
    assert not slips_gone(scene, 90_000, 4).review_comes_first
    slips_exported(scene)


def test_an_invented_overpayment_counts_although_nothing_of_it_is_paid_back(money_clock):
    """$900 too much, they say, and settle the slip with $0. The $900 have left the tray, so the next slip waits."""
    scene = afterdice_scene()
    for _ in range(2):
        scene.play((1, "big", 2_500), (2, "big", 2_500), dice=TWO_FIVES)
        scene.finish()
    assert not slips_payment(scene, 1, 92_500).review_comes_first
    settle(scene, (1, 0), reason="the player left")
    assert slips_payment(scene, 2, 92_500, number=2).review_comes_first


def test_what_a_review_agreed_to_first_makes_no_later_slip_wait():
    """$4,000 were reviewed, agreed to and paid. A chip of $5 too little in the next round is paid at once."""
    scene = afterdice_scene()
    slips_held(scene)
    review(scene)
    settle(scene, (3, 400_000))
    scene.play((2, "big", 2_500), dice=TWO_FIVES)
    scene.finish()
    assert not slips_payment(scene, 2, 2_000, number=2).review_comes_first
    slips_exported(scene)


# Counts of fills and credits


@pytest.fixture
def money_table(money_clock) -> Scene:
    """An open table with an opener of $61,550."""
    scene = keep_inventory(make_scene(opened=False))
    scene.staff()
    count(scene, "count_opener", OPENER)
    scene.inspect()
    scene.open()
    return scene


def money_count(scene: Scene, transfer: dict[str, int], chips: dict[str, int], **how: uuid.UUID) -> None:
    scene.act("receive_transfer", {**transfer, "chips": chips}, witness="floorperson", **how)


def test_a_dealer_who_guesses_the_numbers_of_a_fill_learns_nothing_and_is_seen(money_table):
    """The dealer counts short and waits for the numbers of the slip, to sign for what the slip says.

    The refusal says only that the counts differ. Each try is an entry with both signers, the second one alerts the
    floor and surveillance, the cage sees the number of tries on its slip, and the exceptions name who tried.
    """
    scene, transfer = money_table, fill(money_table)
    with scene.refused_on_record("receipt-differs") as refusal:
        money_count(scene, transfer, {"500": 98, "2500": 100})
    assert not any(number in refusal.value.sentence for number in ("98", "99", "100", "$"))
    tried = newest("transfer.count_refused")
    assert (tried["slip"], tried["refused_counts"], tried["agrees"]) == ("F-0001", 1, False)
    assert (tried["chips"], tried["cents"]) == (FILL, 300_000)
    assert (tried["counted_chips"], tried["counted_cents"]) == ({"500": 98, "2500": 100}, 299_000)
    assert money_open_alerts() == set()
    with scene.refused_on_record("receipt-differs"):
        money_count(scene, transfer, {"500": 99, "2500": 100})
    assert money_open_alerts() == {"counts-refused:F-0001"}
    with scene.refused_on_record("count-agrees"):  # a third way to learn whether a number is right
        scene.act("report_count_difference", {**transfer, "chips": FILL})
    page = scene.browser("podium", "cage").get("/floor/larkfield/cage/").content.decode()
    assert "3 counts refused" in page
    rows = exceptions(scene.fresh.facility, dt.date(2026, 11, 21), 4).rows("dealer")
    assert [dict(zip(KINDS, row.cells, strict=True))["counts"].count for row in rows] == [3]
    money_count(scene, transfer, FILL)
    assert ChipTransfer.objects.get().refused_counts == 3
    assert findings_of_money() == []


def test_a_refused_count_that_is_sent_again_is_one_try_with_the_same_answer(money_table):
    """The network loses the answer, and the tablet sends the count again: one entry, one answer."""
    scene, transfer, command = money_table, fill(money_table), uuid.uuid4()
    for _try in range(2):
        with pytest.raises(Exception, match="receipt-differs"):
            money_count(scene, transfer, {"500": 99, "2500": 100}, command=command)
    assert ChipTransfer.objects.get().refused_counts == 1


def test_a_count_without_the_pin_of_the_second_person_tells_nothing(money_table):
    """The dealer alone names the floorperson and guesses the PIN: a right and a wrong count get the same answer."""
    scene, transfer = money_table, fill(money_table)
    dealer = scene.browser("tablet", "dealer")
    answers = []
    for chips in (FILL, {"500": 99, "2500": 100}):
        body = {
            "command": str(uuid.uuid4()),
            "seen": scene.version,
            "params": {**transfer, "chips": chips},
            "witness": {"person": "floorperson", "pin": "000000"},
        }
        address = "/floor/larkfield/T-01/acts/receive_transfer"
        response = dealer.post(address, json.dumps(body), content_type="application/json")
        answers.append((response.status_code, response.json()["refusal"]["code"]))
    assert answers[0] == answers[1] and answers[0][1] != "receipt-differs"
    body["witness"]["pin"] = "123456"
    body["command"] = str(uuid.uuid4())
    response = dealer.post(address, json.dumps(body), content_type="application/json")
    assert (response.status_code, response.json()["refusal"]["code"]) == (422, "receipt-differs")
    assert response.json()["screen"]["version"] == scene.version


def test_nobody_carries_a_credit_who_did_not_sign_for_it(money_table):
    """Dealer and floorperson hand a credit to a security officer who was never there, and keep the chips.

    The officer's own PIN comes first, so that whoever is blamed has signed. Nobody of the table can.
    """
    scene = money_table
    credit = request(scene, "credit", {"10000": 50})
    cage(scene, "prepare_transfer", credit)
    with scene.refused("carrier-must-sign"):
        scene.act("hand_over_transfer", {**credit, "carrier": "security"}, witness="floorperson")
    for witness in (None, "relief", "floorperson", "cage"):
        with scene.refused("carrier-must-sign"):
            scene.act("sign_to_carry", credit, witness=witness)
    scene.act("sign_to_carry", credit, witness="security")
    assert newest("transfer.carrier_signed")["carrier"] == "security"
    scene.act("hand_over_transfer", credit, witness="floorperson")
    assert newest("transfer.handed_over")["carrier"] == "security"
    assert findings_of_money() == []


def test_a_fill_brings_no_more_than_the_par_of_the_table(money_table):
    """A floorperson asks for $1,000,000 of chips at a table of $61,550, at once or in parts.

    Each denomination is bounded by the par, what is under way counts with it, and so is the value of the tray. A par is
    set by a pit or shift manager with another person, on the record.
    """
    scene = money_table
    with scene.refused("fill-above-par"):  # no par is set: the opener is the measure
        request(scene, "fill", {"100000": 1_000})
    par = {"500": 200, "2500": 400, "10000": 300}  # $41,000
    scene.act("set_par", {"chips": par}, by="pit-manager", witness="shift-manager", device=scene.podium)
    with scene.refused("fill-above-par") as refusal:
        request(scene, "fill", {"500": 201})
    assert refusal.value.params == {"asked": 201, "chip": "$5", "most": 200, "par": "par"}
    with scene.refused("fill-above-par"):
        request(scene, "fill", {"50000": 1})
    request(scene, "fill", {"500": 150})
    with scene.refused("fill-above-par"):
        request(scene, "fill", {"500": 51})
    request(scene, "fill", {"500": 50})
    with scene.refused("tray-above-par") as refusal:  # $61,550 and $1,000 to come
        request(scene, "fill", {"10000": 195})
    assert refusal.value.params == {"cents": "$82,050", "most": "$82,000", "par": "par"}
    request(scene, "fill", {"10000": 194})


def test_no_pit_manager_sets_a_par_alone(money_table):
    """A pit manager set the par to $1,000,000 and had it filled. A shift manager or the cage signs, and is named."""
    scene = money_table
    par = {"chips": {"100000": 1_000}}
    for by, witness in (
        ("pit-manager", None), ("shift-manager", None), ("pit-manager", "floorperson"), ("pit-manager", "dealer"),
        ("shift-manager", "pit-manager"),
    ):  # fmt: skip
        how = {"by": by, "witness": witness, "device": scene.podium}
        if (by, witness) == ("shift-manager", "pit-manager"):
            scene.act("set_par", par, **how)  # whichever of them begins
            assert (scene.entry["actor"], scene.entry["witness"]) == (by, witness)
            continue
        with scene.refused("second-person-must-sign") as refusal:
            scene.act("set_par", par, **how)
        assert "cage" in refusal.value.sentence
    scene.act("set_par", {"chips": {"100000": 10}}, by="pit-manager", witness="cage", device=scene.podium)
    assert (scene.entry["actor"], scene.entry["witness"]) == ("pit-manager", "cage")


# Thieves who undo a throw that loses: no rolls, failures and voids on the word of one person. Each story: what the
# thief does, what stops him, and who is told.


clause = pytest.mark.clause

STAKE = 50_000


def norolls_losing_round(scene: Scene) -> None:
    """The thief's partner has $500 on Big, and the shaker is uncovered over a small total."""
    scene.place((1, "big", STAKE))
    scene.to_the_dice()


def norolls_alerts(kind: str) -> list[tuple[str, str]]:
    return list(Alert.objects.filter(kind=kind).values_list("key", "table__code"))


def test_a_dealer_alone_gives_no_losing_wager_back_as_a_no_roll() -> None:
    """The dealer sees 1-1-2, calls no roll and pushes the $500 back. It takes the floor, and the third one is told."""
    scene = make_scene()
    norolls_losing_round(scene)
    with scene.refused("no-roll-must-be-signed", "58 Pa. Code § 625a.7(a)") as refusal:
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]})
    assert "call a floorperson" in refusal.value.sentence
    with scene.refused("no-roll-must-be-signed"):  # another dealer is no floor
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]}, witness="relief")
    for number in (1, 2, 3):
        assert norolls_alerts("no-rolls") == []
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]}, witness="floorperson")
        assert (scene.entry["witness"], scene.entry["data"]["faces_read"]) == ("floorperson", [1, 1])
        assert (
            act_line("round.no_roll", scene.entry["data"])
            == "No roll, wagers returned: A die leans; read 1 1"
        )
        if number < 3:
            norolls_losing_round(scene)
    assert norolls_alerts("no-rolls") == [("no-rolls:dealer", "T-01"), ("no-rolls:floorperson", "T-01")]
    shown = {name: str(fragments.render(name, scene.snapshot)) for name in ("table", "dealer")}
    assert "Dealer: 3 rounds without a result" in shown["table"]  # the pit and surveillance
    assert "rounds without a result" not in shown["dealer"]  # not the thief
    counted = exceptions(scene.table.facility, scene.table.facility.gaming_day(scene.last_round.ended_at), 4)
    rows = {row.label: [cell.count for cell in row.cells][:4] for row in counted.rows("dealer")}
    assert rows == {"Dealer": [0, 0, 3, 0], "Floorperson": [0, 0, 3, 0]}  # who called it, and who signed
    assert [row.cells[2].count for row in counted.rows("table")] == [3]


NOROLLS_ALONE = [
    ("call_no_roll", {"reason": "leans", "faces_read": [1, 1]}, "round.no_roll"),
    ("void_round", {"reason": "dispute"}, "round.voided"),
    ("report_device_failure", {"what": "device", "dice": None}, "round.voided"),
]


@pytest.mark.parametrize(("act", "params", "type_"), NOROLLS_ALONE)
@pytest.mark.parametrize("thief", ["floorperson", "pit-manager", "shift-manager"])
def test_somebody_of_the_floor_alone_undoes_no_losing_round(
    act: str, params: Any, type_: str, thief: str
) -> None:
    """A floorperson looked under the cover and gave a partner's wager back, on one sign-in. It takes another person:
    whoever deals, or a second one of the floor.
    """
    scene = make_scene()
    for witness in ("dealer", "floorperson" if thief == "pit-manager" else "pit-manager"):
        norolls_losing_round(scene)
        with scene.refused("no-roll-takes-two") as refusal:
            scene.act(act, params, by=thief)
        assert "whoever deals" in refusal.value.sentence
        scene.act(act, params, by=thief, witness=witness)
        assert (scene.entry["_type"], scene.entry["actor"], scene.entry["witness"]) == (type_, thief, witness)
        if scene.fresh.status == "ceased":
            scene.repair()


@pytest.mark.parametrize(("act", "params", "type_"), NOROLLS_ALONE)
def test_the_third_round_that_a_pair_undoes_is_an_alert_whatever_they_call_it(
    act: str, params: Any, type_: str
) -> None:
    """Dealer and floor undo two losing rounds as no rolls, and call the third a dispute or a failure."""
    scene = make_scene()
    for _ in range(2):
        norolls_losing_round(scene)
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]}, witness="floorperson")
    norolls_losing_round(scene)
    assert norolls_alerts("no-rolls") == []
    scene.act(act, params, witness="floorperson")
    assert scene.entry["_type"] == type_
    assert norolls_alerts("no-rolls") == [("no-rolls:dealer", "T-01"), ("no-rolls:floorperson", "T-01")]


def test_between_two_throws_somebody_of_the_floor_alone_voids_no_game() -> None:
    """Wagers may be placed again after the first play, and those on the game stand since before it."""
    scene = make_scene("pa-577")
    scene.place((1, "touchdown", STAKE))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 2]})
    while scene.round.phase != "open":
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])
    with scene.refused("no-roll-takes-two"):
        scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    scene.act("void_round", {"reason": "dispute"}, by="floorperson", witness="dealer")
    assert scene.entry["witness"] == "dealer"


def test_a_void_while_bets_are_open_takes_the_floor_alone() -> None:
    scene = make_scene()
    scene.place((1, "big", STAKE))
    scene.act("void_round", {"reason": "emergency"}, by="floorperson")
    assert (scene.entry["_type"], scene.entry["witness"]) == ("round.voided", None)


def test_other_people_at_the_table_have_no_free_void_throws_of_their_own() -> None:
    """Six are free for each person: the next dealer goes on where the first one stopped. The table counts too."""
    scene = make_scene("pa-675a")
    scene.place((1, "pip:5", STAKE))
    scene.to_the_dice()
    void = {"reason": "off-table", "faces_read": [1]}
    for _ in range(6):
        scene.act("call_no_roll", void)
        scene.until("call_dice")
    scene.act("take_over_table", by="relief")
    with scene.refused("no-rolls-above-the-rate") as refusal:
        scene.act("call_no_roll", void, by="relief")
    assert refusal.value.params["count"] == 6
    with scene.refused("no-roll-takes-two"):  # the floor alone has no more than the others
        scene.act("call_no_roll", void, by="floorperson")
    scene.act("call_no_roll", void, by="relief", witness="floorperson")


def test_a_dealer_has_no_free_void_throws_of_another_table() -> None:
    """A dealer has used the six of T-01, and takes over T-02, where nothing was undone."""
    here, there = insiders_two_tables("pa-675a")
    hire(here, ("third", "dealer"))
    void = {"reason": "off-table", "faces_read": [1]}
    for scene in (here, there):
        scene.act("seat_player", {"seat": 1})
        scene.place((1, "pip:5", STAKE))
        scene.to_the_dice()
    for _ in range(6):
        here.act("call_no_roll", void)
        here.until("call_dice")
    here.act("take_over_table", by="third")
    there.people["mover"] = here.people["dealer"]
    there.act("take_over_table", by="mover")
    with there.refused("no-rolls-above-the-rate") as refusal:
        there.act("call_no_roll", void, by="mover")
    assert refusal.value.params["count"] == 6
    there.act("call_no_roll", void, by="mover", witness="floorperson")


@pytest.mark.parametrize(
    ("shaker", "what"), [("manual", "device"), ("manual", "layout"), ("automated-covered", "shaker")]
)
def test_a_dealer_alone_voids_no_losing_round_as_a_failure_that_nobody_saw(shaker: str, what: str) -> None:
    """The dealer looks under the cover and reports a failure with the dice unseen. It takes the floor."""
    scene = make_scene("pa-625a/A", shaker)
    norolls_losing_round(scene)
    with scene.refused("no-roll-must-be-signed"):
        scene.act("report_device_failure", {"what": what, "dice": None})
    scene.act("report_device_failure", {"what": what, "dice": None}, witness="floorperson")
    assert (scene.entry["_type"], scene.entry["witness"]) == ("round.voided", "floorperson")
    assert scene.fresh.status == "ceased"


def test_a_failure_while_bets_are_open_is_reported_at_once() -> None:
    """Nothing is gained then: every player may take the wager off."""
    scene = make_scene()
    scene.place((1, "big", STAKE))
    scene.act("report_device_failure", {"what": "device"})
    assert scene.entry["_type"] == "round.voided"


def test_a_stickperson_alone_rethrows_only_as_often_as_dice_really_go_astray() -> None:
    """The stickperson calls every losing throw off the table. The seventh in an hour takes the floor; surveillance
    hears of the twelfth."""
    scene = make_scene("pa-675a")
    scene.place((1, "pip:5", STAKE))
    scene.to_the_dice()
    void = {"reason": "off-table", "faces_read": [1, 1, 2, 3, 4, 4, 6, 6, 2]}
    for _ in range(6):
        scene.act("call_no_roll", void)
        scene.until("call_dice")
    with scene.refused("no-rolls-above-the-rate", "58 Pa. Code § 675a.4(b)"):
        scene.act("call_no_roll", void)
    for number in range(7, 13):
        assert norolls_alerts("rethrows") == []
        scene.act("call_no_roll", void, witness="floorperson")
        if number < 12:
            scene.until("call_dice")
    assert norolls_alerts("rethrows") == [("rethrows:dealer", "T-01")]


def test_an_hour_later_a_void_throw_is_free_again() -> None:
    moment = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)
    with clock.override(lambda: moment):
        scene = make_scene("pa-675a")
        scene.place((1, "pip:5", STAKE))
        scene.to_the_dice()
        for _ in range(6):
            scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
            scene.until("call_dice")
        with scene.refused("no-rolls-above-the-rate"):
            scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
    with clock.override(lambda: moment + dt.timedelta(minutes=61)):
        scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
    assert scene.entry["data"]["faces_read"] == []
    assert act_line("throw.no_roll", scene.entry["data"]).endswith("; no face could be read")


def test_a_policy_may_leave_some_no_rolls_free_and_the_next_one_takes_the_floor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The row of a jurisdiction: two in an hour are free. The tablet then asks for no PIN beforehand."""
    rows = dict(policy.practice())
    rows["no-rolls"] = dataclasses.replace(rows["no-rolls"], free_count=2, free_minutes=60)
    monkeypatch.setattr(policy, "practice", lambda: rows)
    assert policy.control_in_words(rows["no-rolls"]).endswith("after the first 2 of a person in 60 minutes")
    scene = make_scene()
    for _ in range(2):
        norolls_losing_round(scene)
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]})
    norolls_losing_round(scene)
    with scene.refused("no-rolls-above-the-rate"):
        scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]})
    with scene.refused("no-rolls-above-the-rate"):
        scene.act("report_device_failure", {"what": "device", "dice": None})
    page = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    [fields] = re.findall(r'data-act="call_no_roll"[^>]*data-fields="([^"]*)"', page)
    assert fields == "read choice note"


def test_what_was_seen_is_no_more_than_was_thrown() -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    for code, seen in (("more-faces-than-dice", [1, 1, 2, 2]), ("no-such-face", [7]), ("malformed", "6, 6")):
        with scene.refused(code):
            scene.act("call_no_roll", {"reason": "leans", "faces_read": seen}, witness="floorperson")


@clause("PA-625a.7(b)-settle", "PA-625a.7(b)-cease", "PA-539.7(b)-settle", "PA-539.7(b)-cease")
@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-539"])
@pytest.mark.parametrize("shaker", ["automated-covered", "manual"])
def test_a_failed_device_is_no_reason_to_void(rules: str, shaker: str) -> None:
    """Dealer and floorperson void a round whose dice were shaken, and play on without a repair. No reason does that,
    and no words beside a reason.
    """
    if (rules, shaker) == ("pa-539", "automated-covered"):
        shaker = "automated-uncovered"
    scene = make_scene(rules, shaker)
    norolls_losing_round(scene)
    for witness in ("floorperson", "pit-manager"):
        with scene.refused("reason-of-another-act") as refusal:
            scene.act("void_round", {"reason": "device-failed"}, witness=witness)
        assert refusal.value.sentence.endswith("Use Device failed.")
    for act, code in (("void_round", "no-such-void-reason"), ("call_no_roll", "no-such-reason")):
        for words in ("electrical device failed", "the lamps gave up", "defect", "x"):
            with scene.refused(code):
                scene.act(act, {"reason": words}, witness="floorperson")
    params = {"what": "device", "dice": [1, 1, 2]}
    scene.act("report_device_failure", params, witness="floorperson")
    scene.finish()
    assert Round.objects.get().taken_cents == STAKE
    with scene.refused("gaming-ceased"):
        scene.place((1, "big", STAKE))
    scene.repair()
    scene.place((1, "big", STAKE))


@clause("PA-625a.7(b)-settle", "PA-539.7(b)-settle")
@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-625a/A", "automated-covered"),
        ("pa-625a/A", "player-activated"),
        ("pa-539", "automated-uncovered"),
    ],
)
def test_dice_that_a_shaker_has_tossed_are_voided_by_nobody(rules: str, shaker: str) -> None:
    """A manager signed a void of tossed dice for other words. No reason and no signature does it: they are settled."""
    scene = make_scene(rules, shaker)
    norolls_losing_round(scene)
    for reason in VOID_REASONS:
        for witness in ("floorperson", "pit-manager", "shift-manager"):
            code = "tossed-dice-are-settled" if not reason.act else "reason-of-another-act"
            with scene.refused(code):
                scene.act("void_round", {"reason": reason.code, "note": "as agreed"}, witness=witness)
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert Round.objects.get().taken_cents == STAKE


def test_an_old_void_of_tossed_dice_reads_as_it_was() -> None:
    old = {"reason": "Dispute settled by the floor", "tossed": True, "round": 7}
    assert "tossed and covered" in act_line("round.voided", old)
    assert end_reason_text("a drink was spilled") == "a drink was spilled"


@pytest.mark.parametrize(
    ("reason", "instead"),
    [
        ("dice-not-flat", "No roll"),
        ("missed-wager", "Missed wager"),
        ("mistaken-wager", "Strike a wager"),
    ],
)
def test_a_reason_of_another_act_leads_there(reason: str, instead: str) -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    with scene.refused("reason-of-another-act") as refusal:
        scene.act("void_round", {"reason": reason}, witness="floorperson")
    assert refusal.value.sentence.endswith(f"Use {instead}.")


@pytest.mark.parametrize("reason", ["dice-seen-early", "uncovered-early", "dispute", "accident", "emergency"])
@pytest.mark.parametrize("note", ["", "power cut at the table", "a light fight stopped play"])
def test_a_void_for_a_reason_of_its_own_is_a_void_whatever_is_noted(reason: str, note: str) -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    scene.act("void_round", {"reason": reason, "note": note}, witness="floorperson")
    assert (scene.entry["_type"], scene.entry["data"]["reason"]) == ("round.voided", reason)
    assert scene.entry["data"].get("note", "") == note
    assert scene.snapshot["returning"]["why"] == end_reason_text(reason) != reason


def test_a_shaker_that_fails_while_bets_are_open_is_a_reason_to_void() -> None:
    """Nothing was tossed, and the act for a failed shaker is not possible yet. Afterward it is the only way."""
    scene = make_scene("pa-539", "automated-uncovered")
    scene.place((1, "big", STAKE))
    scene.act("void_round", {"reason": "shaker-failed"}, witness="floorperson")
    scene.place((1, "big", STAKE))
    scene.act("no_more_bets")
    with scene.refused("reason-of-another-act"):
        scene.act("void_round", {"reason": "shaker-failed"}, witness="floorperson")


def test_a_game_without_a_device_has_no_reason_of_a_device() -> None:
    scene = make_scene("pa-675a")
    scene.place((1, "pip:5", STAKE))
    with scene.refused("no-such-void-reason"):
        scene.act("void_round", {"reason": "device-failed"}, witness="floorperson")
    scene.act("void_round", {"reason": "emergency", "note": "the lights went out"}, witness="floorperson")
    assert scene.entry["_type"] == "round.voided"


# Stories of thieves at the edge of the installation: what they do, what stops them, and who is told.


OPERATE_LOGIN, OPERATE_PASSWORD = "operate_reading_tool", "of-this-test-alone"
OPERATE_FORMER_LOCK = 0x5EA1_0001  # the advisory lock of earlier releases


@pytest.fixture
def operate_folder(tmp_path, settings) -> Path:
    settings.SEALER_DIR = str(tmp_path / "sealer")
    return keys.folder()


@pytest.fixture
def operate_reader():
    """A connection of a login that may read everything, such as a tool of surveillance has."""
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE ROLE {OPERATE_LOGIN} LOGIN PASSWORD '{OPERATE_PASSWORD}' IN ROLE {provision_roles.AUDITOR}"
        )
    given = connection.get_connection_params()
    address = {name: given[name] for name in ("host", "port", "dbname") if given.get(name)}
    try:
        with psycopg.connect(
            **address, user=OPERATE_LOGIN, password=OPERATE_PASSWORD, autocommit=True
        ) as reader:
            yield reader
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {OPERATE_LOGIN}")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_who_only_reads_the_database_cannot_keep_the_sealer_from_sealing(
    operate_folder, operate_reader, write
):
    """He waits for a restart of the sealer and takes what it locks. Then nothing is sealed, and he can rewrite.

    What he can lock is no lock of the sealer, and what the sealer locks he may not lock. So nobody needs to be told.
    """
    keys.create(operate_folder)
    operate_reader.execute("SELECT pg_advisory_lock(%s)", [OPERATE_FORMER_LOCK])
    for statement in (
        "SELECT 1 FROM audit_sealerlease FOR UPDATE",
        "SELECT 1 FROM audit_sealerlease FOR KEY SHARE",
        "LOCK TABLE audit_sealerlease IN ROW EXCLUSIVE MODE",
        "UPDATE audit_sealerlease SET holder = 'me'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), operate_reader.transaction():
            operate_reader.execute(statement.encode())
    with operate_reader.transaction():
        operate_reader.execute("SELECT * FROM audit_sealerlease")
        operate_reader.execute("LOCK TABLE audit_sealerlease IN ACCESS SHARE MODE")
        lock = LeaderLock(operate_folder)
        assert lock.acquire()
        write()
        assert Sealer(operate_folder, lock=lock).seal().size == 1
        lock.release()


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_who_runs_a_sealer_of_his_own_cannot_replace_the_one_on_record(operate_folder, tmp_path, write):
    """He has the keys of a backup and starts a sealer with them, in a folder that lacks what was signed.

    The lease names the folder from which the record is sealed. His sealer seals nothing and says so in its log and
    check; the one on record goes on. To seal from another folder, two people declare a new incarnation.
    """
    keys.create(operate_folder)
    lock = LeaderLock(operate_folder)
    assert lock.acquire()
    SealerSession(operate_folder, lock).run_once()
    lock.release()
    stolen = tmp_path / "stolen"
    (stolen / "keys").mkdir(parents=True)
    for key in (operate_folder / "keys").iterdir():
        (stolen / "keys" / key.name).write_bytes(key.read_bytes())
        (stolen / "keys" / key.name).chmod(0o600)
    thief = LeaderLock(stolen)
    assert not thief.acquire()
    assert thief.problem is not None and "not the one from which the record is sealed" in str(thief.problem)
    assert lock.acquire()
    write()
    SealerSession(operate_folder, lock).run_once()
    assert Checkpoint.objects.count() == 2
    assert health_problem(clock.now()) == ""
    lock.release()


# Stories of insiders and other people's secrets, PINs, devices and names: what stops each, and who is told.


PEOPLE_PAGE = "/floor/larkfield/people/"
PEOPLE_ADMINISTRATOR = "system-administrator"


class PeopleHands:
    """The hands of the clock, which a test moves: 10:00 in the morning at the casino."""

    def __init__(self) -> None:
        self.now = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)


@pytest.fixture
def people_hands() -> Iterator[PeopleHands]:
    hands = PeopleHands()
    with clock.override(lambda: hands.now):
        yield hands


@pytest.fixture
def people_scene(people_hands, db) -> Scene:
    return make_scene()


def people_prepare(scene: Scene, act: str, params: dict[str, Any], by: str = PEOPLE_ADMINISTRATOR) -> str:
    """Prepare a change, and return its code."""
    return str(scene.in_room(act, params, by=by, approve=False).body["change"])


def people_see(scene: Scene, person: str, page: str = PEOPLE_PAGE) -> str:
    """A page as this person sees it at the podium."""
    return scene.browser("podium", person).get(page).content.decode()


def people_newest(type_: str) -> dict[str, Any]:
    """The newest entry of this type."""
    body: dict[str, Any] = json.loads(bytes(Entry.objects.filter(type=type_).latest("id").body))
    return body


@pytest.mark.both_databases
def test_a_shift_manager_who_asks_for_a_colleagues_new_pin_never_reads_it(people_scene):
    """He says that a colleague forgot her PIN, to read the new one and sign as her.

    Who approved it makes the PIN while she is there, reads it alone, and it ends within minutes. Compliance is told,
    although compliance approved.
    """
    scene = people_scene
    change = people_prepare(scene, "replace_pin", {"person": "floorperson"}, by="shift-manager")
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("role-may-not"):
        scene.in_room("make_pin", {"person": "floorperson"}, by="shift-manager")
    with scene.refused("secret-for-another"):
        scene.in_room("make_pin", {"person": "floorperson"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_pin", {"person": "floorperson"}, by="compliance")
    assert "PIN of Floorperson</h2>" not in people_see(scene, "shift-manager")
    assert re.search(r"<p><code>\d{6}</code></p>", people_see(scene, "compliance"))
    made, ends = (people_newest("pin.made")[name] for name in ("at", "data"))
    assert ends["ends_at"][11:16] == f"{made[11:13]}:{int(made[14:16]) + 15:02}"  # a quarter of an hour later
    told = ChangeNotice.objects.filter(change__code=change).values_list("department", flat=True)
    assert sorted(told) == ["compliance", "surveillance"]
    with scene.refused("approved-by-you"):
        scene.in_room("acknowledge_change", {"change": change}, by="compliance")


@pytest.mark.both_databases
def test_whoever_finds_a_podium_where_a_pin_is_being_chosen_comes_too_late(people_scene, people_hands):
    """She gives her one-time PIN at a podium and is called away. He would choose her PIN there, or at his own tablet.

    It is chosen where the one-time PIN was given, within five minutes.
    """
    scene = people_scene
    change = people_prepare(scene, "replace_pin", {"person": "floorperson"}, by="shift-manager")
    scene.in_room("approve_change", {"change": change}, by="compliance")
    scene.in_room("make_pin", {"person": "floorperson"}, by="compliance")
    [pin] = re.findall(r"<p><code>(\d{6})</code></p>", people_see(scene, "compliance"))
    podium, chosen = scene.browser("podium"), {"pin": "271828", "again": "271828"}
    assert podium.post("/sign-in", {"person": "floorperson", "pin": pin})["Location"] == "/sign-in/new-pin"
    own_tablet = people_cookies(scene.browser("tablet"))
    people_browser_with(own_tablet | {"sessionid": people_cookies(podium)["sessionid"]}).post(
        "/sign-in/new-pin", chosen
    )
    people_hands.now += dt.timedelta(minutes=5, seconds=1)
    podium.post("/sign-in/new-pin", chosen)
    person = Person.objects.get(code="floorperson")
    assert person.pin_must_change and person.check_password(pin)


@pytest.mark.both_databases
def test_an_administrator_never_reads_the_password_of_the_compliance_officer_whom_he_adds(people_scene):
    """He adds a compliance officer and gives her a password, to become her and approve his own changes.

    Her one-time password is made by who approved her, and nobody makes another one without a second person.
    """
    scene = people_scene
    new = {"person": "carla-2", "name": "Carla Two", "role": "compliance"}
    change = people_prepare(scene, "add_person", new)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("secret-for-another"):
        scene.in_room("make_pin", {"person": "carla-2"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_pin", {"person": "carla-2"}, by="compliance")
    with scene.refused("no-secret-allowed"):
        scene.in_room("make_pin", {"person": "carla-2"}, by="compliance")
    assert "PIN of Carla Two</h2>" not in people_see(scene, PEOPLE_ADMINISTRATOR)
    assert "PIN of Carla Two</h2>" in people_see(scene, "compliance")


@pytest.mark.both_databases
def test_an_administrator_never_reads_the_password_after_a_factor_that_he_calls_lost(people_scene):
    """He says that compliance lost their second factor and forgot the password, to sign in as compliance.

    It is a change like any other: he cannot approve it, and who approves it reads the one-time password.
    """
    scene = people_scene
    change = people_prepare(
        scene, "replace_sign_in", {"person": "games-administrator", "lost": True, "why": "Left in a taxi"}
    )
    with scene.refused("made-by-you"):
        scene.in_room("approve_change", {"change": change}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("secret-for-another"):
        scene.in_room("give_password", {"person": "games-administrator"}, by=PEOPLE_ADMINISTRATOR)
    assert people_newest("sign_in.ended")["data"]["why"] == "Left in a taxi"


@pytest.mark.both_databases
def test_who_asks_for_a_device_never_reads_its_token(people_scene):
    """He asks for a podium, to enroll a laptop of his own as it. Who approves the device makes its token."""
    scene = people_scene
    change = people_prepare(scene, "add_device", {"name": "Podium 9", "station": "podium"})
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("token-for-another"):
        scene.in_room("make_token", {"device": "Podium 9"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_token", {"device": "Podium 9"}, by="compliance")
    page = "/floor/larkfield/devices/"
    assert 'class="token"' not in people_see(scene, PEOPLE_ADMINISTRATOR, page)
    assert 'class="token"' in people_see(scene, "compliance", page)


def people_guess_for_an_hour(scene: Scene, hands: PeopleHands, unlocker: str) -> int:
    """How many wrong PINs of the floorperson somebody types at one podium in an hour, who unlocks whatever they can."""
    began, tries = hands.now, 0
    person, device = scene.people["floorperson"], scene.podium
    while hands.now < began + dt.timedelta(hours=1):
        if not people.is_locked_out(device, person, hands.now):
            people.count_wrong_pin(device, person, None, hands.now)
            tries += 1
            continue
        for lockout in people.active_lockouts(hands.now):
            with contextlib.suppress(Refusal):
                scene.in_room("unlock_pins", {"lockout": lockout.pk}, by=unlocker)
        hands.now += dt.timedelta(seconds=20)
    return tries


@pytest.mark.both_databases
def test_a_pit_manager_who_guesses_a_pin_and_unlocks_it_himself_stops_at_the_third_time(
    people_scene, people_hands
):
    """He guesses a floorperson's PIN at a podium, and unlocks it himself at another, again and again.

    He unlocks twice in a day; then somebody of another department signs, who is neither the person nor of his own.
    """
    scene = people_scene
    assert (
        people_guess_for_an_hour(scene, people_hands, "pit-manager") == 5 * 4 + 5
    )  # the tenth locks the device too
    lockout = Lockout.objects.latest("pk")
    people_hands.now = lockout.started_at
    for signer in (None, "shift-manager", "games-administrator"):
        with scene.refused("unlock-takes-two"):
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="casino-supervisor", witness=signer)
    scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager", witness="security")
    entry = people_newest("pins.unlocked")
    assert (entry["actor"], entry["witness"]) == ("pit-manager", "security")
    assert (entry["data"]["person"], entry["data"]["times"]) == ("floorperson", 3)


@pytest.mark.both_databases
def test_who_unlocks_other_people_at_one_device_stops_at_the_third_time_too(people_scene, people_hands):
    """He guesses another person's PIN after each unlock, at one podium. Unlocks of one device are counted, too."""
    scene = people_scene
    for number, person in enumerate(("dealer", "relief", "floorperson")):
        people_hands.now += dt.timedelta(minutes=16)
        for _ in range(5):
            people.count_wrong_pin(scene.podium, scene.people[person], None, people_hands.now)
        lockout = Lockout.objects.latest("pk")
        with scene.refused("unlock-takes-two") if number == 2 else contextlib.nullcontext():
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")


def people_lock_out(scene: Scene, device: Device, person: str, signed_in: str = "") -> Lockout:
    """Five wrong PINs of a person at a device: the lock-out. `signed_in`: who was signed in there."""
    for _ in range(5):
        people.count_wrong_pin(device, scene.people[person], scene.people.get(signed_in), clock.now())
    return Lockout.objects.filter(person=scene.people[person]).latest("pk")


@pytest.mark.both_databases
def test_who_unlocks_one_person_at_three_devices_stops_at_the_third_time_too(people_scene, people_hands):
    """He guesses a floorperson's PIN at a podium, then at a tablet, then at a phone: it is the PIN of one person."""
    scene = people_scene
    phone = devices.enroll("Phone 1", "larkfield", "pit")[0]
    for number, device in enumerate((scene.podium, scene.tablet, phone)):
        people_hands.now += dt.timedelta(minutes=16)
        lockout = people_lock_out(scene, device, "floorperson")
        with scene.refused("unlock-takes-two") if number == 2 else contextlib.nullcontext():
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")


@pytest.mark.both_databases
def test_who_guesses_a_second_signature_signs_no_unlock(people_scene, people_hands):
    """A guard who is signed in at a podium guesses a floorperson's PIN there, and signs then that it is unlocked.

    Nor does the locked person. Surveillance signs.
    """
    scene = people_scene
    for _ in range(2):
        people_hands.now += dt.timedelta(minutes=16)
        lockout = people_lock_out(scene, scene.podium, "floorperson", "security")
        scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")
    people_hands.now += dt.timedelta(minutes=16)
    guessed = people_lock_out(scene, scene.podium, "floorperson", "security")
    own = people_lock_out(scene, scene.podium, "security")
    for lockout in (guessed, own):
        with scene.refused("unlock-takes-two"):
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager", witness="security")
    scene.in_room("unlock_pins", {"lockout": guessed.pk}, by="pit-manager", witness="surveillance")


@pytest.mark.both_databases
def test_a_jurisdiction_that_lets_managers_sign_still_asks_for_another_department(
    people_scene, people_hands, monkeypatch
):
    """Where a row lets a manager of the tables sign, a colleague of that manager is not the second person."""
    scene, rows = people_scene, dict(policy.practice())
    for subject in ("unlocks", "revocations"):
        approve = {**rows[subject].approve, "shift-manager": "table-games"}
        rows[subject] = dataclasses.replace(rows[subject], approve=approve)
    rows["unlocks"] = dataclasses.replace(rows["unlocks"], free_count=0)
    monkeypatch.setattr(policy, "practice", lambda: rows)
    both = {"by": "pit-manager", "witness": "shift-manager"}
    lockout = people_lock_out(scene, scene.podium, "floorperson")
    with scene.refused("unlock-takes-two"):
        scene.in_room("unlock_pins", {"lockout": lockout.pk}, **both)
    _, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    scene.browser("desk", "compliance")
    with scene.refused("second-person-for-device"):
        scene.in_room("revoke_device", {"device": "desk-1", "why": "lost"}, **both)


def people_unlock_everywhere(scene: Scene, hands: PeopleHands, may_unlock: bool) -> bool:
    """Whether a pit manager ends the lock-out of a person at every device now."""
    for lockout in people.active_lockouts(hands.now).filter(scope="person") if may_unlock else ():
        hands.now += dt.timedelta(milliseconds=1)
        with contextlib.suppress(Refusal):
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")
            return True
    return False


@pytest.mark.parametrize(("unlocks", "most"), [(False, 100), (True, 140)])
@pytest.mark.both_databases
def test_the_pin_of_one_person_is_tried_so_often_in_an_hour_and_no_more(
    people_scene, people_hands, unlocks, most
):
    """Thieves at thirty devices, the person's own among them, try one person's PIN as often as they can for an hour.

    The numbers are those of docs/security.md: 25 in a quarter of an hour, and 20 more for each of two unlocks.
    """
    scene = people_scene
    person = scene.people["floorperson"]
    *phones, own = (devices.enroll(f"Phone {number}", "larkfield", "pit")[0] for number in range(30))
    Device.objects.filter(pk=own.pk).update(person=person, signed_on_at=people_hands.now)
    own.refresh_from_db()
    began, tries = people_hands.now, 0
    while people_hands.now < began + dt.timedelta(hours=1):
        for device in (*phones, own):  # their own device last: its tries count everywhere
            while not people.is_locked_out(device, person, people_hands.now):
                if device == own and people_unlock_everywhere(scene, people_hands, unlocks):
                    break
                people_hands.now += dt.timedelta(milliseconds=1)
                people.count_wrong_pin(device, person, None, people_hands.now)
                tries += 1
        people_hands.now += dt.timedelta(seconds=10)
    assert tries == most


@pytest.mark.both_databases
def test_somebody_whose_pin_was_guessed_reads_so_at_the_next_sign_in_and_compliance_has_a_case(
    people_scene, people_hands
):
    """Somebody guesses a floorperson's PIN at a podium. She, compliance and surveillance learn of it."""
    scene = people_scene
    thief = scene.browser("podium")
    for _ in range(5):
        thief.post("/sign-in", {"person": "floorperson", "pin": "654321"})
    lockout = Lockout.objects.get()
    open_found_cases()
    case = Case.objects.get(kind="lockout")
    assert case.params["person"] == "Floorperson"
    for watcher in ("compliance", "surveillance"):
        assert case.code in people_see(scene, watcher, "/inbox/larkfield/")

    people_hands.now += dt.timedelta(minutes=16)
    hers = scene.browser("podium")
    answer = hers.post("/sign-in", {"person": "floorperson", "pin": PIN})
    assert answer["Location"] == "/sign-in/guessed"
    page = hers.get(answer["Location"]).content.decode()
    assert "Five wrong PINs" in page and "<b>Podium</b>" in page and "21 Nov, 10:00" in page
    read = hers.post("/sign-in/guessed", {"next": "/floor/larkfield/staff/"})
    assert read["Location"] == "/floor/larkfield/staff/"
    entry = people_newest("pins.guesses_read")
    assert (entry["actor"], entry["data"]) == ("floorperson", {"lockouts": [lockout.pk]})
    assert hers.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/"


@pytest.mark.both_databases
def test_a_pit_manager_does_not_revoke_the_device_of_those_who_watch_him(people_scene, people_hands):
    """He revokes the office device at which compliance works, so that nobody looks at his tables.

    A device of another department takes somebody of that department or of oversight; every revocation is an alert.
    """
    scene = people_scene
    _, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    _, scene.tokens["phone"] = devices.enroll("Phone 1", "larkfield", "pit")
    lost = {"device": "desk-1", "why": "lost"}
    with scene.refused("second-person-for-device"):  # nobody has signed in there yet
        scene.in_room("revoke_device", lost, by="pit-manager")
    scene.browser("desk", "compliance"), scene.browser("phone", "security")
    offered = people_see(scene, "pit-manager", "/floor/larkfield/devices/?device=desk-1")
    assert 'value="compliance"' in offered and 'value="cage"' not in offered
    for device in ("desk-1", "Phone 1"):
        lost = {"device": device, "why": "lost"}
        for signer in (None, "shift-manager", "cage"):
            with scene.refused("second-person-for-device"):
                scene.in_room("revoke_device", lost, by="pit-manager", witness=signer)
    scene.in_room(
        "revoke_device", {"device": "desk-1", "why": "lost"}, by="pit-manager", witness="compliance"
    )
    scene.in_room("revoke_device", {"device": "Phone 1", "why": "lost"}, by="pit-manager", witness="security")
    scene.in_room("revoke_device", {"device": "Tablet of T-01", "why": "lost"}, by="pit-manager")
    tick()
    alerts = Alert.objects.filter(kind="device-revoked", ended_at=None)
    assert {alert.params["device"] for alert in alerts} == {"desk-1", "Phone 1", "Tablet of T-01"}
    assert {alert.table.code for alert in alerts} == {"T-01"}


def people_cookies(client: Client) -> dict[str, str]:
    """The cookies of a browser, as somebody copies them from its storage."""
    return {name: morsel.coded_value for name, morsel in client.cookies.items()}


def people_browser_with(cookies: dict[str, str]) -> Client:
    """Another browser, into which copied cookies were put."""
    client = Client()
    for name, value in cookies.items():
        client.cookies[name] = ""
        client.cookies[name].set(name, value, value)
    return client


PEOPLE_STAFF = "/floor/larkfield/staff/"


@pytest.mark.both_databases
def test_copied_cookies_of_a_podium_end_at_the_next_sign_in_and_give_the_thief_away(
    people_scene, people_hands
):
    """He copies both cookies of a podium and reads the floor from home.

    The next sign-in at the podium changes its cookie. The copy opens nothing then, not even the sign-in page; the
    podium locks, so that its person gives the PIN again, and the floor is called.
    """
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    assert podium.get(PEOPLE_STAFF).status_code == 200
    copied = people_cookies(podium)
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    assert podium.get(PEOPLE_STAFF).status_code == 200
    people_hands.now += dt.timedelta(minutes=2)
    thief = people_browser_with(copied)
    assert thief.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/enrol"
    assert "an old key of Podium" in thief.get("/enrol").content.decode()
    copy = people_newest("device.cookie_copied")["data"]
    assert (copy["name"], copy["cookie"], copy["newest"]) == ("Podium", 1, 2)
    assert podium.get(PEOPLE_STAFF).status_code == 302
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    tick()
    assert {alert.table.code for alert in Alert.objects.filter(kind="device-copied")} == {"T-01"}
    # The same copy does not lock the podium again.
    thief.get(PEOPLE_STAFF)
    assert podium.get(PEOPLE_STAFF).status_code == 200
    assert Entry.objects.filter(type="device.cookie_copied").count() == 1


@pytest.mark.both_databases
def test_a_thief_who_signs_in_with_a_copied_cookie_is_found_by_the_podium_itself(people_scene, people_hands):
    """He copies the device cookie and signs in with a PIN that he saw. The podium's next request is of an old key."""
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    thief = people_browser_with(people_cookies(podium))
    assert thief.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    assert thief.get(PEOPLE_STAFF).status_code == 200
    people_hands.now += dt.timedelta(minutes=2)
    assert podium.get("/")["Location"] == "/enrol"
    assert thief.get(PEOPLE_STAFF).status_code == 302
    tick()
    assert Alert.objects.filter(kind="device-copied", ended_at=None).exists()


@pytest.mark.both_databases
def test_a_copied_cookie_shown_while_the_clock_is_wrong_opens_nothing_and_is_reported_later(
    people_scene, people_hands
):
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    copied = people_cookies(podium)
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    podium.get(PEOPLE_STAFF)
    people_hands.now += dt.timedelta(minutes=10)
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    podium.get(PEOPLE_STAFF)
    people_hands.now -= dt.timedelta(minutes=5)
    thief = people_browser_with(copied)
    assert thief.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/enrol"
    assert not Entry.objects.filter(type="device.cookie_copied").exists()
    people_hands.now += dt.timedelta(minutes=10)
    assert thief.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/enrol"
    assert people_newest("device.cookie_copied")["data"]["name"] == "Podium"


@pytest.mark.both_databases
def test_a_lost_answer_and_two_tabs_lock_no_honest_tablet(people_scene, people_hands):
    """Nobody steals anything: an answer is lost on the way, and a second tab sends what it had before."""
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    before = people_cookies(podium)
    podium.post("/sign-in", {"person": "floorperson", "pin": PIN})  # whose answer never arrives
    people_hands.now += dt.timedelta(minutes=5)
    tablet = people_browser_with(before)
    assert tablet.post("/sign-in", {"person": "floorperson", "pin": PIN}).status_code == 302
    assert tablet.get(PEOPLE_STAFF).status_code == 200
    second_tab = people_browser_with(before | {"sessionid": people_cookies(tablet)["sessionid"]})
    assert second_tab.get(PEOPLE_STAFF).status_code == 200
    assert not Entry.objects.filter(type="device.cookie_copied").exists()
    assert Device.objects.get(name="Podium").locked_at is None


@pytest.mark.both_databases
def test_a_session_is_worth_nothing_with_the_cookie_of_another_device(people_scene):
    """He copies a manager's session into a tablet that he may use. It is nobody's session there."""
    scene = people_scene
    podium = scene.browser("podium", "shift-manager")
    session = people_cookies(podium)["sessionid"]
    tablet = scene.browser("tablet")
    mixed = people_browser_with(people_cookies(tablet) | {"sessionid": session})
    act = "/floor/larkfield/acts/unlock_pins"
    body = json.dumps({"command": "00000000-0000-4000-8000-000000000001", "params": {"lockout": 1}})
    assert mixed.post(act, body, content_type="application/json").status_code == 401
    assert (
        people_browser_with({"sessionid": session})
        .post(act, body, content_type="application/json")
        .status_code
        == 401
    )
    Device.objects.filter(name="Podium").update(revoked_at=clock.now())
    assert podium.post(act, body, content_type="application/json").status_code == 401


@pytest.mark.both_databases
def test_a_restored_backup_keeps_the_tablets_that_it_is_older_than(people_scene, people_hands):
    """Somebody restores an older database. A tablet's cookie is newer than it, and is still the server's own."""
    podium = people_scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    Device.objects.filter(name="Podium").update(cookie=0, cookies_made=0)
    assert podium.get(PEOPLE_STAFF).status_code == 200
    podium.post("/sign-in", {"person": "floorperson", "pin": PIN})
    assert podium.get(PEOPLE_STAFF).status_code == 200
    assert Device.objects.get(name="Podium").cookie == 2


def people_command(monkeypatch: pytest.MonkeyPatch, *words: str, typed: tuple[str, ...]) -> str:
    """Run a command at the server's terminal, where these lines are typed. Returns what it prints."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


PEOPLE_TWO = ("--by=system-administrator", "--with=compliance", "--pin-from-stdin")
PEOPLE_HIRE = ("add_person", "zoe", "Zoe Park", "--facility=larkfield", "--role=compliance", *PEOPLE_TWO)


@pytest.mark.parametrize(
    "words",
    [
        PEOPLE_HIRE,
        ("change_person", "floorperson", "--role=pit-manager", *PEOPLE_TWO),
        ("enrol_device", "Laptop", "--facility=larkfield", "--station=office", "--by=system-administrator",
         "--pin-from-stdin"),
        ("record_people", "--by=compliance", "--pin-from-stdin"),
    ],
)  # fmt: skip
@pytest.mark.both_databases
def test_the_servers_operator_signs_for_nobody_and_guesses_no_pin_there(people_scene, monkeypatch, words):
    """He adds a compliance officer at the server, and names two honest people as those who answered for her.

    Each of them types their own PIN there, and wrong ones are counted as at a device.
    """
    scene = people_scene
    before = Entry.objects.exclude(type__in=("person.refused", "person.locked_out")).count()
    for tries in range(6):
        says = "Code or PIN is wrong|fourth wrong PIN" if tries < 4 else "Too many wrong PINs"
        with pytest.raises(CommandError, match=says):
            people_command(monkeypatch, *words, typed=("654321", PIN, "271828"))
    lockout = Lockout.objects.get()
    assert (lockout.where, lockout.facility) == ("the server's terminal", "larkfield")
    with pytest.raises(CommandError, match="Too many wrong PINs"):
        people_command(monkeypatch, *words, typed=(PIN, PIN, "271828"))
    assert Entry.objects.exclude(type__in=("person.refused", "person.locked_out")).count() == before
    tick()
    assert Alert.objects.filter(kind="pins-guessed").exists()
    refused = people_newest("person.refused")["data"]
    assert (refused["name"], refused["purpose"]) == ("the server's terminal", "server")
    scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")


@pytest.mark.both_databases
def test_an_administrator_at_the_server_does_not_answer_for_the_second_person_too(people_scene, monkeypatch):
    """An administrator hires an accomplice at the server with the own PIN, and names somebody of compliance beside it.

    The second PIN is asked for as well, and a wrong one is on the record as a try of that person's.
    """
    with pytest.raises(CommandError, match="Code or PIN is wrong"):
        people_command(monkeypatch, *PEOPLE_HIRE, typed=(PIN, "654321", "271828"))
    assert not Person.objects.filter(code="zoe").exists()
    assert people_newest("person.refused")["data"]["code"] == "compliance"


@pytest.mark.both_databases
def test_two_administrators_at_the_server_hire_nobody_between_them(people_scene, monkeypatch):
    """Two administrators know their own PINs, and add an accomplice of compliance without anybody of compliance."""
    department = "information-technology"
    Person.objects.create_person(
        "second-administrator", PIN, name="Second", role=PEOPLE_ADMINISTRATOR, department=department
    )
    words = [word.replace("--with=compliance", "--with=second-administrator") for word in PEOPLE_HIRE]
    with pytest.raises(CommandError, match="belong to one department"):
        people_command(monkeypatch, *words, typed=(PIN, PIN, "271828"))
    assert not Person.objects.filter(code="zoe").exists()


@pytest.mark.both_databases
def test_what_the_servers_operator_does_alone_says_so_on_the_record(people_scene, monkeypatch):
    """He gives himself a way in with a command that asks nobody: its entries say that the operator did it."""
    people_command(monkeypatch, "give_password", "compliance", "--lost", typed=())
    given = people_newest("password.given")
    assert (given["actor"], given["data"]["by_operator"]) == (None, True)
    people_command(
        monkeypatch, "enrol_device", "Laptop", "--facility=larkfield", "--station=office", typed=()
    )
    enrolled = people_newest("device.enrolled")
    assert (enrolled["actor"], enrolled["data"]["by_operator"]) == (None, True)
    Person.objects.filter(code="dealer").update(badge="7")
    people_command(monkeypatch, "record_people", typed=())
    recorded = people_newest("person.recorded")
    assert (recorded["actor"], recorded["data"]["by_operator"]) == (None, True)
    assert not [
        finding
        for finding in verification.verify().findings
        if finding.code.startswith(("person-", "device-"))
    ]
    people_command(monkeypatch, *PEOPLE_HIRE, typed=(PIN, PIN, "271828"))
    hired = people_newest("person.recorded")
    assert (hired["actor"], hired["witness"]) == ("system-administrator", "compliance")
    assert "by_operator" not in hired["data"]


# What somebody inside who works for a player tries with the players on file, what stops them, and who is told.
# Whose rounds were whose decides what a player is given, and an exclusion who may sit down. Names and letters are
# for the casino's own people.


def people_leave(
    scene: Scene, person: str, begins_on: str = "2026-11-21", by: str = PEOPLE_ADMINISTRATOR
) -> None:
    """Everybody is on record, and somebody is on leave, as two others recorded."""
    registration.record_people(scene.people["compliance"])
    leave = {"person": person, "begins_on": begins_on, "last_day": "2026-12-03", "reason": "suspension"}
    change = people_prepare(scene, "record_leave", leave, by=by)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    scene.people[person].refresh_from_db()


@pytest.mark.both_databases
def test_a_colleague_who_knows_the_pin_of_somebody_on_leave_signs_nothing_with_it(people_scene, people_hands):
    """A dealer has seen the PIN of a supervisor who is away, and signs in and signs as she would.

    The right PIN opens nothing while she is away, and each try is on the record with its reason, device and moment. He
    gets no other PIN of hers either. What he writes past the programs, a full verification names.
    """
    scene = people_scene
    people_leave(scene, "casino-supervisor")
    typed = {"person": "casino-supervisor", "pin": PIN}
    for device in ("podium", "tablet"):
        assert scene.browser(device).post("/sign-in", typed).status_code == 403
        refused = people_newest("person.refused")
        assert (refused["data"]["why"], refused["data"]["purpose"]) == ("on-leave", "sign-in")
    scene.place((1, "small", 2_500))
    void = {"seen": scene.version, "params": {"reason": "dispute"}, "witness": typed}
    duty = Assignment.objects.filter(person__code="casino-supervisor")
    # Her duty has ended; nor does a PIN count that comes before the ticker has ended it.
    for ended_at, refusal in ((people_hands.now, "witness-not-assigned"), (None, "on-leave")):
        duty.update(ended_at=ended_at)
        body = json.dumps({"command": str(uuid.uuid4()), **void})
        address = "/floor/larkfield/T-01/acts/void_round"
        answer = scene.browser("tablet", "dealer").post(address, body, content_type="application/json")
        assert answer.json()["refusal"]["code"] == refusal
    assert people_newest("person.refused")["data"]["purpose"] == "witness"
    with scene.refused("person-on-leave"):
        people_prepare(scene, "replace_pin", {"person": "casino-supervisor"}, by="shift-manager")
    assert list(check_registrations(lambda: None)) == []

    stream = record.lock_stream("larkfield/sign-in")
    entry = PERSON_SIGNED_IN({"name": "Podium", "relieves": None})
    forged = record.append(
        stream,
        entry=entry,
        moment=people_hands.now,
        gaming_day=people_hands.now.date(),
        actor=scene.people["casino-supervisor"],
    )
    [finding] = check_registrations(lambda: None)
    assert finding.code == "signed-on-leave"
    assert finding.where == {
        "stream": "larkfield/sign-in", "seq": forged.seq, "person": "casino-supervisor"
    }  # fmt: skip


@pytest.mark.both_databases
def test_a_manager_who_is_sent_on_leave_does_not_put_himself_back(people_scene, people_hands):
    """A shift manager is sent on leave from Monday on, and calls it off himself, with a colleague, and in the rows."""
    scene = people_scene
    people_leave(scene, "shift-manager", begins_on="2026-11-23")
    own = {"person": "shift-manager"}
    with scene.refused("not-your-own-access"):
        people_prepare(scene, "record_return", own, by="shift-manager")
    with scene.refused("may-not-prepare"):
        people_prepare(scene, "record_return", own, by="pit-manager")
    sooner = {**own, "begins_on": "2030-01-01", "reason": "vacation"}
    with scene.refused("has-a-leave"):
        people_prepare(scene, "record_leave", sooner)
    change = people_prepare(scene, "record_return", own)
    with scene.refused("may-not-approve"):
        scene.in_room("approve_change", {"change": change}, by="shift-manager")

    people_hands.now += dt.timedelta(days=2)
    with pytest.raises(LeaveHasBegun):
        scene.in_room("record_return", {"person": "relief"}, by="shift-manager", approve=False)
    row = Person.objects.filter(code="shift-manager")
    with transaction.atomic():
        row.update(leave_from=None, leave_until=None, leave_reason="")
        columns = [finding.where["column"] for finding in check_people(lambda: None)]
        assert columns == ["leave_from", "leave_reason", "leave_until"]
        accomplice = scene.people["pit-manager"]
        registration.record_person(row.get(), row.get(), accomplice)
        [finding] = check_registrations(lambda: None)
        assert (finding.code, finding.where["person"]) == ("person-by-others", "shift-manager")
        assert finding.where["by"] == "shift-manager and pit-manager"


def players_scene() -> Scene:
    """A table, and a floorperson of another pit."""
    scene = make_scene()
    facility = scene.table.facility
    pit = Pit.objects.create(facility=facility, code="p9", name="Another pit")
    person = Person.objects.create_person(
        "of-another-pit", PIN, name="Of Another Pit", role="floorperson", department="table-games"
    )
    Assignment.objects.create(person=person, facility=facility, pit=pit, started_at="2020-01-01T00:00Z")
    scene.people[person.code] = person
    return scene


def players_registered(scene: Scene, name: str) -> str:
    return str(scene.in_room("register_player", {"name": name}, by="floorperson").body["player"])


def players_rated(scene: Scene, name: str) -> tuple[str, int]:
    """A player of this name who played one round of $20 at seat 1: the code, and the rating, which has ended."""
    code = players_registered(scene, name)
    scene.place((1, "small", 2_000))
    rating = scene.act("start_rating", {"seat": 1, "player": code}, by="floorperson").body["rating"]
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    return code, int(rating)


def players_handle(*codes: str) -> int:
    rows = list(Rating.objects.filter(player__code__in=codes))
    return sum_of_ratings(figures_of_rating(row, timezone.now()) for row in rows).sums.handle_cents


def players_listed(scene: Scene) -> str:
    """The page of players, as compliance reads it."""
    address = f"/floor/{scene.table.facility.code}/players/"
    return scene.browser("podium", "compliance").get(address).content.decode()


def players_newest() -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(stream__name="larkfield/players").latest("seq").body))


def players_proven() -> None:
    assert list(check_players(lambda: None)) == [] and verification.verify().good


@pytest.mark.both_databases
def test_a_floorperson_does_not_give_a_friend_the_play_of_another_player() -> None:
    """He merges a good customer into his friend, or moves the customer's rounds there.

    It needs two people, their own tables and a day's time; compliance signs for anything else. Who did it stands among
    the changes on the page of players, and the way back is open.
    """
    scene = players_scene()
    customer, rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    merge = {"player": customer, "into": friend}
    split = {"rating": rating, "player": friend, "round": 1}
    for act, params in (("merge_players", merge), ("split_rating", split)):
        with scene.refused("second-person-must-sign"):
            scene.in_room(act, params, by="floorperson")
        with scene.refused("second-person-must-sign"):
            scene.in_room(act, params, by="floorperson", witness="of-another-pit")
        with scene.refused("rating-of-another-table"):
            scene.in_room(act, params, by="of-another-pit", witness="pit-manager")
        with scene.refused("role-may-not"):
            scene.in_room(act, params, by="security", witness="pit-manager")
    now = timezone.now()
    with scene.tried():
        Rating.objects.filter(pk=rating).update(
            started_at=now - dt.timedelta(hours=30), ended_at=now - dt.timedelta(hours=25)
        )
        for act, params in (("merge_players", merge), ("split_rating", split)):
            with scene.refused("rating-too-old"):
                scene.in_room(act, params, by="floorperson", witness="pit-manager")
        scene.in_room("split_rating", split, by="floorperson", witness="compliance")
    assert (players_handle(customer), players_handle(friend)) == (2_000, 0)
    players_proven()


@pytest.mark.both_databases
def test_two_who_merge_a_customer_into_a_friend_are_named_and_it_is_undone() -> None:
    """Floorperson and pit manager work together: compliance reads both names, and takes the merger back."""
    scene = players_scene()
    customer, _rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    scene.in_room(
        "merge_players", {"player": customer, "into": friend}, by="floorperson", witness="pit-manager"
    )
    entry = players_newest()
    assert (entry["_type"], entry["actor"], entry["witness"]) == (
        "players.merged",
        "floorperson",
        "pit-manager",
    )
    page = players_listed(scene)
    assert f"{customer} is the same person as {friend}" in page and "Floorperson, with Pit Manager" in page
    with scene.refused("second-person-must-sign"):
        scene.in_room("unmerge_players", {"player": customer}, by="compliance")
    scene.in_room("unmerge_players", {"player": customer}, by="compliance", witness="shift-manager")
    assert Player.objects.get(code=customer).merged_into is None
    assert players_newest()["data"] == {"player": customer, "out_of": friend}
    assert f"{customer} is not the same person as {friend}" in players_listed(scene)
    with scene.refused("player-not-merged"):
        scene.in_room("unmerge_players", {"player": customer}, by="compliance", witness="shift-manager")
    scene.place((1, "small", 500))
    scene.act("start_rating", {"seat": 1, "player": customer}, by="floorperson")
    players_proven()


@pytest.mark.both_databases
def test_rounds_that_were_moved_to_a_friend_are_moved_back() -> None:
    scene = players_scene()
    customer, rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    split = {"rating": rating, "player": friend, "round": 1}
    scene.in_room("split_rating", split, by="floorperson", witness="pit-manager")
    assert (players_handle(customer), players_handle(friend)) == (0, 2_000)
    back = {"rating": rating, "player": customer, "round": 1}
    scene.in_room("split_rating", back, by="compliance", witness="pit-manager")
    assert (players_handle(customer), players_handle(friend)) == (2_000, 0)
    players_proven()


@pytest.mark.both_databases
def test_a_guard_does_not_let_an_excluded_player_in() -> None:
    """He lifts the self-exclusion of a friend, or excludes somebody he dislikes: compliance alone does either."""
    scene = players_scene()
    code = players_registered(scene, "A Friend")
    scene.in_room("exclude_player", {"player": code, "reason": "self"}, by="compliance")
    for by in ("security", "shift-manager", "surveillance", "games-administrator"):
        for act, params in (
            ("admit_player", {}),
            ("exclude_player", {"reason": "house"}),
            ("erase_player", {}),
        ):
            with scene.refused("role-may-not"):
                scene.in_room(act, {"player": code, **params}, by=by)
    scene.people["compliance"].department = "table-games"
    with scene.refused("may-not-prepare"):
        scene.in_room("admit_player", {"player": code}, by="compliance")
    assert Player.objects.get(code=code).exclusion == "self"


@pytest.mark.both_databases
def test_an_exclusion_is_neither_made_nor_shed_by_a_merger() -> None:
    """The floor excludes nobody by a merger, and no code comes out of a merger without the exclusion of both."""
    scene = players_scene()
    friend, other = (players_registered(scene, name) for name in ("A Friend", "Another"))
    scene.in_room("merge_players", {"player": friend, "into": other}, by="floorperson", witness="pit-manager")
    scene.in_room("exclude_player", {"player": other, "reason": "list"}, by="compliance")
    with scene.refused("excluded-code"):
        scene.in_room("unmerge_players", {"player": friend}, by="floorperson", witness="pit-manager")
    scene.in_room("unmerge_players", {"player": friend}, by="floorperson", witness="compliance")
    assert set(Player.objects.values_list("exclusion", flat=True)) == {"list"}
    assert players_newest()["data"]["exclusions"] == {friend: "list"}
    third = players_registered(scene, "A Third")
    for merge in ({"player": third, "into": other}, {"player": other, "into": third}):
        with scene.refused("excluded-code"):
            scene.in_room("merge_players", merge, by="floorperson", witness="pit-manager")
    assert Player.objects.get(code=third).exclusion == ""
    players_proven()


@pytest.mark.both_databases
def test_nobody_erases_a_player_whom_a_legal_hold_covers() -> None:
    """An investigation asks for a player; somebody in compliance erases them first. The hold of any code counts."""
    scene = players_scene()
    kept, merged = (players_registered(scene, name) for name in ("Quentin", "Quentin again"))
    scene.in_room("merge_players", {"player": merged, "into": kept}, by="floorperson", witness="pit-manager")
    now = timezone.now()
    hold = LegalHold.objects.create(
        facility="larkfield",
        number=1,
        reason="Letter of the Board",
        kinds=["players"],
        placed_by=scene.people["compliance"],
        placed_at=now,
    )
    with scene.refused("player-is-held"):
        scene.in_room("erase_player", {"player": kept}, by="compliance")
    assert PlayerDetails.objects.count() == 2
    for free in (
        {"kinds": ["exports"]},
        {"last_day": now.date() - dt.timedelta(days=3)},
        {"until": now.date() - dt.timedelta(days=3)},
        {"facility": "seabright"},
        {"released_at": now, "released_by": scene.people["compliance"]},
    ):
        with scene.tried():
            LegalHold.objects.filter(pk=hold.pk).update(**free)
            scene.in_room("erase_player", {"player": kept}, by="compliance")
            assert PlayerDetails.objects.count() == 0, free
    # The hold ends before the code that counts came on file; the merged one is older.
    LegalHold.objects.filter(pk=hold.pk).update(last_day=now.date() - dt.timedelta(days=3))
    Player.objects.filter(code=merged).update(added_at=now - dt.timedelta(days=5))
    with scene.refused("player-is-held") as refusal:
        scene.in_room("erase_player", {"player": kept}, by="compliance")
    assert refusal.value.params["player"] == merged


@pytest.mark.both_databases
def test_a_jurisdiction_may_ask_for_a_second_person_where_the_practice_asks_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = players_scene()
    code = players_registered(scene, "A Friend")
    row = {
        "title": "Exclusions of players",
        "covers": "that nobody may seat a player",
        "control": "signature",
        "prepare": {"security": "security"},
        "approve": {"compliance": "compliance"},
        "told": [],
        "hours": 0,
    }
    rows = policy.read_separation({"exclusions": row})
    monkeypatch.setitem(jurisdiction("PA").separation, "exclusions", rows["exclusions"])
    exclude = {"player": code, "reason": "self"}
    with scene.refused("may-not-prepare"):
        scene.in_room("exclude_player", exclude, by="compliance")
    assert policy.may_prepare(rows["exclusions"], scene.people["security"])
    malformed: list[dict[str, Any]] = [
        {"control": "change", "hours": 2},
        {"approve": {}},
        {"control": "alone"},
    ]
    for wrong in malformed:
        with pytest.raises(ValueError, match=r"separation\.exclusions"):
            policy.read_separation({"exclusions": {**row, **wrong}})


@pytest.mark.postgres
@pytest.mark.both_databases
def test_the_login_of_the_auditor_reads_no_name_card_salt_or_letter() -> None:
    """A tool of surveillance has a read-only login. It counts players and letters, and reads none of their words."""
    connection.check_constraints()
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.AUDITOR}")
        cursor.execute("SELECT count(player_id) FROM tables_playerdetails")
        cursor.execute("SELECT count(id), max(sha256) FROM tables_caseletter")
        cursor.execute("SELECT count(id), max(sha256) FROM tables_casedocument")
        for table, column in (
            ("tables_playerdetails", "name"),
            ("tables_playerdetails", "card"),
            ("tables_playerdetails", "salt"),
            ("tables_playerdetails", "*"),
            ("tables_caseletter", "addressee"),
            ("tables_caseletter", "findings"),
            ("tables_casedocument", "content"),
        ):
            with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                cursor.execute(f"SELECT {column} FROM {table}")


# A thief with all rights in the database, who is faster than the sealer: what an outsider sees by himself. The
# entries are false before anything is sealed, and every hash, seal, signature and cosignature over them is right.
# So neither the chain nor the seals nor a witness can know. Only the rules do.


Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def verifier_scene(tmp_path, settings):
    """A table with a round in which total 8 won $40 for $5, and a sealer that has not sealed it yet."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    scene = make_scene("pa-625a/A")
    scene.play((1, "total:8", 500), (2, "big", 2_000), dice=[1, 3, 4])
    scene.finish()
    keys.create(keys.folder())
    return scene


def verifier_rewrite(scene: Scene, changes: dict[str, Change]) -> int:
    """Change entries of the table by their type, and hash its chain again. Returns the first changed number."""
    stream, first = scene.table.stream, 0
    entries = Entry.objects.filter(stream=stream).order_by("seq")
    prev = chain.genesis(stream.name)
    with as_superuser():
        for entry in entries:
            body = json.loads(bytes(entry.body))
            if entry.type in changes:
                changes[entry.type](body["data"])
                first = first or entry.seq
            content = chain.canonical(body)
            digest = chain.entry_hash(prev, content)
            Entry.objects.filter(pk=entry.pk).update(prev=prev, hash=digest, body=content)
            prev = digest
        Stream.objects.filter(pk=stream.pk).update(head=prev)
    return first


def verifier_bundle() -> bytes:
    """The sealed record for an outsider. The sealer notices nothing."""
    Sealer(keys.folder()).seal()
    out = io.BytesIO()
    bundle.write(out, export.select())
    return out.getvalue()


def verifier_pay_more(data: dict[str, Any]) -> None:
    """Pay the winner 180 to 1, with sums that agree."""
    for line in data.get("settled", ()):
        if line["outcome"] == "win":
            line.update(pays="180 to 1", paid_cents=90_000)
    data["paid_cents"] = 90_000


def test_a_winner_paid_at_180_to_1_before_the_seal(verifier_scene):
    """The thief pays a friend $900 for $5, and changes each entry about it. Stopped: the outsider's copy of verify.py
    settles the round by the terms of the file. Told: whoever checks any bundle of that day.
    """
    assert "settled again by their terms: 1 rounds" in "\n".join(check(verifier_bundle()))
    changed = dict.fromkeys(("round.settled", "winners.paid", "layout.cleared"), verifier_pay_more)
    seq = verifier_rewrite(verifier_scene, changed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            verify, "TABLE_TYPES", frozenset()
        )  # a checker of hashes and sums alone finds nothing
        unsealed = b"".join(export.lines(export.select()))
        assert verify.verify(io.BytesIO(unsealed))
    assert (
        f"larkfield/T-01 seq {seq}: it settles seat 1's total:8: 500 cents win 90000 at 180 to 1; its terms give"
        in bad(unsealed)
    )


def test_5000_dollars_more_on_a_cleared_layout(verifier_scene):
    """The thief books $5,000 as paid out when the layout is cleared, to explain a tray that is short."""
    seq = verifier_rewrite(
        verifier_scene, {"layout.cleared": lambda data: data.update(paid_cents=data["paid_cents"] + 500_000)}
    )
    said = bad(verifier_bundle())
    assert said == (
        f"record.jsonl: line {line_of(seq)}: larkfield/T-01 seq {seq}: its paid_cents is 504000, and the entries and"
        " terms give 4000"
    )


def line_of(seq: int) -> int:
    """The line of an entry of the table: after the first line, and the streams before it."""
    before = Stream.objects.filter(name__lt="larkfield/T-01").values_list("seq", flat=True)
    return 1 + sum(before) + seq


@pytest.mark.both_databases
def test_what_somebody_approved_and_nobody_used_lapses_with_the_hours_of_the_policy(people_scene):
    """A password is approved for one who forgot it. She remembers it and works on. Who approved it waits a month, to
    make one when nobody thinks of it any more, and reads it. What was approved has lapsed after a day.
    """
    scene = people_scene
    params = {"person": "games-administrator", "lost": False, "why": "Forgot it"}
    change = people_prepare(scene, "replace_sign_in", params)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    later = clock.now() + dt.timedelta(days=30)
    with clock.override(lambda: later), scene.refused("no-secret-allowed"):
        scene.in_room("give_password", {"person": "games-administrator"}, by="compliance")


# Dice that somebody has seen and nobody has called yet


def afterdice_struck(scene: Scene, seat: int, wager: str, witness: str | None = "floorperson", **how: Any):
    params = {"seat": seat, "wager": wager, "reason": "seat 4 meant"}
    return scene.act("strike_mistaken_wager", params, witness=witness, **how)


def test_a_wager_recorded_between_the_uncovering_and_the_call_is_held_back():
    """Dealer and floor see 1-1-1, add $100 on three of a kind, and only then call the dice. $15,000 wait for a review,
    and both read at the pit what they signed.
    """
    scene = afterdice_scene()
    scene.place((1, "big", 2_500))
    scene.to_the_dice()
    afterdice_missed(scene, 3, "three-of-a-kind:1", 10_000)
    assert [alert["seats"] for alert in afterdice_alerts("raised-after-dice")] == [[3]]
    scene.act("call_dice", {"dice": [1, 1, 1]})
    held = scene.snapshot["round"]["held"]
    assert [amount["seat"] for amount in held] == [3] and held[0]["cents"] >= 1_000_000
    scene.finish()
    slip = Slip.objects.get()
    assert slip.review_comes_first and slip.filed_with.code == "floorperson"
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2_500
    afterdice_verified(scene)


def test_nobody_alone_strikes_a_loser_and_adds_a_winner_before_the_call():
    """A floorperson at the podium saw 2-5-5 and moves $500 from Small to Big. The dealer must sign each step, and the
    $500 that are won count with the $500 that were struck.
    """
    scene = afterdice_scene()
    scene.place((1, "small", 50_000))
    scene.to_the_dice()
    alone: dict[str, Any] = {"witness": None, "by": "floorperson", "device": scene.podium}
    with scene.refused("raise-needs-two"):
        afterdice_struck(scene, 1, "small", **alone)
    with scene.refused("raise-needs-two"):
        afterdice_missed(scene, 1, "small", 500, **alone)
    with scene.refused("raise-needs-two"):
        afterdice_missed(scene, 1, "big", 50_000, **alone)
    afterdice_struck(scene, 1, "small")
    afterdice_missed(scene, 1, "big", 50_000)
    assert [alert["act"] for alert in afterdice_alerts("raised-after-dice")] == [
        "strike_mistaken_wager",
        "record_missed_wager",
    ]
    scene.act("call_dice", {"dice": TWO_FIVES})
    assert [amount["cents"] for amount in scene.snapshot["round"]["held"]] == [50_000]
    scene.finish()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS
    afterdice_verified(scene)


def test_losing_stakes_are_not_struck_or_lowered_between_the_shake_and_the_call():
    """Dealer and floor saw 2-5-5 and strike a friend's $5,000, or lower it to $10, or strike $600 at each of two seats.
    A slip says where the chips are.
    """
    scene = afterdice_scene()
    scene.place((1, "small", 500_000), (2, "small", 60_000), (3, "small", 60_000))
    scene.to_the_dice()
    with scene.refused("correct-by-slip"):
        afterdice_struck(scene, 1, "small")
    with scene.refused("correct-by-slip"):
        afterdice_missed(scene, 1, "small", 1_000)
    afterdice_struck(scene, 2, "small")
    with scene.refused("correct-by-slip"):
        afterdice_struck(scene, 3, "small")
    scene.act("call_dice", {"dice": TWO_FIVES})
    with scene.refused("correct-by-slip"):
        afterdice_struck(scene, 3, "small")
    scene.finish()
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 560_000
    afterdice_verified(scene)


@pytest.mark.parametrize(
    ("rules", "wager", "other", "missed"),
    [
        ("pa-539", "small", "big", "total:9"),
        ("pa-625a/A", "small", "big", "total:9"),
        ("nj-19-47-9", "small", "big", "total:9"),
        ("pa-675a", "pip:5", "pip:6", "pip:4"),
    ],
)
def test_from_the_shake_on_nobody_corrects_wagers_alone_in_any_game(rules, wager, other, missed):
    """A floorperson alone adds or strikes a wager once the dice may be called. Two sign, and both are told."""
    scene = afterdice_scene(rules)
    if rules == "pa-675a":  # its players keep their seats
        scene.act("seat_player", {"seat": 1})
    scene.place((1, wager, 2_500), (1, other, 2_500))
    scene.to_the_dice()
    with scene.refused("raise-needs-two"):
        afterdice_missed(scene, 1, missed, 2_500, witness=None, by="floorperson", device=scene.podium)
    with scene.refused("raise-needs-two"):
        afterdice_struck(scene, 1, other, witness=None, by="floorperson", device=scene.podium)
    afterdice_missed(scene, 1, missed, 2_500)
    afterdice_struck(scene, 1, other)
    assert len(afterdice_alerts("raised-after-dice")) == 2


def test_a_stake_on_a_later_play_is_not_given_back_by_one_person_after_a_bad_one():
    """At football the first play was bad, and a floorperson alone lowers what later plays will decide."""
    scene = afterdice_scene("pa-577")
    scene.act("offer_dice", {"seat": 5, "accepted": True}, by="stickperson")
    scene.place((5, "touchdown", 200_000), (4, "touchdown", 5_000))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": AFTERDICE_GAIN}, by="stickperson")
    with scene.refused("raise-needs-two"):
        afterdice_missed(scene, 4, "touchdown", 500, witness=None, by="floorperson", device=scene.podium)
    with scene.refused("correct-by-slip"):
        afterdice_missed(scene, 5, "touchdown", 500)
    afterdice_missed(scene, 4, "touchdown", 500)
    assert [alert["seats"] for alert in afterdice_alerts("raised-after-dice")] == [[4]]


# Raises that are each below the sum of a first review


def test_one_pair_raises_900_each_round():
    """Dealer and floor add $900 in every round. The second waits: raises count over rounds, by whoever signed them."""
    scene = afterdice_scene()
    for _ in range(2):
        scene.play((1, "small", 2_500), dice=TWO_FIVES)
        afterdice_missed(scene, 3, "big", 90_000)
        scene.finish()
    assert Slip.objects.get().round.number == 2 and Slip.objects.get().review_comes_first
    assert len(afterdice_alerts("raised-after-dice")) == len(afterdice_alerts("held-after-dice")) == 1
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS + 2 * 2_500 - 90_000
    afterdice_verified(scene)


def test_a_pair_that_lets_its_round_lie_until_the_hour_is_over_gains_nothing(money_clock):
    """The second $900 are held with the first ones, and the round ends when the first are older than the hour.

    With nothing beside them, they would be below the sum of a first review. What was held back waits all the same.
    """
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 90_000)
    scene.finish()
    money_clock.now += dt.timedelta(minutes=50)
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 90_000)
    money_clock.now += dt.timedelta(minutes=20)
    scene.finish()
    stated = entry(scene, "slip.filed")[2]["data"]["review"]
    assert (stated["sum_cents"], stated["before_money"]) == (90_000, True)
    with scene.refused("slip-review-first"):
        settle(scene, (3, 90_000))


def test_one_pair_gives_900_of_stakes_back_each_round_before_the_call():
    """Dealer and floor see the dice and strike $900 of losing stakes in every round. The second is refused."""
    scene = afterdice_scene()
    scene.place((1, "small", 90_000))
    scene.to_the_dice()
    afterdice_struck(scene, 1, "small")
    scene.act("call_dice", {"dice": TWO_FIVES})
    scene.finish()
    scene.place((1, "small", 90_000))
    scene.to_the_dice()
    with scene.refused("correct-by-slip"):
        afterdice_struck(scene, 1, "small")


def test_a_raise_and_a_slip_of_one_round_add_up():
    """$900 by a missed wager, and $900 more by another pair's slip about the same round: the slip waits."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 90_000)
    scene.finish()
    others = {"by": "relief", "witness": "pit-manager"}
    file(scene, "wager", wagers=[{"seat": 4, "wager": "big", "cents": 90_000}], **others)
    assert Slip.objects.get().review_comes_first


def test_a_raise_and_then_a_slip_about_another_round_add_up():
    """The same pair raises $900 in one round, and files a slip of $900 for another seat of the round before."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    scene.finish()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 90_000)
    scene.finish()
    file(scene, "wager", number=1, wagers=[{"seat": 4, "wager": "big", "cents": 90_000}])
    slip = Slip.objects.get()
    assert (slip.round.number, slip.review_comes_first) == (1, True)


def test_a_slip_and_then_a_raise_add_up():
    """The other order: a slip of $900, then a wager of $900 recorded after the dice of the next round."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    scene.finish()
    file(scene, "wager", wagers=[{"seat": 4, "wager": "big", "cents": 90_000}])
    settle(scene, (4, 90_000))
    scene.play((1, "small", 2_500), dice=TWO_FIVES)
    afterdice_missed(scene, 3, "big", 90_000)
    assert [amount["cents"] for amount in scene.snapshot["round"]["held"]] == [90_000]


def test_hand_settled_rounds_of_900_for_invented_failures_add_up():
    """A failure, $900 on paper, a repair, and again. The second round's payout is held back."""
    scene = afterdice_scene()
    for _ in range(2):
        scene.act("report_device_failure", {"what": "device"})
        afterdice_hand_settled(scene, (2, "big", 90_000))
        scene.repair()
    assert Slip.objects.get().review_comes_first
    assert scene.fresh.tray_cents == AFTERDICE_TRAY_CENTS - 90_000
    afterdice_verified(scene)
