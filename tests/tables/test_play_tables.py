"""The tables of play, changed past the console: the report does not follow, and the record names row and entry."""

import datetime as dt
import json

import pytest

from audit import clock, registration, verification
from audit.management.commands import provision_roles
from audit.models import Entry
from audit.record_checks import not_covered
from tables.models import Alert, Round, Settlement, Slip, Table, Throw, Wager
from tables.reports import expected
from tables.reports.figures import build_report
from tables.reports.notes import expected_notes
from tables.reports.pdf import report_pdf
from tables.reports.report_day import ReportDay
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
    scene.act("void_round", {"reason": "cover dropped"}, witness="floorperson")
    lines = [{"seat": 1, "wager": "small", "cents": 500}]
    on_paper = {"dice": [1, 1, 2], "wagers": lines, "reason": "tablet dead"}
    scene.act("record_hand_settled_round", on_paper, by="floorperson", device=scene.podium)
    scene.act("report_dispute", {"seat": 4, "about": "a late chip"})
    return scene


@pytest.fixture
def played(hands) -> Scene:
    """A round with a correction and a settled slip, a void round, a round on paper, and an alert of the day."""
    return rounds_of_every_kind()


def report_of(scene: Scene):
    expected._cache.clear()
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
    assert [sentence.partition(":")[0] for sentence in not_covered()] == ["people's PINs"]


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
