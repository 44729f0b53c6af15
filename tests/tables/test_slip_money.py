"""The money of a slip moves and is told apart; what an outsider, the page and the preview find."""

import datetime as dt
import io
import json

import pytest

from audit import verify
from audit.export import lines, select
from tables.core.entries import of_round
from tables.corrections.slip_page import slip_panel
from tables.corrections.slips import CorrectedTrays
from tables.models import Slip
from tables.replay import readjudication
from tables.replay.replayed_round import RulesFinder
from tests.tables.slip_scene import FLOOR, entry, file, review, settle, win_change_cents
from tests.tables.test_readjudicate import settled_again

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleared(hands, scene):
    """Round 1: seat 1 lost $25 on Small, seat 2 won $50 on Big, at 2 5 5. It has ended."""
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    return scene


# The money moves


def test_settling_says_what_moved_and_ends_the_notice(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    filed = entry(cleared, "slip.filed")
    (alert,) = cleared.snapshot["alerts"]
    assert (alert["kind"], alert["level"], alert["title"]) == ("slip", "info", "Slip ENS-0001 to settle")
    settle(cleared, (1, 5_000), (2, -10_000), by=FLOOR, witness="relief")
    assert entry(cleared, "slip.settled")[2]["data"] == {
        "slip": "ENS-0001",
        "round": 1,
        "corrects": {"seq": filed[0], "hash": filed[1]},
        "due": [{"seat": 1, "cents": 5_000}, {"seat": 2, "cents": -10_000}],
        "moved": [{"seat": 1, "cents": 5_000}, {"seat": 2, "cents": -10_000}],
        "reason": "",
    }
    assert cleared.snapshot["alerts"] == []
    slip = Slip.objects.get()
    assert (slip.status, slip.settled_by.code, slip.settled_with.code) == ("settled", FLOOR, "relief")
    with cleared.refused("slip-settled-already"):
        settle(cleared, (1, 5_000), (2, -10_000))


def test_less_than_is_due_needs_a_reason_and_more_is_refused(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    with cleared.refused("slip-say-why-less"):
        settle(cleared, (1, 5_000), (2, -4_000))
    for moved in ([(1, 5_001), (2, -10_000)], [(1, 5_000), (2, 100)], [(1, -1), (2, -10_000)]):
        with cleared.refused("slip-moved-more"):
            settle(cleared, *moved, reason="x")
    for moved in ([(1, 5_000)], [(1, 5_000), (2, -10_000), (3, 0)]):
        with cleared.refused("slip-other-seats"):
            settle(cleared, *moved)
    settle(cleared, (1, 5_000), (2, 0), reason="The player has left")
    slip = Slip.objects.get()
    assert slip.handed_over == [{"seat": 1, "cents": 5_000}, {"seat": 2, "cents": 0}]


def test_a_void_is_settled_by_a_manager_too(cleared):
    file(cleared, "void", witness="pit-manager")
    with cleared.refused("slip-manager-must-sign"):
        settle(cleared, (1, 2_500), (2, -5_000))
    settle(cleared, (1, 2_500), (2, -5_000), witness="shift-manager")


def test_while_a_slip_waits_nobody_can_say_what_was_handed_over_in_all(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    payments = [{"seat": 1, "paid_cents": 0, "taken_cents": 0}]
    with cleared.refused("slip-settle-first"):
        file(cleared, "payment", payments=payments, corrects=1)
    settle(cleared, (1, 0), (2, -10_000), reason="The player has left")
    file(cleared, "payment", payments=payments)  # and came back: nothing of 2,500 was handed over
    assert entry(cleared, "slip.filed")[2]["data"]["due"] == [{"seat": 1, "cents": 2_500}]


# What an outsider and a screen find


def test_settled_again_from_the_record_alone_every_slip_comes_to_the_same(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    wagers = [
        {"seat": 1, "wager": "small", "cents": 0, "chips": "player"},
        {"seat": 4, "wager": "two-dice:1-2", "cents": 700, "chips": "house"},
    ]
    file(cleared, "wager", wagers=wagers)
    settle(cleared, (1, 5_000), (2, -10_000))
    settle(cleared, (1, -2_500), (4, 3_500 + 700), code="ENS-0002")
    file(cleared, "payment", payments=[{"seat": 4, "paid_cents": 3_000, "taken_cents": 0}])
    file(cleared, "void", witness="pit-manager")
    file(cleared, "dice", dice=[1, 1, 2])
    found = readjudication.readjudicate_round(of_round(cleared.fresh.stream, 1), "larkfield", RulesFinder())
    assert found.differences == []
    assert [win_change_cents(slip) for slip in Slip.objects.order_by("number")] == [
        5_000,
        -1_000,
        0,
        -1_500,
        1_500,
    ]


def test_a_range_that_begins_in_a_round_with_a_slip_about_an_older_one_settles_both_again(hands, cleared):
    cleared.place((1, "small", 2_500))
    hands.now += dt.timedelta(hours=1)
    file(cleared, "dice", dice=[1, 1, 2])
    cleared.to_the_dice()
    cleared.act("call_dice", {"dice": [1, 2, 4]})
    cleared.finish()
    figures = {"rounds": 2, "settlements": 2, "wagers": 3, "differences": 0}
    assert settled_again("--from", "2026-11-21T16:00:00Z") == ([], figures)


def test_the_verifier_checks_the_settlement_of_every_slip(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    settle(cleared, (1, 5_000), (2, -10_000))
    file(cleared, "void", witness="pit-manager")
    file(cleared, "dice", dice=[2, 5, 5])
    verify.verify(io.BytesIO(b"".join(lines(select([cleared.fresh.stream.name])))))


@pytest.mark.parametrize(
    ("states_it", "after_filing", "after_review"), ((True, 0, -100_000), (False, -100_000, -100_000))
)
def test_chips_that_are_gone_by_an_older_entry_are_off_the_tray_at_once(
    cleared, states_it, after_filing, after_review
):
    """An entry of before the sum was stated took them off when it was filed, whatever its review said then."""
    file(cleared, "payment", payments=[{"seat": 2, "paid_cents": 105_000, "taken_cents": 0}])
    filed = entry(cleared, "slip.filed")[2]["data"]
    assert (filed["elsewhere_cents"], filed["review"]["before_money"]) == (-100_000, True)
    review(cleared)
    if not states_it:
        del filed["elsewhere_cents"]
    trays = CorrectedTrays({1: 0})
    trays.apply("inventory.opener_counted", {"inventory": 1})
    trays.apply("slip.filed", filed)
    assert trays.cents == {1: after_filing}
    trays.apply("slip.reviewed", entry(cleared, "slip.reviewed")[2]["data"])
    assert trays.cents == {1: after_review}


def test_the_preview_says_what_is_owed_and_changes_nothing(cleared):
    browser = cleared.browser("podium", signed_in=FLOOR)
    before = cleared.version
    asked = {"said": json.dumps({"kind": "dice", "dice": [1, 1, 2]})}
    answer = browser.get("/floor/larkfield/T-01/rounds/1/slip", asked)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "Seat 1" in text and "$50" in text and "$100" in text and "won $25 on $25" in text
    assert f'data-corrects="{entry(cleared, "round.settled")[0]}"' in text
    for said in (
        "",
        "[]",
        "x",
        json.dumps({"kind": "dice", "dice": [5, 2, 5]}),
        json.dumps({"kind": "void", "a": 1}),
    ):
        assert browser.get("/floor/larkfield/T-01/rounds/1/slip", {"said": said}).status_code == 422
    assert browser.get("/floor/larkfield/T-01/rounds/99/slip", asked).status_code == 403
    assert (cleared.version, Slip.objects.count()) == (before, 0)
    stranger = cleared.browser("podium", signed_in="stranger")
    assert stranger.get("/floor/larkfield/T-01/rounds/1/slip", asked).status_code == 403


def test_the_page_of_a_round_shows_its_slips_and_offers_them_to_those_who_work_there(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    settle(cleared, (1, 5_000), (2, -4_000), reason="The player has left")
    file(
        cleared,
        "payment",
        payments=[{"seat": 2, "paid_cents": 700, "taken_cents": 5_000}],
        reason="miscounted",
    )
    table, round_ = cleared.fresh, cleared.last_round
    panel = slip_panel(table, round_, cleared.people["dealer"])
    first, second = panel["filed"]
    assert (first["code"], first["corrections"][0]["before"], first["corrections"][0]["after"]) == (
        "ENS-0001",
        [2, 5, 5],
        [1, 1, 2],
    )
    assert [(one["label"], one["before"], one["after"]) for one in first["figures"]] == [
        ("Taken", 2_500, 5_000),
        ("Paid", 5_000, 2_500),
        ("Returned", 5_000, 2_500),
        ("Win", -2_500, 2_500),
    ]
    assert first["settled"]["moved"] == "$50 to seat 1, $40 from seat 2"
    assert (first["open"], first["settled"]["reason"]) == (False, "The player has left")
    assert (second["open"], second["figures"], second["owed"]) == (True, [], "$7 from seat 2")
    assert second["corrections"] == [{"what": "Seat 2", "before": "$0 paid", "after": "$7 in fact"}]
    assert {one["code"] for one in panel["form"]["signers"]} == {
        FLOOR,
        "casino-supervisor",
        "pit-manager",
        "shift-manager",
    }
    for person in ("compliance", "surveillance", "stranger", "gaming-agent"):
        shown = slip_panel(table, round_, cleared.people[person])
        assert (shown["may_file"], shown["settles"], shown["form"], len(shown["filed"])) == (
            False,
            False,
            None,
            2,
        )
    text = (
        cleared.browser("podium", signed_in="compliance")
        .get("/floor/larkfield/T-01/rounds/1/")
        .content.decode()
    )
    assert "ENS-0002" in text and 'data-open="file-slip"' not in text and "settle-slip" not in text
