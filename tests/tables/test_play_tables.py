"""The tables of play, changed past the console: the report does not follow, and the record names row and entry."""

import datetime as dt
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction

from audit import clock, registration, verification
from audit.clock import format_moment
from audit.findings import not_covered
from audit.management.commands import provision_roles
from audit.models import Entry
from tables.models import Alert, Round, Settlement, Slip, Table, Throw, Wager
from tables.replay.play_tables import differences_of
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.reports.page import report_pdf
from tables.reports.report_tables import expected_notes
from tests.audit.gone_back import as_superuser
from tests.audit.test_roles import work_as
from tests.services.restore import restored_later
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file, settle
from tests.tables.test_readjudicate import readjudicated

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@restored_later
def rounds_of_every_kind() -> Scene:
    scene = make_scene()
    scene.place((1, "small", 2_500), (2, "big", 5_000), (3, "total:9", 500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 6]})
    scene.act("correct_dice", {"dice": [2, 5, 5], "reason": "misread"}, witness="floorperson")
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    settle(scene, (1, 5_000), (2, -10_000))
    scene.place((4, "big", 7_000))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    lines = [{"seat": 1, "wager": "small", "cents": 500}]
    scene.settle_by_hand(dice=[1, 1, 2], wagers=lines)
    scene.act("report_dispute", {"seat": 4, "about": "a late chip"})
    return scene


@pytest.fixture
def played(hands) -> Scene:
    """A round with a correction and a settled slip, a void round, a round on paper, and an alert of the day."""
    return rounds_of_every_kind()


def report_of(scene: Scene):
    facility = scene.fresh.facility
    return build_report(ReportDay(facility, facility.gaming_day(clock.now()), clock.now()))


def entry_of(scene: Scene, type_: str, number: int | None) -> int:
    return Entry.objects.filter(stream=scene.table.stream, type=type_, round=number).latest("seq").seq


CHANGES = {
    "a total": (
        lambda: Round.objects.filter(number=1).update(paid_cents=1),
        ("dice.corrected", 1, "round 1", "paid_cents"),
    ),
    "a gaming day": (
        lambda: Round.objects.filter(number=2).update(gaming_day=dt.date(2026, 11, 1)),
        ("round.voided", 2, "round 2", "gaming_day"),
    ),
    "an ending": (
        lambda: Round.objects.filter(number=1).update(phase="void"),
        ("layout.cleared", 1, "round 1", "phase"),
    ),
    "a stake": (
        lambda: Wager.objects.filter(round__number=1, seat=2).update(cents=500_000),
        ("wagers.placed", 1, "round 1, seat 2, big", "cents"),
    ),
    "a flag": (
        lambda: Wager.objects.filter(round__number=1, seat=3).update(flag=""),
        ("wagers.placed", 1, "round 1, seat 3, total:9", "flag"),
    ),
    "dice": (
        lambda: Throw.objects.filter(round__number=1, revision=2).update(dice=[6, 6, 6]),
        ("dice.corrected", 1, "round 1, throw 1.2", "dice"),
    ),
    "an outcome": (
        lambda: Settlement.objects.filter(wager__seat=2, throw__revision=2).update(outcome="lose"),
        ("dice.corrected", 1, "round 1, settlement of seat 2, big", "outcome"),
    ),
    "a slip": (
        lambda: Slip.objects.update(after={"taken_cents": 1, "paid_cents": 0, "returned_cents": 0}),
        ("slip.filed", 1, "slip ENS-0001", "after"),
    ),
    "money that moved": (
        lambda: Slip.objects.update(handed_over=[]),
        ("slip.settled", 1, "slip ENS-0001", "handed_over"),
    ),
    "the kind of a table": (
        lambda: Table.objects.update(kind="training"),
        ("table.made", None, "the table's row", "kind"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_row_of_play_is_named_with_the_entry_that_says_otherwise(played, change):
    assert verification.verify().good
    change_rows, (type_, number, row, column) = CHANGES[change]
    change_rows()
    seq = 1 if type_ == "table.made" else entry_of(played, type_, number)
    if column == "gaming_day":  # the first entry of the round states its day
        seq = Entry.objects.filter(stream=played.table.stream, round=number).earliest("seq").seq
    findings = [finding.as_data() for finding in verification.verify().findings]
    where = {"stream": "larkfield/T-01", "row": row, "seq": seq, "column": column}
    assert {"what": "play-differs", **where} in findings


@pytest.mark.postgres
def test_an_auditor_who_may_only_read_finds_changed_rows_too(played):
    Wager.objects.filter(round__number=1, seat=2).update(cents=500_000)
    registration.record_people()
    work_as(provision_roles.AUDITOR)
    assert [finding.as_data()["column"] for finding in verification.verify().findings] == ["cents"]
    gaps = {sentence.partition(":")[0] for sentence in not_covered()}
    assert {"people's PINs", "players' personal data"} <= gaps


def test_rows_without_an_entry_and_entries_without_a_row_are_named(played):
    Alert.objects.all().delete()
    Wager.objects.create(round=Round.objects.get(number=2), seat=5, code="small", cents=1_000)
    Round.objects.create(
        table=played.table, submission=Round.objects.first().submission, number=9, phase="cleared",
        gaming_day=dt.date(2026, 11, 21), shaker_kind="manual", opened_at=clock.now(), ended_at=clock.now(),
    )  # fmt: skip
    sentences = "\n".join(map(str, verification.verify().findings))
    assert "round 9 is in the play tables, and no entry of the record states it" in sentences
    assert "round 2, seat 5, small of the play tables differs from entry" in sentences
    assert "alert dispute" in sentences


# What an entry does not state: what a screen or an act needs now, and reads from the entries otherwise.
NOT_COMPARED = {
    Round: """shaker_kind ending step paid_seats paid_areas returned_seats quarterback offered drawn reading phase_seq
        seat_seqs""",
    Wager: "",
    Throw: "",
    Settlement: "why",
    Slip: "",
    Alert: """level params section acknowledged_by note coming_at coming_by decided_by read_at asked_role asked_at
        muted_until muted_by""",
    Table: """uid recorded_rules_key acknowledged_terms recorded_sign_ids status ceased_what ceased_section
        ceased_since repaired_at closed_at dealer dealer_since dealer_left dealer_left_since stickperson
        stickperson_since dealer_works_since dealer_left_works_since stickperson_works_since floorperson seated
        seat_marks quarterback offered status_seq
        tray_cents tray_taken_cents tray_paid_cents tray_corrected_cents closer_signed_at rated_seats refused_seats""",
}  # test_money.py and test_players.py change the columns of the tray and of the seats
OTHER_VALUES = {
    "uid": uuid.UUID(int=7),
    "flag": "over-max",
    "made_in": "plaques",
    "outcome": "return",
    "game": "football",
}


def other_values(field: models.Field, value: Any) -> list[Any]:
    """Values of the same sort that the row does not have."""
    if isinstance(field, models.ForeignKey):
        others = field.related_model._default_manager.exclude(pk=value).order_by("pk")
        return [*others.values_list("pk", flat=True)[:3], *([None] if field.null and value else [])]
    return [other_value(field, value)]


def other_value(field: models.Field, value: Any) -> Any:
    if field.name in OTHER_VALUES:
        return OTHER_VALUES[field.name]
    if field.choices:
        return next(choice for choice, _words in field.choices if choice != value)
    if isinstance(field, models.BooleanField):
        return not value
    if isinstance(field, models.DateTimeField):
        return (value or clock.now()) + dt.timedelta(seconds=1)
    if isinstance(field, models.DateField):
        return value + dt.timedelta(days=1)
    if isinstance(field, models.JSONField):
        return [{"seat": 9}] if isinstance(value, list) else {"cents": 9}
    return (value or 0) + 40 if isinstance(field, models.IntegerField) else "other"


def differing(scene: Scene, change: Callable[[], Any]) -> set[tuple[str, str]]:
    """Rows and columns that differ from their entries after a change, which is undone. A refused change differs."""
    try:
        with transaction.atomic():
            change()
            table = Table.objects.select_related("stream", "facility").get(pk=scene.table.pk)
            raise Undo({(difference.row, difference.field) for difference in differences_of(table)})
    except Undo as undo:
        rows: set[tuple[str, str]] = undo.args[0]
        return rows
    except IntegrityError:
        return {("", "refused")}


class Undo(Exception):
    """Ends a transaction that changes nothing."""


@pytest.mark.parametrize("model", NOT_COMPARED, ids=lambda model: model.__name__)
def test_every_column_of_play_is_compared_unless_no_entry_states_it(played, model):
    columns = [field for field in model._meta.concrete_fields if not field.primary_key]
    columns = [
        field for field in columns if field.name != "table"
    ]  # a row of no table is one that is missing
    alert = Alert.objects.get(key__startswith="dispute")
    played.act(
        "acknowledge_alert", {"alert": alert.pk, "note": "paid"}, by="floorperson", device=played.podium
    )
    row = alert if model is Alert else model.objects.earliest("pk")
    unnoticed = {
        field.name
        for field in columns
        for value in other_values(field, getattr(row, field.attname))
        if not differing(played, lambda: model.objects.filter(pk=row.pk).update(**{field.attname: value}))  # noqa: B023
    }
    assert unnoticed == set(NOT_COMPARED[model].split())


def test_a_changed_decision_of_the_floor_is_named(played):
    alert = Alert.objects.get(key__startswith="dispute")
    played.act(
        "decide_alert", {"alert": alert.pk, "decision": "as-recorded"}, by="floorperson", device=played.podium
    )
    row = f"alert {alert.key}, decided at {format_moment(clock.now())}"
    decided = Alert.objects.filter(pk=alert.pk)
    assert differing(played, lambda: decided.update(note="")) == set()
    assert (row, "row") in differing(played, lambda: decided.update(decision="settled"))
    assert (row, "row") in differing(played, lambda: decided.update(decision="words"))


def test_every_row_of_play_that_is_missing_or_one_more_is_named(played):
    def copy(row: Any, **changes: Any) -> None:
        for name, value in {"pk": None, **changes}.items():
            setattr(row, name, value)
        row.save()

    def delete_round(number: int) -> None:
        Settlement.objects.filter(throw__round__number=number).delete()
        for model in (Throw, Wager):
            model.objects.filter(round__number=number).delete()
        Round.objects.filter(number=number).delete()

    settlements = Settlement.objects.filter(throw__revision=1, wager__seat=1, throw__round__number=1)
    void = Wager.objects.filter(round__number=2)
    on_paper = Wager.objects.get(round__number=3)
    throw = Throw.objects.filter(round__number=1, revision=2)
    alert = Alert.objects.filter(key__startswith="dispute")
    changes: dict[str, Callable[[], Any]] = {
        "round 2, seat 4, big": lambda: (Settlement.objects.filter(wager__in=void).delete(), void.delete()),
        "round 2, seat 7, big": lambda: copy(void.get(), seat=7),
        "round 1, throw 1.2": lambda: (throw.get().settlements.all().delete(), throw.delete()),
        "round 1, throw 1.3": lambda: copy(throw.get(), revision=3),
        "round 1, settlement of seat 1, small": settlements.delete,
        "round 2, settlement of seat 4, big": lambda: copy(
            row := settlements.get(), throw=row.throw, wager=void.get()
        ),
        "slip ENS-0001": Slip.objects.all().delete,
        "slip ENS-0002": lambda: copy(Slip.objects.get(), number=2),
        "the round's row": lambda: delete_round(3),
        f"alert {alert.get().key}": alert.delete,
        "alert dispute:9": lambda: copy(alert.get(), key="dispute:9"),
    }
    unnamed = [row for row, change in changes.items() if (row, "row") not in differing(played, change)]
    assert unnamed == []
    differences = differing(played, lambda: settlements.update(wager=on_paper))
    assert ("round 1, settlement of seat 1, small", "row") in differences


def test_the_daily_report_does_not_follow_changed_tables_of_play(played):
    before = report_of(played)
    assert before.total.settled == 2 and before.slips and before.events.alerts and before.total.outside == 2
    Round.objects.update(paid_cents=0, taken_cents=10**6, wagered_cents=10**6, by_hand=True, phase="cleared")
    Wager.objects.update(cents=100, flag="over-max")
    Throw.objects.update(dice=[6, 6, 6], lot=None)
    Settlement.objects.update(outcome="lose", paid_cents=0)
    Slip.objects.update(after={"taken_cents": 10**6, "paid_cents": 0, "returned_cents": 0}, handed_over=[])
    Alert.objects.all().delete()
    after = report_of(played)
    assert (after.total, after.hours, after.slips) == (before.total, before.hours, before.slips)
    assert (after.events, report_pdf(after)) == (before.events, report_pdf(before))


def test_the_daily_report_says_which_of_its_entries_were_changed(played):
    entry = Entry.objects.get(stream=played.table.stream, type="dice.corrected")
    with as_superuser():
        body = bytes(entry.body).replace(b'"paid_cents":5000', b'"paid_cents":9000')
        Entry.objects.filter(pk=entry.pk).update(body=body)
    first = next(expected_notes(report_of(played)))
    assert first.startswith("This report cannot be relied on: 1 of its entries") and f"{entry.seq}" in first


def test_readjudication_names_the_row_of_play_that_differs(played):
    assert readjudicated()[0] == []
    Wager.objects.filter(round__number=1, seat=2).update(cents=500_000)
    seq = entry_of(played, "wagers.placed", 1)
    assert [json.dumps(difference) for difference in readjudicated()[0]] == [
        json.dumps(
            {
                "stream": "larkfield/T-01", "entry": seq, "round": 1, "row": "round 1, seat 2, big",
                "what": "cents", "record": 5_000, "tables": 500_000,
            }
        )
    ]  # fmt: skip


def test_readjudication_names_the_slip_that_differs(played):
    Slip.objects.update(reason="nothing")
    (difference,) = readjudicated()[0]
    assert (difference["row"], difference["what"]) == ("slip ENS-0001", "reason")
