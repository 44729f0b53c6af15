"""Rounds settled again from the record alone: of every game, corrected, void, settled manually, changed by slips."""

import contextlib
import io
import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from audit import chain
from audit.models import Entry
from games.models import RulesSubmission
from tables.demo.simulation import play_round, simulated_tables
from tests.services.emptying import guards_aside
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file
from tests.tables.test_walks import walk

EVERY_RULES = ["pa-539", "pa-625a/B", "nj-19-47-9", "pa-675a", "pa-675a.6", "pa-577"]
DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


def settled_again(*arguments: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """What the record says otherwise than the rules, and the figures. What the tables of play say is left out."""
    differences, figures = readjudicated(*arguments)
    return [difference for difference in differences if "tables" not in difference], figures


def readjudicated(*arguments: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The differences of a run and its figures; that its exit status is 1 where there are any."""
    out, status = io.StringIO(), 0
    try:
        call_command("readjudicate", "--json", *arguments, stdout=out)
    except SystemExit as ended:
        status = int(ended.code or 0)
    *differences, figures = (json.loads(line) for line in out.getvalue().splitlines())
    assert len(differences) == figures["differences"]
    assert status == (1 if differences else 0)
    return differences, figures


@contextlib.contextmanager
def unguarded() -> Iterator[None]:
    """The record with its guards put aside, in the middle of a test's transaction."""
    connection.check_constraints()  # PostgreSQL alters no table that has some to check still
    with guards_aside(connection):
        yield
        connection.check_constraints()


def rewrite(
    scene: Scene, type_: str, change: Callable[[dict[str, Any]], None], *, rehash: bool = True
) -> int:
    """The newest entry of a type with other data, past the guards; with its own hash made to fit. Its number."""
    entry = Entry.objects.filter(stream=scene.table.stream, type=type_).latest("seq")
    body = json.loads(bytes(entry.body))
    change(body["data"])
    entry.body = chain.canonical(body)
    if rehash:
        entry.hash = chain.entry_hash(bytes(entry.prev), entry.body)
    with unguarded():
        entry.save()
    return int(entry.seq)


def about(differences: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Of each difference the entry, the seat, what differs, and both figures."""
    return [
        (
            difference["entry"],
            difference.get("seat"),
            difference["what"],
            difference["record"],
            difference["rules"],
        )
        for difference in differences
    ]


# Nothing differs


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.repeated)])
@pytest.mark.parametrize("rules", EVERY_RULES)
def test_rounds_of_random_acts_settle_again_as_they_are_recorded(rules, seed):
    scene = make_scene(rules)
    rounds = walk(scene, random.Random(f"again {rules} {seed}"))
    found, figures = settled_again()
    assert found == []
    assert figures["rounds"] == rounds and figures["settlements"] >= rounds


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-675a", "pa-577"])
def test_simulated_rounds_settle_again_apart_from_real_play(rules):
    scene = make_scene(rules, opened=False)
    (one,) = simulated_tables(scene.table.facility, 1, "RS-0009")
    draw = random.Random(rules)
    for _ in range(8):
        play_round(one, draw)
    assert settled_again("--training")[1]["rounds"] == 8
    assert settled_again("--training")[0] == []
    assert settled_again()[1]["rounds"] == 0


def test_a_payout_limit_cuts_the_same_again():
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    scene.place((1, "pip:6", 2_000), (1, "like-kind:8", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6] * 8 + [1, 2]})
    scene.finish()
    assert scene.last_round.paid_cents == 7_500_000
    cut = [line for line in lines_of(scene, "round.settled") if "cut_cents" in line]
    assert cut and settled_again()[0] == []


def lines_of(scene: Scene, type_: str) -> list[dict[str, Any]]:
    entry = Entry.objects.filter(stream=scene.table.stream, type=type_).latest("seq")
    return json.loads(bytes(entry.body))["data"]["settled"]


def test_a_void_between_two_throws_settles_again_with_what_was_decided_before_it():
    scene = make_scene("pa-675a")
    scene.place((1, "pip:6", 1_000), (1, "like-kind:5", 1_000), (1, "extra-roll", 1_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 6, 1, 2, 3, 4, 5, 1, 2]})
    scene.act("move_dice")
    scene.act("settle_seats")
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    returned = {line["wager"]: line["returned_cents"] for line in lines_of(scene, "round.voided")}
    assert returned == {"like-kind:5": 1_000, "extra-roll": 1_000}
    assert settled_again() == ([], {"rounds": 1, "settlements": 2, "wagers": 4, "differences": 0})


def test_a_slip_on_a_round_that_was_void_between_two_throws_settles_again():
    """Seat 2 lost on the first throw, and seat 1 would come first if the whole round were settled at once."""
    scene = make_scene("pa-577")
    scene.place((1, "touchdown", 1_000), (2, "trips-td", 1_000, 1))
    scene.act("offer_dice", {"seat": scene.snapshot["round"]["game"]["offer"]["next"], "accepted": True})
    scene.act("throw_dice")
    scene.act("call_dice", {"dice": [1, 2, 4]})
    scene.act("settle_seats")
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    file(scene, "void", witness="pit-manager")
    assert [one["seat"] for one in lines_of(scene, "slip.filed")] == [2, 1]
    assert settled_again()[0] == []


def test_a_struck_wager_that_is_found_to_have_lain_there_settles_again(scene):
    scene.place((1, "small", 1_000), (1, "total:9", 1_000), (1, "one-of-a-kind:2", 1_000))
    scene.to_the_dice()
    mistake = {"seat": 1, "wager": "small", "reason": "seen on camera"}
    scene.act("call_dice", {"dice": [2, 2, 5]})
    scene.act("strike_mistaken_wager", mistake, witness="floorperson")
    scene.act("record_missed_wager", {**mistake, "cents": 2_000}, witness="floorperson")
    scene.act("correct_dice", {"dice": [2, 2, 4], "reason": "misread"}, witness="floorperson")
    scene.finish()
    assert next(line["wager"] for line in lines_of(scene, "dice.corrected")) == "total:9"
    assert settled_again() == ([], {"rounds": 1, "settlements": 4, "wagers": 11, "differences": 0})


def test_rounds_settled_manually_and_recorded_later_settle_again(scene):
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    scene.act("report_device_failure", {"what": "device", "dice": [1, 2, 3]}, witness="floorperson")
    scene.finish()
    scene.repair()
    wagers = [{"seat": 2, "wager": "big", "cents": 1_000}, {"seat": 1, "wager": "total:11", "cents": 500}]
    scene.settle_by_hand(wagers=wagers, dice=[5, 5, 1])
    assert settled_again() == ([], {"rounds": 2, "settlements": 2, "wagers": 3, "differences": 0})


def test_a_complete_game_on_paper_settles_again_throw_by_throw():
    scene = make_scene("pa-577")
    wagers = [
        {"seat": 1, "wager": "touchdown", "cents": 1_000},
        {"seat": 1, "wager": "penalty", "play": 1, "cents": 1_000},
    ]
    scene.settle_by_hand(wagers=wagers, throws=[[1, 1, 5], [1, 1, 6]])
    assert settled_again() == ([], {"rounds": 1, "settlements": 1, "wagers": 2, "differences": 0})


@pytest.mark.parametrize("kind", ["dice", "wager", "payment", "void"])
def test_a_slip_settles_again_with_its_correction(scene, kind):
    file_a_slip(scene, kind)
    assert settled_again() == ([], {"rounds": 1, "settlements": 2, "wagers": 4, "differences": 0})


def file_a_slip(scene: Scene, kind: str) -> None:
    """A round of two wagers, and a slip of this kind about it."""
    scene.play((1, "small", 1_000), (2, "total:9", 1_000), dice=[2, 2, 5])
    scene.finish()
    wrong: dict[str, Any] = {
        "dice": {"dice": [2, 2, 6]},
        "wager": {"wagers": [{"seat": 1, "wager": "small", "cents": 2_000, "chips": "recorded"}]},
        "payment": {"payments": [{"seat": 2, "paid_cents": 5_000, "taken_cents": 0}]},
        "void": {},
    }[kind]
    newest = {"dice": "round.settled", "payment": "winners.paid"}.get(kind, "round.settled")
    seq = Entry.objects.filter(stream=scene.table.stream, type=newest).latest("seq").seq
    params = {"round": 1, "kind": kind, "corrects": seq, "reason": "seen on camera", **wrong}
    scene.act("file_slip", params, by="shift-manager", witness="floorperson", device=scene.podium)


# What differs is named


def test_a_changed_payment_is_named_with_its_entry_seat_and_both_figures(scene):
    scene.play((3, "total:9", 1_000), dice=[2, 2, 5])
    scene.finish()
    seq = rewrite(scene, "round.settled", lambda data: data["settled"][0].update(paid_cents=9_000))
    assert about(settled_again()[0]) == [(seq, 3, "paid_cents", 9_000, 6_000)]


def test_changed_dice_are_named_by_all_that_they_would_have_settled(scene):
    scene.play((3, "total:9", 1_000), dice=[2, 2, 5])
    scene.finish()
    seq = rewrite(scene, "round.settled", lambda data: data.update(dice=[2, 2, 6]))
    found = about(settled_again()[0])
    assert (seq, 3, "outcome", "win", "lose") in found
    assert (seq, None, "paid_cents", 6_000, 0) in found
    assert (
        seq,
        None,
        "called",
        {"code": "called-small", "total": 9},
        {"code": "called-small", "total": 10},
    ) in found


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda data: data["settled"].reverse(), "order"),
        (lambda data: data["settled"].pop(), "settled"),
        (lambda data: data["settled"].append(data["settled"][0]), "settled"),
        (lambda data: data["settled"][0].update(cite="58 Pa. Code § 625a.5"), "cite"),
        (lambda data: data["settled"][0].update(pays="9 to 1"), "pays"),
        (lambda data: data["lit"].pop(), "lit"),
        (lambda data: data.update(taken_cents=1), "taken_cents"),
        (lambda data: data.update(settled="nothing"), "settled"),
        (lambda data: data.pop("dice"), "entry"),
        (lambda data: data.update(dice=[7, 7, 7]), "entry"),
        (lambda data: data.update(dice="2 2 5"), "entry"),
    ],
)
def test_whatever_of_a_settlement_is_changed_is_named(scene, change, named):
    scene.play((1, "small", 1_000), (2, "total:9", 1_000), (3, "big", 1_000), dice=[2, 2, 5])
    seq = rewrite(scene, "round.settled", change)
    found = settled_again()[0]
    assert (seq, named) in {(one["entry"], one["what"]) for one in found}


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        ("wagers.placed", "wagered_cents"),
        ("bets.closed", "wagered_cents"),
        ("losers.taken", "taken_cents"),
        ("winners.paid", "paid_cents"),
        ("layout.cleared", "paid_cents"),
    ],
)
def test_changed_money_of_a_later_entry_is_named(scene, type_, name):
    scene.play((1, "small", 1_000), (3, "big", 1_000), dice=[2, 2, 5])
    scene.finish()
    right: dict[str, int] = {}

    def change(data: dict[str, Any]) -> None:
        right[name] = data[name]
        data[name] += 1

    seq = rewrite(scene, type_, change)
    assert about(settled_again()[0]) == [(seq, None, name, right[name] + 1, right[name])]


def test_a_changed_wager_shows_in_all_that_was_settled_by_it(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    rewrite(scene, "wagers.placed", lambda data: data["placed"][0].update(cents=5_000))
    named = {one["what"] for one in settled_again()[0]}
    assert {"wagered_cents", "cents", "paid_cents", "returned_cents"} <= named


def test_a_body_that_is_not_the_one_that_was_hashed_is_named_though_its_figures_agree(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    seq = rewrite(scene, "dice.shaken", lambda data: data.update(shakes=4), rehash=False)
    found = settled_again()[0]
    assert [(one["entry"], one["what"]) for one in found] == [(seq, "hash")]


def test_terms_that_are_found_nowhere_are_named_and_nothing_is_settled_by_guess(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    with unguarded():
        Entry.objects.filter(type="rules.approved").delete()
        RulesSubmission.objects.update(terms_sha256="0" * 64)
    found = settled_again()[0]
    assert [(one["what"], one["rules"]) for one in found] == [("terms", "found nowhere")]


def test_terms_that_were_changed_where_they_are_filed_do_not_stand_for_those_of_the_round(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    with unguarded():
        Entry.objects.filter(type="rules.approved").delete()
        for row in RulesSubmission.objects.all():
            RulesSubmission.objects.filter(pk=row.pk).update(terms=row.terms.replace("1 to 1", "2 to 1"))
    assert [one["rules"] for one in settled_again()[0]] == ["found nowhere"]


@pytest.mark.parametrize("name", ["due", "before", "paid_cents", "throws", "ending", "mended"])
def test_a_changed_slip_is_named(scene, name):
    file_a_slip(scene, "dice")
    wrong: dict[str, Any] = {
        "due": [],
        "before": {},
        "paid_cents": 1,
        "throws": [{"throw": 1, "dice": [1, 1, 1]}],
        "ending": "void",
        "mended": {"throw": 1, "before": [6, 6, 6], "after": [1, 2, 3]},
    }
    seq = rewrite(scene, "slip.filed", lambda data: data.update({name: wrong[name]}))
    assert (seq, name) in {(one["entry"], one["what"]) for one in settled_again()[0]}


def test_what_a_slip_says_that_stood_and_that_moved_is_compared_too(scene):
    scene.play((1, "small", 1_000), dice=[1, 2, 4])
    scene.finish()
    file(scene, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 3_000}])
    scene.act(
        "settle_slip",
        {"slip": "ENS-0001", "moved": [{"seat": 1, "cents": 2_000}]},
        witness="floorperson",
    )
    assert settled_again()[0] == []
    filed = rewrite(scene, "slip.filed", lambda data: data["mended"]["wagers"][0].update(before_cents=2_000))
    moved = rewrite(scene, "slip.settled", lambda data: data["moved"][0].update(cents=2_001))
    assert {(filed, "before_cents", 1_000), (moved, "moved", None)} <= {
        (one["entry"], one["what"], one["rules"] if isinstance(one["rules"], int) else None)
        for one in settled_again()[0]
    }


def test_the_dice_of_a_correction_and_a_fee_are_compared_too():
    scene = make_scene("pa-675a")
    scene.place((1, "pip:6", 1_000), (1, "like-kind:5", 1_000), (1, "extra-roll", 1_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 6, 1, 2, 3, 4, 5, 1, 2]})
    missed = {"seat": 2, "wager": "pip:1", "cents": 1_000, "reason": "overlooked"}
    scene.act("record_missed_wager", missed, witness="floorperson")
    assert settled_again()[0] == []
    corrected = rewrite(
        scene, "wager.missed", lambda data: data.update(dice=[6, 6, 6, 1, 2, 3, 4, 5, 1, 1]), rehash=False
    )
    fee = rewrite(scene, "fees.collected", lambda data: data.update(fees_cents=999))
    assert {(corrected, "dice"), (fee, "fees_cents")} <= {
        (one["entry"], one["what"]) for one in settled_again()[0]
    }


# Ranges


def test_a_round_that_began_before_the_range_is_compared_from_the_range_on(hands):
    scene = make_scene()
    scene.place((1, "small", 1_000))
    hands.now += DAY / 24
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 2, 5]})
    settled_at = hands.now
    rewrite(scene, "wagers.placed", lambda data: data.update(wagered_cents=1))
    since = settled_at.isoformat()
    assert settled_again("--from", since) == (
        [],
        {"rounds": 1, "settlements": 1, "wagers": 1, "differences": 0},
    )
    assert [one["what"] for one in settled_again("--to", since)[0]] == ["wagered_cents"]
    assert len(settled_again()[0]) == 1


def test_a_stream_that_is_asked_for_alone_is_the_only_one_that_is_settled(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    assert settled_again("--stream", "larkfield/T-01")[1]["rounds"] == 1
    assert settled_again("--stream", "larkfield/sign-in")[1]["rounds"] == 0
    with pytest.raises(CommandError, match="There is no stream larkfield/T-99"):
        settled_again("--stream", "larkfield/T-99")


def test_on_a_terminal_a_difference_reads_as_a_sentence(scene):
    scene.play((3, "total:9", 1_000), dice=[2, 2, 5])
    seq = rewrite(scene, "round.settled", lambda data: data["settled"][0].update(paid_cents=9_000))
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("readjudicate", stdout=out)
    first, *play, last = out.getvalue().splitlines()
    assert first == (
        f"larkfield/T-01 entry {seq}, round 1: seat 3, total:9, paid: the record says $90, the rules give $60"
    )
    assert play[-1] == (
        f"larkfield/T-01 entry {seq}, round 1, settlement of seat 3, total:9: paid cents: "
        "the record says 9000, the row says 6000"
    )
    assert last.startswith("1 rounds settled again: 1 settlements of 1 wagers")
    assert last.endswith(f"Differences: {len(play) + 1}.")
