"""Slips that are refused, each in words: who may not sign, what cannot be filed, and when."""

import pytest

from tables.models import Slip
from tests.services.restore import restored_later
from tests.tables.cast import make_scene
from tests.tables.slip_scene import FLOOR, entry, file, found, settle

pytestmark = pytest.mark.django_db


@restored_later
def one_round():
    scene = make_scene()
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    return scene


@pytest.fixture
def cleared(db):
    """Round 1: seat 1 lost $25 on Small, seat 2 won $50 on Big, at 2 5 5. It has ended."""
    return one_round()


# What is refused


def test_before_the_first_payment_it_is_corrected_and_while_paying_it_waits(scene):
    scene.play((1, "small", 2_500), (2, "big", 5_000), (3, "big", 5_000), dice=[2, 5, 5])
    with scene.refused("slip-mend-it"):
        file(scene, "dice", dice=[1, 1, 2], corrects=1)
    scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    with scene.refused("slip-round-in-play"):
        file(scene, "dice", dice=[1, 1, 2], corrects=1)


def test_a_slip_disturbs_nothing_of_the_round_in_play(cleared):
    cleared.place((1, "small", 1_000))
    seen = cleared.version
    file(cleared, "dice", dice=[1, 1, 2])
    settle(cleared, (1, 5_000), (2, -10_000))
    assert cleared.version > seen
    cleared.act(
        "no_more_bets" if cleared.snapshot["next"]["act"] == "no_more_bets" else "shake",
        {"shakes": 3},
        seen=seen,
    )


@pytest.mark.parametrize(
    ("by", "witness", "kind", "code"),
    [
        (FLOOR, None, "dice", "slip-needs-two"),
        (FLOOR, FLOOR, "dice", "slip-needs-two"),
        ("dealer", "relief", "dice", "floorperson-must-sign"),
        (FLOOR, "surveillance", "dice", "slip-signer-elsewhere"),
        (FLOOR, "security", "dice", "slip-signer-elsewhere"),
        (FLOOR, "dealer", "void", "slip-manager-must-sign"),
    ],
)
def test_who_may_not_sign(cleared, by, witness, kind, code):
    said = {"dice": [1, 1, 2]} if kind == "dice" else {}
    with cleared.refused(code):
        file(cleared, kind, by=by, witness=witness, **said)


@pytest.mark.parametrize("kind", ["dice", "void"])
@pytest.mark.parametrize(("by", "witness"), [("pit-manager", "dealer"), ("relief", "shift-manager")])
def test_who_may_sign(cleared, by, witness, kind):
    file(cleared, kind, by=by, witness=witness, **({"dice": [1, 1, 2]} if kind == "dice" else {}))
    assert Slip.objects.get().filed_with.code == witness


@pytest.mark.parametrize(
    ("kind", "said", "code"),
    [
        ("dice", {"dice": [5, 2, 5]}, "slip-changes-nothing"),
        ("dice", {"dice": [5, 2]}, "wrong-number-of-dice"),
        ("dice", {"dice": [5, 2, 7]}, "no-such-face"),
        ("dice", {"dice": [1, 1, 2], "throw": 2}, "malformed"),
        ("dice", {}, "malformed"),
        ("wager", {"wagers": []}, "malformed"),
        ("wager", {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500}]}, "slip-wager-unchanged"),
        ("wager", {"wagers": [{"seat": 4, "wager": "small", "cents": 0}]}, "slip-wager-unchanged"),
        ("wager", {"wagers": [{"seat": 9, "wager": "small", "cents": 100}]}, "no-such-seat"),
        ("wager", {"wagers": [{"seat": 1, "wager": "large", "cents": 100}]}, "no-such-wager"),
        ("wager", {"wagers": 2 * [{"seat": 3, "wager": "small", "cents": 100}]}, "malformed"),
        ("wager", {"wagers": [{"seat": 3, "wager": "small", "cents": 100, "chips": "x"}]}, "malformed"),
        (
            "payment",
            {"payments": [{"seat": 2, "paid_cents": 5_000, "taken_cents": 0}]},
            "slip-payment-unchanged",
        ),
        ("payment", {"payments": [{"seat": 9, "paid_cents": 1, "taken_cents": 0}]}, "no-such-seat"),
        ("void", {"dice": [1, 1, 2]}, "malformed"),
        ("other", {}, "malformed"),
    ],
)
def test_what_cannot_be_filed(cleared, kind, said, code):
    with cleared.refused(code):
        seen = entry(cleared, "round.settled")[0]
        file(cleared, kind, by=FLOOR, witness="pit-manager", corrects=seen, **said)


def test_a_round_that_is_not_there_and_a_slip_that_is_not(cleared):
    with cleared.refused("no-such-round"):
        cleared.act("file_slip", {"round": 9}, witness=FLOOR)
    for code in ("ENS-0001", "ENS-1", "ENS-", "x", "ENS-٣"):
        with cleared.refused("no-such-slip"):
            settle(cleared, (1, 1), code=code)


def test_figures_that_were_not_those_seen_are_not_signed(cleared):
    seen = found(cleared, kind="dice", dice=[1, 1, 2]).corrects.seq
    file(cleared, "dice", dice=[1, 1, 2])
    with cleared.refused("slip-stands-otherwise"):
        file(cleared, "dice", dice=[6, 6, 6], corrects=seen)


def test_wagers_that_went_back_have_no_result_but_a_payment_may_be_wrong(scene):
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "cocked"}, witness="floorperson")
    for kind, said in (
        ("dice", {"dice": [1, 1, 2]}),
        ("wager", {"wagers": [{"seat": 2, "wager": "big", "cents": 100}]}),
    ):
        with scene.refused("slip-no-result"):
            file(scene, kind, corrects=1, **said)
    with scene.refused("slip-nothing-to-undo"):
        file(scene, "void", witness="pit-manager", corrects=1)
    file(scene, "payment", payments=[{"seat": 1, "paid_cents": 0, "taken_cents": 2_500}])
    assert entry(scene, "slip.filed")[2]["data"]["due"] == [{"seat": 1, "cents": 2_500}]


def test_a_throw_of_football_that_was_paid_waits_for_the_end_of_its_game():
    scene = make_scene("pa-577")
    scene.act("offer_dice", {"seat": 1, "accepted": True})
    scene.place((1, "touchdown", 1_000), (1, "penalty", 1_000, 1))
    scene.until("call_dice")
    with scene.refused("slip-mend-it"):
        file(scene, "dice", dice=[5, 5, 1], corrects=1)
    scene.act("call_dice", {"dice": [4, 3, 1]})
    scene.act("settle_seats")
    with scene.refused("slip-round-in-play"):
        file(scene, "dice", dice=[5, 5, 1], corrects=1)
