"""What is known of dice lots: the chain of custody, which rounds used a lot, and which lots a round used."""

import datetime as dt

import pytest
from django.utils import timezone

from audit.models import Entry
from tables.dice import custody
from tables.models import DiceLot, LotStep, Round, Throw
from tests.tables.cast import Scene, make_scene
from tests.tables.test_dice_custody import TWO, box, die, issue, measure, receive

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def lot(code: str) -> DiceLot:
    return DiceLot.objects.get(code=code)


def play(scene: Scene, rounds: int) -> None:
    for _ in range(rounds):
        scene.play((1, "small", 2_500), dice=[1, 2, 3])
        scene.finish()


def change(scene: Scene, code: str, seal: str = "SL-9") -> None:
    scene.act("change_dice_lot", {"lot": code, "seal": seal}, by="floorperson")


def hours(hands, count: int) -> None:
    hands.now += dt.timedelta(hours=count)


@clause("PA-675a.3(a)-standard")
def test_the_chain_tells_every_step_with_its_people_its_place_and_its_entry(hands):
    scene = make_scene()
    receive(scene, box("L-0101", serial="77-1"), box("L-0102", seal_intact=False))
    hours(hands, 1)
    measure(scene)
    issue(scene)
    change(scene, "L-0101")
    hours(hands, 1)
    change(scene, "L-0002")
    scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "cancelled"}, **TWO)
    steps = custody.custody_steps(lot("L-0101"))
    assert [(step.stream, step.type) for step in steps] == [
        ("larkfield/dice", "dice.received"),
        ("larkfield/dice", "dice_lot.stored"),
        ("larkfield/T-01", "dice_lot.issued"),
        ("larkfield/T-01", "dice_lot.placed"),
        ("larkfield/T-01", "dice_lot.placed"),
        ("larkfield/dice", "dice.destroyed"),
    ]
    assert [step.place for step in steps] == [
        "Dice room",
        "Dice room, A-3",
        "T-01",
        "T-01, shaker S-01",
        "T-01, shaker S-01",
        "Dice room",
    ]
    assert [step.text for step in steps] == [
        "2 lots received",
        "Lot L-0101 measured and stored in A-3",
        "Lot L-0101 issued to the table",
        "Lot L-0101 into S-01",
        "Taken out of play: Lot L-0002 into S-01",
        "L-0101 cancelled",
    ]
    signed = [(step.actor and step.actor.code, step.witness and step.witness.code) for step in steps]
    assert signed == [("shift-manager", "security")] * 3 + [("floorperson", None)] * 2 + [
        ("shift-manager", "security")
    ]
    assert [step.moment.hour for step in steps] == [15, 16, 16, 16, 17, 17]
    for step in steps:
        entry = Entry.objects.get(stream__name=step.stream, seq=step.seq)
        assert (step.hash, step.moment) == (bytes(entry.hash).hex(), entry.at)


def test_a_step_says_what_its_line_leaves_out():
    scene = make_scene()
    receive(scene, box("L-0101"), box("L-0102", seal_intact=False))
    measure(scene, die(), die(high_um=19_300), die())
    received, rejected = custody.custody_steps(lot("L-0101"))
    assert received.details == ["from the maker"]
    assert rejected.details == [
        "dice out of tolerance: 2",
        "caliper C-2, micrometer M-7, square Q-1",
    ]
    assert custody.custody_steps(lot("L-0102"))[0].details == ["from the maker", "seal of the box broken"]
    issue(scene, receive_stored(scene, "L-0103"))
    change(scene, "L-0103", "SL-42")
    assert custody.custody_steps(lot("L-0103"))[-1].details == ["seal SL-42"]
    scene.act("withdraw_dice", {"why": "chipped", "found": "an edge is gone"}, by="floorperson")
    assert custody.custody_steps(lot("L-0103"))[-1].details[:2] == ["chipped", "an edge is gone"]


def receive_stored(scene: Scene, code: str) -> str:
    receive(scene, box(code))
    measure(scene, lot=code)
    return code


def test_the_rounds_of_a_lot_are_listed_by_table_with_exact_counts_and_times(hands):
    scene = make_scene()
    play(scene, 3)
    hours(hands, 2)
    change(scene, "L-0002")
    begins = hands.now
    play(scene, 2)
    hours(hands, 1)
    play(scene, 1)
    first = custody.lot_uses(lot("L-0001"))
    assert [(used.table, used.ranges, used.rounds, used.throws) for used in first] == [
        ("T-01", [(1, 3)], 3, 3)
    ]
    second = custody.lot_uses(lot("L-0002"))
    assert [(used.table, used.ranges, used.rounds, used.throws) for used in second] == [
        ("T-01", [(4, 6)], 3, 3)
    ]
    assert (second[0].first_at, second[0].last_at) == (begins, begins + dt.timedelta(hours=1))
    assert custody.lot_uses(lot("L-0003")) == []


def test_rounds_without_the_lot_part_its_ranges_and_each_table_stands_alone(scene):
    play(scene, 5)
    other = lot("L-0002")
    Throw.objects.filter(round__number=3).update(lot=other)
    assert custody.lot_uses(lot("L-0001"))[0].ranges == [(1, 2), (4, 5)]
    assert custody.lot_uses(other)[0].ranges == [(3, 3)]


def test_a_corrected_throw_is_one_throw_and_a_throw_that_did_not_count_is_another(scene):
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    scene.act("correct_dice", {"dice": [1, 2, 4], "reason": "read wrongly"}, witness="floorperson")
    scene.finish()
    assert Throw.objects.count() == 2
    used = custody.lot_uses(lot("L-0001"))
    assert [(one.rounds, one.throws) for one in used] == [(1, 1)]
    [throw] = custody.throws_with_lots(Round.objects.get())
    assert (throw.number, throw.revision, throw.dice, throw.lot.code, throw.shaker.code) == (
        1,
        2,
        [1, 2, 4],
        "L-0001",
        "S-01",
    )


def test_a_round_of_several_throws_tells_the_lot_of_each(scene):
    round_ = None
    play(scene, 1)
    round_ = Round.objects.get()
    Throw.objects.create(
        round=round_,
        number=2,
        dice=[],
        void_reason="off-table",
        lot=lot("L-0002"),
        shaker=None,
        called_at=timezone.now(),
    )
    told = [
        (throw.number, throw.lot.code, throw.shaker and throw.shaker.code)
        for throw in custody.throws_with_lots(round_)
    ]
    assert told == [(1, "L-0001", "S-01"), (2, "L-0002", None)]


def test_the_same_few_queries_answer_however_long_the_answer_is(scene, django_assert_num_queries):
    def asked() -> None:
        with django_assert_num_queries(2):
            custody.custody_steps(lot_one)
        with django_assert_num_queries(1):
            custody.lot_uses(lot_one)
        with django_assert_num_queries(1):
            custody.throws_with_lots(Round(pk=1))

    lot_one = lot("L-0001")
    play(scene, 1)
    asked()
    play(scene, 6)
    for _ in range(4):
        scene.act("examine_dice", {"lot": "L-0001"}, by="floorperson")
    assert len(custody.custody_steps(lot_one)) == 5 and custody.lot_uses(lot_one)[0].rounds == 7
    asked()


def test_the_day_is_reconciled_from_the_record_and_from_where_the_lots_stand(hands):
    scene = make_scene("nj-19-47-9")
    house = scene.table.facility
    receive(scene, box("L-0101"), box("L-0102"), box("L-0103"))
    for code in ("L-0101", "L-0102"):
        measure(scene, lot=code)
        issue(scene, code)
    scene.act("return_dice", {"lot": "L-0102"}, device=scene.podium, **TWO)
    measure(scene, die(low_um=18_000), die(), die(), lot="L-0103")
    change(scene, "L-0101")
    scene.in_room("destroy_dice", {"lots": ["L-0001", "L-0103"], "how": "destroyed"}, **TWO)
    today = {
        "received": 3,
        "issued": 2,
        "returned": 1,
        "destroyed": 2,
        "placed": 2,
        "removed": 1,
        "in_use": 1,
        "over_a_day": 0,
        "in_storage": 1,
    }
    assert custody.reconciliation(house, hands.now) == today
    tomorrow = custody.reconciliation(house, hands.now + dt.timedelta(hours=25))
    assert tomorrow == {**dict.fromkeys(today, 0), "in_use": 1, "over_a_day": 1, "in_storage": 1}


def test_the_gaming_day_begins_at_six_by_the_houses_clock(hands):
    hands.now = dt.datetime(2026, 11, 21, 10, 59, tzinfo=dt.UTC)
    scene = make_scene()
    house = scene.table.facility
    assert custody.reconciliation(house, hands.now)["placed"] == 1
    hands.now += dt.timedelta(minutes=2)
    assert custody.reconciliation(house, hands.now)["placed"] == 0


def test_lots_stand_in_the_order_in_which_somebody_needs_them(scene):
    house = scene.table.facility
    issued = custody.lots_with_status(house, "issued")
    assert [one.code for one in issued] == ["L-0002", "L-0003", "L-0004", "L-0005"]
    assert [one.code for one in custody.lots_with_status(house, "issued", "0004")] == ["L-0004"]
    assert custody.counts_by_status(house) == {
        "received": 0,
        "rejected": 0,
        "stored": 0,
        "issued": 4,
        "placed": 1,
        "removed": 0,
        "destroyed": 0,
    }


@pytest.mark.parametrize(
    ("last", "following"),
    [("L-0009", "L-0010"), ("LOT-99", "LOT-100"), ("Z", "Z1"), ("Z999999999", "Z1000000000")],
)
def test_the_next_code_follows_the_highest_one(scene, last, following):
    DiceLot.objects.filter(code="L-0005").update(code=last)
    DiceLot.objects.filter(code="L-0004").update(code="ZZ-0001", training=True)
    found = custody.next_code(scene.table.facility)
    assert found["prefix"] + found["number"] == following


def test_no_step_names_an_entry_that_is_not_there(scene):
    play(scene, 2)
    for step in LotStep.objects.select_related("stream"):
        assert Entry.objects.filter(stream=step.stream, seq=step.seq).count() == 1
