"""How an act is executed: repeated commands, stale screens, and an act that fails leaves nothing half done."""

import uuid

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from audit import record, runner
from audit.models import Command, Entry
from audit.refusals import CommandChanged, RecordRefused
from tables.models import Round, Settlement, Throw, Wager
from tables.runner import table
from tests.tables.cast import PIN, Scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def counted(scene: Scene) -> tuple[int, ...]:
    made = (Entry, Command, Round, Wager, Throw, Settlement)
    return (scene.version, *(model.objects.count() for model in made))


# The same act again


def test_a_repeated_command_gets_the_first_answer_and_changes_nothing(scene):
    command = uuid.uuid4()
    first = scene.place((1, "small", 2_500), command=command)
    scene.place((2, "big", 2_500))
    before = counted(scene)
    again = scene.place((1, "small", 2_500), command=command, seen=first.version - 1)
    assert (again.version, again.body, first.is_repeat, again.is_repeat) == (
        first.version,
        first.body,
        False,
        True,
    )
    assert counted(scene) == before


def test_a_command_is_answered_again_even_after_its_round_has_ended(scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    command = uuid.uuid4()
    first = scene.act("pay_seats", {"seats": [1]}, command=command)
    scene.finish()
    assert scene.act("pay_seats", {"seats": [1]}, command=command, seen=0).body == first.body


@pytest.mark.parametrize(
    "change",
    [
        {"wagers": (1, "small", 5_000)},
        {"wagers": (2, "small", 2_500)},
        {"by": "floorperson"},
        {"witness": "floorperson"},
        {"made_in": "plaques"},
    ],
)
def test_the_same_command_with_other_content_is_refused(scene, change):
    command = uuid.uuid4()
    scene.place((1, "small", 2_500), command=command)
    before = counted(scene)
    with pytest.raises(CommandChanged):
        scene.place(change.pop("wagers", (1, "small", 2_500)), command=command, **change)
    with pytest.raises(CommandChanged):
        scene.act("no_more_bets", command=command)
    assert counted(scene) == before


def test_a_refused_command_may_come_again(scene):
    command = uuid.uuid4()
    with scene.refused("no-such-seat"):
        scene.place((9, "small", 2_500), command=command)
    scene.place((8, "small", 2_500), command=command)


# Stale screens


def stale(scene, act, params=None, **how):
    before = counted(scene)
    with pytest.raises(table.Stale):
        scene.act(act, params, **how)
    assert counted(scene) == before


def laid(seat, cents=2_500, wager="small"):
    return {"wagers": [{"seat": seat, "wager": wager, "cents": cents}]}


def test_a_version_that_no_screen_can_have_seen_is_stale(scene):
    for act, params in (("place_wagers", laid(1)), ("shake", {"shakes": 3}), ("take_over_table", {})):
        stale(scene, act, params, seen=scene.version + 1)


def test_an_act_of_the_round_is_stale_once_the_phase_has_moved(scene):
    scene.place((1, "small", 2_500))
    seen = scene.version
    scene.act("shake", {"shakes": 3})
    for act, params in (("no_more_bets", {}), ("shake", {"shakes": 3}), ("call_dice", {"dice": [1, 1, 2]})):
        stale(scene, act, params, seen=seen)
    stale(scene, "void_round", {"reason": "dispute"}, by="floorperson", seen=seen)
    scene.act("no_more_bets", seen=seen + 1)


def test_wagers_and_the_dealer_do_not_move_the_phase(scene):
    seen = scene.version
    scene.place((1, "small", 2_500))
    scene.act("take_over_table", by="relief")
    scene.act("shake", {"shakes": 3}, seen=seen, by="relief")


def test_a_seat_is_stale_by_its_own_wagers_alone(scene):
    seen = scene.version
    scene.place((1, "small", 2_500), (3, "big", 1_000))
    for seat in (1, 3):
        stale(scene, "place_wagers", laid(seat, 5_000), seen=seen)
    scene.place((2, "small", 2_500), seen=seen)
    scene.act("place_wagers", laid(4), seen=seen, by="floorperson", device=scene.podium)
    scene.place((1, "small", 5_000))
    stale(scene, "place_wagers", {"wagers": [*laid(5)["wagers"], *laid(1)["wagers"]]}, seen=seen)


def test_an_act_that_waited_behind_acts_of_its_own_tablet_is_not_stale_by_them(scene):
    seen, first, second = scene.version, uuid.uuid4(), uuid.uuid4()
    scene.act(
        "place_wagers", laid(1, 150_000), seen=seen, command=first
    )  # over the maximum: an alert follows
    assert scene.version == seen + 2
    stale(scene, "place_wagers", laid(1, 160_000), seen=seen)
    scene.act("place_wagers", laid(1, 160_000), seen=seen, after=[first])
    scene.act("place_wagers", laid(2), by="floorperson", device=scene.podium)
    scene.act("shake", {"shakes": 3}, seen=seen, command=second, after=[first])
    stale(scene, "no_more_bets", seen=seen, after=[first])
    scene.act("no_more_bets", seen=seen, after=[first, second])


def test_an_act_that_waited_is_stale_by_what_another_tablet_did(scene):
    seen, first = scene.version, uuid.uuid4()
    scene.act("place_wagers", laid(1), seen=seen, command=first)
    scene.act("place_wagers", laid(1, 5_000), by="floorperson", device=scene.podium)
    stale(scene, "place_wagers", laid(1, 7_500), seen=seen, after=[first])
    newest = uuid.UUID(scene.entry["command"])  # a tablet cannot call the act of another one its own
    stale(scene, "place_wagers", laid(1, 7_500), seen=seen, after=[first, newest])
    assert scene.entry["data"]["placed"][0]["cents"] == 5_000


def test_wagers_outlive_the_shake_of_a_covered_shaker_but_not_the_round(scene):
    seen = scene.version
    scene.act("shake", {"shakes": 3})
    scene.place((1, "small", 2_500), seen=seen)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    stale(scene, "place_wagers", laid(2), seen=seen)
    scene.place((2, "small", 2_500))


def test_paying_a_seat_is_not_stale_by_the_payment_of_another(scene):
    scene.play((1, "big", 2_500), (2, "big", 2_500), (3, "big", 2_500), dice=[2, 5, 5])
    seen = scene.version
    for seat in (2, 1, 3):
        scene.act("pay_seats", {"seats": [seat]}, seen=seen)
    assert scene.round.phase == "paid"


def test_a_pay_list_is_stale_once_it_was_corrected(scene):
    scene.play((1, "big", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    seen = scene.version
    scene.act(
        "record_missed_wager",
        {"seat": 1, "wager": "big", "cents": 5_000, "reason": "missed"},
        witness="floorperson",
    )
    stale(scene, "pay_seats", {"seats": [1]}, seen=seen)
    scene.act("correct_dice", {"dice": [5, 5, 6], "reason": "misread"}, witness="floorperson")
    stale(scene, "pay_seats", {}, seen=seen + 1)
    scene.act("pay_seats", {"seats": [1]})


# Nothing half done


@pytest.mark.parametrize(
    "act", ["place_wagers", "call_dice", "correct_dice", "void_round", "change_dice_lot"]
)
def test_an_act_that_the_record_does_not_take_did_not_happen(scene, monkeypatch, act):
    from tables.models import DiceLot

    scene.place((1, "small", 2_500))
    params = {
        "place_wagers": laid(1, 0),
        "call_dice": {"dice": [1, 1, 2]},
        "correct_dice": {"dice": [6, 6, 5], "reason": "misread"},
        "void_round": {"reason": "dispute"},
        "change_dice_lot": {"lot": "L-0002"},
    }[act]
    if act in ("call_dice", "correct_dice"):
        scene.to_the_dice()
    if act == "correct_dice":
        scene.act("call_dice", {"dice": [1, 1, 2]})
    before, round_ = counted(scene), Round.objects.values().get()
    lots = list(DiceLot.objects.values())

    def fails(*args, **kwargs):
        raise RecordRefused(reason="the disk is full")

    monkeypatch.setattr(record, "append", fails)
    command = uuid.uuid4()
    with pytest.raises(RecordRefused):
        scene.act(act, params, witness="floorperson", command=command)
    assert counted(scene) == before
    assert (Round.objects.values().get(), list(DiceLot.objects.values())) == (round_, lots)
    monkeypatch.undo()
    scene.act(act, params, witness="floorperson", command=command)


def test_an_answer_that_cannot_be_kept_takes_the_entry_back(scene, monkeypatch):
    before, save = counted(scene), runner.save_command

    def without_content(*args, **fields):
        return save(*args, **{**fields, "content": None})

    monkeypatch.setattr(runner, "save_command", without_content)
    for act, params in (("shake", {"shakes": 3}), ("report_dispute", {"seat": 1, "about": "a late chip"})):
        with pytest.raises(IntegrityError):
            scene.act(act, params)
        assert counted(scene) == before


@pytest.mark.parametrize("entries", [1, 2])
def test_an_act_saves_its_answer_after_the_last_of_its_entries(scene, entries):
    act, params = (
        ("shake", {"shakes": 3}) if entries == 1 else ("report_dispute", {"seat": 1, "about": "a chip"})
    )
    before, command = scene.version, uuid.uuid4()
    with CaptureQueriesContext(connection) as queries:
        version = scene.act(act, params, command=command).version
    assert version == before + entries == scene.version == Command.objects.get(pk=command).seq
    written = [
        query["sql"]
        for query in queries
        if "audit_append" in query["sql"] or "audit_command (" in query["sql"]
    ]
    if connection.vendor == "postgresql":
        assert ["audit_append" in sql for sql in written] == [True] * entries + [False]


def test_every_act_is_one_entry_that_names_who_where_and_under_what(scene):
    command = uuid.uuid4()
    version = scene.version
    answer = scene.act("shake", {"shakes": 3}, command=command)
    said = scene.entry
    assert answer.version == version + 1 == said["seq"] == scene.version
    assert (said["stream"], said["actor"], said["witness"]) == ("larkfield/T-01", "dealer", None)
    assert (said["device"], said["command"]) == (str(scene.tablet.pk), str(command))
    assert said["terms"] == scene.round.submission.terms_sha256
    kept = Command.objects.get(pk=command)
    assert (kept.seq, kept.person.code, kept.answer) == (
        said["seq"],
        "dealer",
        {"type": "dice.shaken", "round": 1, "phase": "shaken"},
    )
    assert PIN not in str(list(Entry.objects.values_list("body", flat=True)))


def test_there_is_no_such_act_and_no_such_table(scene):
    from tables.models import Table

    with pytest.raises(KeyError):
        scene.act("print_money")
    with pytest.raises(Table.DoesNotExist):
        table.execute(
            table.ActRequest(
                "larkfield", "T-99", "shake", uuid.uuid4(), 0, {}, scene.people["dealer"], scene.tablet
            )
        )


def test_the_answer_to_an_act_may_do_nothing_in_a_browser_and_is_kept_by_none(scene):
    address = "/floor/larkfield/T-01/acts/shake"
    answer = scene.browser(signed_in="dealer").post(
        address, {"command": "none"}, content_type="application/json"
    )
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert "no-store" in answer["Cache-Control"] and "private" in answer["Cache-Control"]
    page = scene.browser(signed_in="dealer").get("/floor/larkfield/T-01/")
    assert "script-src 'self'" in page["Content-Security-Policy"] and "no-store" in page["Cache-Control"]
