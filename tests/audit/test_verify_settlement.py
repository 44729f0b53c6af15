"""`verify.py` settles each round by the terms in the file. What somebody wrote otherwise, with every hash right, is
named by its stream, its number and what is wrong.
"""

import contextlib
import hashlib
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from audit import chain, export, verify
from audit.models import Entry
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file, settle
from tests.tables.test_walks import walk

from .outsider import recorded

pytestmark = pytest.mark.django_db

EVERY_RULES = ["pa-539", "pa-625a/A", "pa-625a/B", "nj-19-47-9", "pa-675a", "pa-675a.6", "pa-577"]
TABLE = "larkfield/T-01"
Change = Callable[[dict[str, Any]], object]


def record_of(*names: str, **how: Any) -> bytes:
    return b"".join(export.lines(export.select(names, **how)))


def check(record: bytes) -> verify.Settlements:
    """What was settled again; raises verify.Bad."""
    collected = verify.Collected()
    verify.verify(io.BytesIO(record), collected=collected)
    return collected.settlements


def lines_of(record: bytes) -> list[str]:
    collected = verify.Collected()
    verify.verify(io.BytesIO(record), collected=collected)
    return list(collected.settlements.lines())


def changed(record: bytes, type_: str, change: Change, nth: int = -1, name: str = TABLE) -> tuple[bytes, int]:
    """The record with other data in one entry of a type, by default the last, and every hash right; its number."""
    seqs: list[int] = []

    def edit(bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
        entries = [body for body in bodies if (body["stream"], body["_type"]) == (name, type_)]
        if entries:
            change(entries[nth]["data"])
            seqs.append(entries[nth]["seq"])
        return bodies

    return recorded(record, edit), seqs[0]


def said_of(record: bytes, type_: str, change: Change, nth: int = -1) -> str:
    """What the verifier says of a record in which one entry has other data. It names the stream and the number."""
    assert check(record).rounds
    edited, seq = changed(record, type_, change, nth)
    with pytest.raises(verify.Bad) as raised:
        check(edited)
    assert (raised.value.stream, raised.value.seq) == (TABLE, seq), raised.value
    return raised.value.reason


def settled_otherwise(outcome: str, pays: str | None = None, place: int = 0) -> Change:
    """Settle a wager otherwise, with sums that agree."""

    def change(data: dict[str, Any]) -> None:
        line = data["settled"][place]
        line.pop("cut_cents", None)
        line |= {"outcome": outcome, "pays": pays, "paid_cents": 0, "returned_cents": 0}
        if outcome == "win":
            to, per = map(int, str(pays).split(" to "))
            line |= {"paid_cents": line["cents"] * to // per, "returned_cents": line["cents"]}
        add_up(data)

    return change


def add_up(data: dict[str, Any]) -> None:
    lines = data["settled"]
    data["paid_cents"] = sum(line["paid_cents"] for line in lines)
    data["returned_cents"] = sum(line["returned_cents"] for line in lines)
    data["taken_cents"] = sum(line["cents"] for line in lines) - data["returned_cents"]


def more(name: str, cents: int = 500_000) -> Change:
    return lambda data: data.update({name: data[name] + cents})


# Nothing is wrong


@pytest.mark.parametrize("rules", EVERY_RULES)
def test_rounds_of_random_acts_are_settled_again_without_a_difference(rules):
    scene = make_scene(rules)
    ended = walk(scene, random.Random(f"verify {rules}"))
    settlements = check(record_of())
    without_settlement = ended - settlements.rounds
    assert settlements.not_settled == {} and settlements.rounds >= 1 and without_settlement >= 0


def play(scene: Scene, *wagers: tuple[int, str, int], dice: list[int]) -> None:
    scene.play(*wagers, dice=dice)
    scene.finish()


def sic_bo() -> Scene:
    """Two rounds of Sic Bo under table A: total 8 of $5 wins 8 to 1."""
    scene = make_scene("pa-625a/A")
    play(scene, (1, "total:8", 500), (2, "small", 1_000), (3, "big", 2_000), dice=[1, 3, 4])
    play(scene, (1, "small", 500), dice=[2, 2, 2])
    return scene


def high_roll(**options: Any) -> Scene:
    """A round of ten dice with an Extra Roll of seat 1: five aces, then one more."""
    scene = make_scene("pa-675a", **options)
    scene.place(
        *((1, code, 1_000) for code in ("pip:1", "like-kind:5", "like-kind:6", "extra-roll")),
        (2, "pip:6", 2_000),
        (2, "millionaire:9", 100),
    )
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1] * 5 + [2, 2, 3, 3, 4]})
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 2, 2, 3, 4]})
    scene.finish()
    return scene


def football() -> Scene:
    """A game with a gain of 11 yards, a penalty, and a Trips TD on the third play."""
    scene = make_scene("pa-577")
    scene.act("offer_dice", {"seat": 1, "accepted": True})
    scene.place(
        (1, "touchdown", 1_000), (1, "defense", 1_000), (2, "game-length:3", 1_000), (1, "big-play", 500, 1)
    )
    for dice in ([6, 6, 1], [1, 1, 5], [4, 4, 4]):
        scene.until("call_dice")
        scene.act("call_dice", {"dice": dice})
        while scene.round is not None and scene.snapshot["next"]["act"] == "settle_seats":
            scene.act("settle_seats")
    scene.finish()
    return scene


FIRST_THROW = {"high-roll": "throw.settled", "sic-bo": "round.settled", "football": "throw.settled"}
SCENES = {"sic-bo": sic_bo, "high-roll": high_roll, "football": football}


@pytest.mark.parametrize(("game", "rounds"), [("sic-bo", 2), ("high-roll", 1), ("football", 1)])
def test_the_scenes_of_this_file_are_good(game, rounds):
    SCENES[game]()
    assert check(record_of()).rounds == rounds


# A false settlement


def test_total_8_paid_at_9_to_1_is_named_where_the_terms_in_the_file_say_8():
    sic_bo()
    change = settled_otherwise("win", "9 to 1", place=1)
    assert said_of(record_of(), "round.settled", change, nth=0) == (
        "it settles seat 1's total:8: 500 cents win 4500 at 9 to 1; its terms give 500 cents win 4000 at 8 to 1"
    )


@pytest.mark.parametrize(
    ("game", "dice", "reason"),
    [
        ("sic-bo", [6, 6, 6], "it settles seat 1's total:8: 500 cents win 4000 at 8 to 1; its terms give 500"),
        ("high-roll", [2] * 5 + [1, 1, 3, 3, 4], "it settles seat 1's pip:1: 1000 cents win 3000 at 3 to 1; its terms"),
        ("football", [4, 4, 4], "it does not settle seat 1's defense: its terms give 1000 cents lose"),
    ],
)  # fmt: skip
def test_other_dice_over_a_settlement_are_named(game, dice, reason):
    SCENES[game]()
    said = said_of(record_of(), FIRST_THROW[game], lambda data: data.update(dice=dice), 0)
    assert reason in said


@pytest.mark.parametrize("game", SCENES)
@pytest.mark.parametrize("name", ["taken_cents", "paid_cents"])
def test_a_layout_cleared_with_5000_dollars_more_is_named(game, name):
    SCENES[game]()
    assert said_of(record_of(), "layout.cleared", more(name)).startswith(f"its {name} is ")


@pytest.mark.parametrize("game", SCENES)
@pytest.mark.parametrize("dice", [[], [1], [7, 7, 7], [0] * 10, [1, 2, 3, 4]])
def test_dice_that_nobody_can_throw_are_named(game, dice):
    SCENES[game]()
    said = said_of(record_of(), FIRST_THROW[game], lambda data: data.update(dice=dice), 0)
    assert said.startswith("its dice are "), said


@pytest.mark.parametrize(
    ("game", "type_"),
    [("sic-bo", "round.settled"), ("high-roll", "throw.settled"), ("football", "round.settled")],
)
def test_a_wager_that_is_left_out_settled_twice_or_made_up_is_named(game, type_):
    SCENES[game]()
    record = record_of()

    def left_out(data):
        data["settled"].pop()
        add_up(data)

    def made_up(data):
        data["settled"].append({**data["settled"][0], "seat": 5})
        add_up(data)

    def twice(data):
        data["settled"].append(dict(data["settled"][0]))
        add_up(data)

    def turned(data):
        data["settled"].reverse()

    assert said_of(record, type_, left_out).startswith("it does not settle seat ")
    assert "which is not to be settled here" in said_of(record, type_, made_up)
    assert said_of(record, type_, twice) == "it settles a wager twice"
    if len(json.loads(bytes(Entry.objects.filter(type=type_).latest("seq").body))["data"]["settled"]) > 1:
        assert said_of(record, type_, turned) == "its wagers are not in the order of settlement"


@pytest.mark.parametrize("game", SCENES)
def test_another_stake_than_was_placed_is_named_where_it_is_first_seen(game):
    SCENES[game]()

    def raised(data):
        data["placed"][0]["cents"] += 100_000

    assert said_of(record_of(), "wagers.placed", raised, 0).startswith("its wagered_cents is ")

    def raised_in_both(data):
        raised(data)
        data["wagered_cents"] += 100_000

    edited, seq = changed(record_of(), "wagers.placed", raised_in_both, 0)
    with pytest.raises(verify.Bad) as raised_later:
        check(edited)
    assert raised_later.value.stream == TABLE and (raised_later.value.seq or 0) > seq


@pytest.mark.parametrize(
    ("game", "type_", "name"),
    [
        ("sic-bo", "losers.taken", "taken_cents"),
        ("sic-bo", "winners.paid", "paid_cents"),
        ("sic-bo", "bets.closed", "wagered_cents"),
        ("high-roll", "seats.settled", "taken_cents"),
        ("high-roll", "seats.settled", "paid_cents"),
        ("high-roll", "fees.collected", "fees_cents"),
        ("high-roll", "extra_rolls.locked_out", "fees_cents"),
        ("football", "seats.settled", "paid_cents"),
        ("football", "dice.thrown", "wagered_cents"),
    ],
)
def test_a_sum_that_the_wagers_do_not_come_to_is_named(game, type_, name):
    SCENES[game]()
    assert said_of(record_of(), type_, more(name)).startswith(f"its {name} is ")


def test_seats_that_are_not_due_or_paid_twice_are_named():
    sic_bo()
    assert said_of(record_of(), "winners.paid", lambda data: data.update(seats=[3]), 0) == (
        "it names the seats 3, and due are 1, 2"
    )


def test_a_round_without_the_entries_that_pay_it_cannot_be_cleared():
    sic_bo()

    def without_payments(bodies):
        kept = [body for body in bodies if body["_type"] != "winners.paid"]
        first = bodies[0]["seq"] if bodies else 1
        return [{**body, "seq": seq} for seq, body in enumerate(kept, first)]

    with pytest.raises(verify.Bad, match="it clears a layout on which wagers are not settled yet"):
        check(recorded(record_of(), without_payments))


@pytest.mark.parametrize("type_", ["round.settled", "layout.cleared"])
def test_a_round_that_is_missing_or_ends_twice_is_named(type_):
    scene = sic_bo()
    play(scene, (1, "small", 500), dice=[1, 2, 2])

    def without_the_second(bodies):
        kept = [body for body in bodies if body["data"].get("round") != 2]
        return [{**body, "seq": seq} for seq, body in enumerate(kept, 1)]

    with pytest.raises(verify.Bad, match="it is of round 3, and round 2 is due"):
        check(recorded(record_of(), without_the_second))
    edited, _seq = changed(record_of(), type_, lambda data: data.update(round=1))
    with pytest.raises(verify.Bad, match="it is of round"):
        check(edited)


def test_a_wager_after_no_more_bets_is_named():
    scene = make_scene("pa-625a/A")
    scene.place((1, "small", 500))
    scene.to_closed_bets()

    def moved_after(bodies):
        places = {body["_type"]: place for place, body in enumerate(bodies)}
        if "bets.closed" in places:
            place, later = places["wagers.placed"], places["bets.closed"]
            bodies[place]["data"], bodies[later]["data"] = bodies[later]["data"], bodies[place]["data"]
            bodies[place]["_type"], bodies[later]["_type"] = "bets.closed", "wagers.placed"
            bodies[place]["data"]["wagered_cents"] = 0
        return bodies

    with pytest.raises(verify.Bad, match="it places wagers after no more bets"):
        check(recorded(record_of(), moved_after))


def test_football_wagers_on_a_game_that_began_or_on_another_play_are_named():
    football()

    def later_play(data):
        next(line for line in data["placed"] if "play" in line)["play"] = 2

    assert (
        said_of(record_of(), "wagers.placed", later_play)
        == "seat 1's big-play on play 2 is not on the next play, 1"
    )


# A payout limit


def test_a_payout_limit_is_applied_and_a_cut_that_is_left_out_is_named():
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    scene.place((1, "pip:6", 2_000), (1, "like-kind:8", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6] * 8 + [1, 2]})
    scene.finish()
    assert check(record_of()).rounds == 1

    def uncut(data):
        for line in data["settled"]:
            line["paid_cents"] += line.pop("cut_cents", 0)
        add_up(data)

    assert "less 2508000 by the payout limit" in said_of(record_of(), "round.settled", uncut)


# Rounds without a result


def test_wagers_that_go_back_go_back_whole_and_chips_handed_back_are_those_of_the_round():
    scene = make_scene("pa-539")
    scene.place((1, "small", 500), (3, "big", 700))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "cocked"}, witness="floorperson")
    scene.act("return_wagers", dict(scene.snapshot["next"]["params"]))
    assert check(record_of()).rounds == 1
    assert said_of(record_of(), "wagers.returned", more("returned_cents", 1)).startswith(
        "its returned_cents is "
    )
    assert said_of(record_of(), "wagers.returned", lambda data: data["seats"].append(4)) == (
        "it names the seats 1, 3, 4, and due are 1, 3"
    )

    def kept(data):
        data["settled"].pop()
        add_up(data)

    assert said_of(record_of(), "round.no_roll", kept).startswith("it does not settle seat 3's big")
    assert "500 cents return" in said_of(record_of(), "round.no_roll", settled_otherwise("lose"))


def test_a_round_on_paper_is_settled_by_its_dice():
    scene = make_scene("pa-625a/A")
    wagers = [{"seat": 1, "wager": "small", "cents": 2_500}, {"seat": 8, "wager": "total:12", "cents": 500}]
    scene.settle_by_hand(dice=[5, 2, 5], wagers=wagers)
    assert check(record_of()).rounds == 1
    change = settled_otherwise("win", "60 to 1", place=1)
    assert "its terms give 500 cents win 3000 at 6 to 1" in said_of(
        record_of(), "round.recorded_by_hand", change
    )


# Corrections and slips


def test_a_missed_wager_and_a_strike_are_settled_with_the_others():
    scene = make_scene("pa-625a/A")
    scene.place((1, "small", 500), (2, "big", 700))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 2, 3]})
    late = {"seat": 4, "wager": "total:6", "cents": 500, "reason": "overlooked"}
    scene.act("record_missed_wager", late, witness="floorperson")
    strike = {"seat": 2, "wager": "big", "reason": "never lay there"}
    scene.act("strike_mistaken_wager", strike, witness="floorperson")
    scene.act("correct_dice", {"dice": [1, 2, 4], "reason": "misread"}, witness="floorperson")
    scene.finish()
    record = record_of()
    assert check(record).rounds == 1
    assert said_of(record, "wager.missed", lambda data: data["mended"].update(before_cents=100)).startswith(
        "its before_cents is 100"
    )
    assert "500 cents win 7000 at 14 to 1" in said_of(
        record, "wager.missed", settled_otherwise("lose", place=-1)
    )
    assert said_of(record, "wager.struck", lambda data: data["mended"].update(seat=7)) == (
        "seat 7's big was not on the layout"
    )
    assert said_of(record, "dice.corrected", lambda data: data["mended"].update(before=[6, 6, 6])) == (
        "it corrects 6, 6, 6, but the dice were 1, 2, 3"
    )


def slip_scene() -> Scene:
    scene = make_scene("pa-625a/A")
    play(scene, (3, "small", 2_000), (1, "big", 500), dice=[5, 5, 2])
    file(scene, "dice", throw=1, dice=[1, 2, 3])
    settle(scene, (1, -1_000), (3, 4_000))
    return scene


def test_a_slip_is_settled_again_with_its_correction():
    slip_scene()
    record = record_of()
    assert (check(record).rounds, check(record).slips) == (1, 1)
    assert "its terms give 2000 cents win 2000 at 1 to 1" in said_of(
        record, "slip.filed", settled_otherwise("lose", place=1)
    )
    due = [{"cents": 400_000, "seat": 3}]
    assert said_of(record, "slip.filed", lambda data: data.update(due=due)) == (
        "it says that 400000 to seat 3 is due, and its terms give -1000 to seat 1, 4000 to seat 3"
    )
    assert said_of(record, "slip.filed", lambda data: data["before"].update(paid_cents=0)).startswith(
        "its paid_cents is 0"
    )
    impossible = {"throws": [{"dice": [7, 1, 1], "throw": 1}]}

    def with_seven(data):
        data["mended"]["after"] = [7, 1, 1]
        data.update(impossible)

    assert said_of(record, "slip.filed", with_seven) == "its dice are 7, 1, 1, not 3 faces"
    moved = [{"cents": -1_000, "seat": 1}, {"cents": 5_000, "seat": 3}]
    assert said_of(record, "slip.settled", lambda data: data.update(moved=moved)).startswith(
        "it moved -1000 to seat 1"
    )
    assert said_of(record, "slip.settled", lambda data: data.update(slip="ENS-0009")) == (
        "no slip of this round waits as ENS-0009"
    )


# Chips of the tray


def test_a_tray_is_added_up_from_its_opener_to_its_closer():
    scene = make_scene("pa-625a/A")
    scene.table.facility.keeps_inventory = True
    scene.table.facility.save()
    scene.act("count_opener", {"chips": {"2500": 100, "500": 200}}, witness="floorperson")
    play(scene, (3, "small", 2_000), (1, "big", 500), dice=[5, 5, 2])
    scene.act("count_tray", {"chips": {"2500": 100, "500": 203}}, witness="floorperson")
    record = record_of()
    assert check(record).trays == 1
    assert said_of(record, "inventory.counted", more("exact_cents")).startswith("its exact_cents is ")
    assert said_of(record, "inventory.counted", more("difference_cents")).startswith(
        "its difference_cents is "
    )
    assert said_of(record, "inventory.opener_counted", more("cents")).startswith("its cents is ")


# Terms


def test_a_round_under_other_terms_than_those_in_force_is_named():
    """Both versions are approved for the table's submission; the later one pays more."""
    sic_bo()
    record = record_of()
    approved = next(
        body["data"]
        for body in (json.loads(line)["body"] for line in record.splitlines())
        if body["_type"] == "rules.approved"
    )
    better = {**approved["terms"], "payouts": {**approved["terms"]["payouts"], "total:8": "9 to 1"}}
    digest = hashlib.sha256(chain.canonical(better)).hexdigest()

    def edit(bodies):
        for body in bodies:
            if body["_type"] == "rules.approved":
                return [
                    *bodies,
                    {**body, "seq": len(bodies) + 1, "data": {**body["data"], "version": 2, "terms": better}},
                ]
            if body["data"].get("round") == 1:
                body["terms"] = digest
                if body["_type"] == "round.settled":
                    settled_otherwise("win", "9 to 1", place=1)(body["data"])
                if body["_type"] in ("winners.paid", "layout.cleared"):
                    body["data"]["paid_cents"] += 500
        return bodies

    with pytest.raises(
        verify.Bad, match="its round begins under other terms than those in force at this table"
    ):
        check(recorded(record, edit))


# What cannot be settled is said, and never called good


def test_rounds_whose_terms_the_export_does_not_have_are_counted():
    sic_bo()
    record = record_of(TABLE)
    stated = json.loads(record.partition(b"\n")[0])["body"]["terms"]
    assert [terms["edition"] for terms in stated] == ["pa-625a@2019-08-31/A"]
    assert check(record).rounds == 2  # the first line states the terms, by their hash
    without = recorded(record, lambda bodies: bodies, terms=[])
    assert lines_of(without) == ["NOT SETTLED: 2 rounds whose terms are not in this export"]
    other = recorded(record, lambda bodies: bodies, terms=[{**stated[0], "payouts": {}}])
    assert lines_of(other) == ["NOT SETTLED: 2 rounds whose terms are not in this export"]


def test_a_round_that_began_before_the_export_is_counted():
    scene = make_scene("pa-625a/A")
    play(scene, (1, "small", 500), dice=[1, 2, 2])
    scene.place((2, "big", 700))
    since = Entry.objects.filter(stream=scene.table.stream).latest("seq").at
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 2, 3]})
    scene.finish()
    play(scene, (1, "small", 500), dice=[1, 2, 2])
    record = record_of(since=since)
    assert "NOT SETTLED: 1 rounds that began before this export" in lines_of(record)
    assert check(record).rounds == 1


def test_a_new_field_that_this_program_does_not_know_changes_nothing():
    sic_bo()
    for type_ in ("wagers.placed", "round.settled", "winners.paid", "layout.cleared"):
        edited, _seq = changed(record_of(), type_, lambda data: data.update(chips_of_later={"500": 1}))
        assert check(edited).rounds == 2


VALUES = [
    None,
    -1,
    0,
    10**15,
    "x",
    "",
    [],
    [1],
    [[]],
    {},
    {"seat": 1},
    [{}],
    [{"seat": [], "wager": {}}],
    True,
]


@pytest.mark.parametrize("game", SCENES)
def test_whatever_stands_in_an_entry_of_a_table_is_judged_and_never_a_traceback(game):
    SCENES[game]()
    record, draw = record_of(TABLE), random.Random(game)
    bodies = [json.loads(line)["body"] for line in record.splitlines()[1:-1]]
    keys = [
        (body["seq"], key) for body in bodies if body["_type"] in verify.TABLE_TYPES for key in body["data"]
    ]
    for seq, key in draw.sample(keys, min(len(keys), 60)):
        for value in draw.sample(VALUES, 4):

            def edit(entries, seq=seq, key=key, value=value):
                next(body for body in entries if body["seq"] == seq)["data"][key] = value
                return entries

            with contextlib.suppress(verify.Bad):
                check(recorded(record, edit))


def test_the_command_says_what_it_settled(tmp_path):
    sic_bo()
    path = tmp_path / "record.jsonl"
    path.write_bytes(record_of())
    command = [sys.executable, "-I", verify.__file__, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "settled again by their terms: 2 rounds, 0 slips" in said
    piped = subprocess.run(
        [*command[:-1], "-"], input=record_of(), capture_output=True, timeout=60, check=True
    )
    assert b"settled again by their terms: 2 rounds, 0 slips" in piped.stdout
    hashes = subprocess.run(
        [*command[:-1], "--hashes-only", str(path)], capture_output=True, timeout=60, check=True
    )
    assert b"settled" not in hashes.stdout


@pytest.mark.parametrize("game", SCENES)
def test_processes_that_share_a_file_settle_each_round_once(game, tmp_path):
    SCENES[game]()
    path, collected = tmp_path / "record.jsonl", verify.Collected()
    path.write_bytes(record_of())
    with path.open("rb") as file:
        verify.verify(file, collected=collected, path=str(path), processes=3)
    assert vars(collected.settlements) == vars(check(path.read_bytes()))
