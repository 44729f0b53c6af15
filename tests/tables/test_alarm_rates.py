"""How many alarms a podium gets, from the record: equal alerts of a pit are one line until somebody has them."""

import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command

from audit import clock
from tables.alerts.rates import FLOOD_TIME, HOUR, alarm_rates, most_within, podium_alerts
from tables.core.alerts import ALERT_KINDS, line_name
from tables.core.entries import RecordedAlert
from tables.models import Alert, Assignment, Pit, Table
from tables.ticker import watch_tables
from tests.tables.test_rotation import second_table

BEGIN = dt.datetime(2026, 11, 21, 20, tzinfo=dt.UTC)
PITS = {1: "Pit 1", 2: "Pit 1", 3: "Pit 2"}


def raised(stream: int, kind: str, minute: int, level: str = "warn", **ends: int) -> RecordedAlert:
    """An alert of minute `minute`. `ended_at` and the like are minutes too."""
    moments = {name: BEGIN + dt.timedelta(minutes=minutes) for name, minutes in ends.items()}
    at = BEGIN + dt.timedelta(minutes=minute)
    return RecordedAlert(stream, minute + 1, kind, f"{kind}:{minute}", at, level=level, **moments)


def lines(*alerts: RecordedAlert) -> list[tuple[str, str, bool]]:
    return [(alert.pit, alert.kind, alert.begins_line) for alert in podium_alerts(alerts, PITS)]


def test_equal_alerts_of_a_pit_are_one_line_until_somebody_has_the_others():
    first, second, elsewhere = (raised(stream, "stale-tablet", stream) for stream in (1, 2, 3))
    later = raised(1, "stale-tablet", 9)
    assert lines(first, second, elsewhere, later) == [
        ("Pit 1", "stale-tablet", True),
        ("Pit 1", "stale-tablet", False),
        ("Pit 2", "stale-tablet", True),
        ("Pit 1", "stale-tablet", False),
    ]
    first.acknowledged_at = second.ended_at = BEGIN + dt.timedelta(minutes=8)
    assert lines(first, second, later)[2] == ("Pit 1", "stale-tablet", True)


def test_stops_calls_and_disputes_are_a_line_each():
    alone = [
        alert
        for kind, level in (("dispute", "warn"), ("floor-call", "warn"), ("device-failure", "stop"))
        for alert in (raised(1, kind, 1, level), raised(2, kind, 2, level))
    ]
    assert [begins for _pit, _kind, begins in lines(*alone)] == [True] * 6


def test_what_one_cause_raises_at_every_table_is_one_line_even_a_stop():
    everywhere = [raised(stream, "clock", 1, "stop") for stream in (1, 2)]
    assert [begins for _pit, _kind, begins in lines(*everywhere)] == [True, False]
    kinds = {kind.code for kind in ALERT_KINDS if kind.is_everywhere}
    assert kinds == {
        *("clock", "device-copied", "device-revoked", "pins-guessed", "token-used-twice"),
        *("client-secret", "webhook"),
        *("certificate-ends", "clock-offset", "disk-low", "restore-due"),
    }
    assert {line_name(kind, kind.level, "Pit 1") for kind in ALERT_KINDS if kind.code == "clock"} == {"Clock"}


def test_the_most_in_ten_minutes_counts_any_ten_and_not_those_of_the_clock():
    minutes = [BEGIN + dt.timedelta(minutes=minute) for minute in (0, 8, 12, 17, 30)]
    assert most_within(minutes, FLOOD_TIME) == (3, minutes[1])
    assert most_within(minutes, HOUR) == (5, minutes[0])
    assert most_within(minutes[:1] + [BEGIN + FLOOD_TIME], FLOOD_TIME) == (1, BEGIN), (
        "ten minutes later is outside"
    )
    assert most_within([], FLOOD_TIME) == (0, None)


def said(*arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command("alarms", *arguments, stdout=out, **options)
    return out.getvalue()


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_command_reads_kinds_podiums_and_standing_alerts_from_the_record(hands, scene):
    other = second_table(
        scene, pit=Pit.objects.create(facility=scene.table.facility, code="p9", name="Pit 9")
    )
    begins = hands.now
    scene.play((2, "small", 2_500), dice=[1, 2, 3])
    for seat in (2, 5):
        hands.now += dt.timedelta(minutes=1)
        scene.act("report_dispute", {"seat": seat, "about": "a late chip"})
    scene.act(
        "decide_alert", {"alert": Alert.objects.latest("pk").pk, "decision": "as-recorded"}, by="floorperson"
    )
    hands.now += dt.timedelta(minutes=58)
    rates = alarm_rates(scene.table.facility, begins, hands.now)
    assert [(rate.name, rate.raised, rate.lines, rate.standing) for rate in rates.kinds] == [
        ("dispute", 2, 2, 1)
    ]
    assert [(podium.name, podium.lines, podium.most_in_ten_minutes) for podium in rates.podiums] == [
        ("Pit 1", 2, 2)
    ]
    assert other.pit.name not in {podium.name for podium in rates.podiums}, "no round was dealt there"
    assert (rates.hours, rates.an_hour_and_podium(2), rates.too_loud) == (1, 2, [])
    told = said("larkfield", "--hours", "1")
    assert "at 1 podium, one for each pit in play" in told and "2.0 an hour and podium" in told
    Alert.objects.all().delete()
    assert said("larkfield", "--hours", "1") == told, "the record alone counts"
    Table.objects.update(kind="training")
    assert "at 0 podiums" in said("larkfield", "--hours", "1")


@pytest.mark.django_db
def test_a_podium_that_is_too_loud_is_named_and_fails_the_check(scene):
    for seat in range(1, 9):
        scene.act("report_dispute", {"seat": seat, "about": "a late chip"})
    until = clock.format_moment(clock.now() + dt.timedelta(seconds=1))
    told = said("larkfield", "--hours", "1", "--until", until)
    assert "Too loud: Pit 1, 8.0 an hour, 8 in ten minutes from " in told
    with pytest.raises(CommandError, match="Too loud: Pit 1"):
        said("larkfield", "--hours", "1", "--until", until, "--check")
    assert "8.0 an hour" not in said("larkfield", "--hours", "2", "--until", until)
    with pytest.raises(CommandError, match="There is no facility nowhere"):
        said("nowhere")
    with pytest.raises(CommandError, match="no moment"):
        said("larkfield", "--until", "tonight")
    with pytest.raises(CommandError, match="--hours must be 1 to 744"):
        said("larkfield", "--hours", "0")


@pytest.mark.django_db
def test_a_demo_watches_the_tables_that_it_deals_in_the_past_where_their_record_is_not_ahead(hands, scene):
    Assignment.objects.update(ended_at=hands.now)
    hands.now -= dt.timedelta(seconds=10)
    watch_tables([scene.table.pk])
    hands.now += dt.timedelta(seconds=10)
    watch_tables([])
    assert not Alert.objects.exists()
    watch_tables([scene.table.pk])
    assert "span" in Alert.objects.values_list("kind", flat=True)
    hands.now += dt.timedelta(minutes=4)
    watch_tables([scene.table.pk])
    assert set(Alert.objects.values_list("asked_role", flat=True)) == {"pit-manager"}
