"""The alerts that the ticker raises at live tables: posts, shakers, supervision, tablets."""

import datetime as dt
from collections.abc import Sequence

import pytest

from audit import clock
from audit.devices import enroll
from audit.models import Device, Entry
from tables.core import posts
from tables.core.alerts import ALERT_RULES, AlertRule
from tables.models import Alert, Assignment, Table
from tables.opening.opening import make_table
from tables.staffing.dealers import UNATTENDED_SHAKER, absences
from tables.ticker import Ticker, reconcile_alerts, silent_posts, tick
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
clause = pytest.mark.clause
SLOW_RULES = [rule for rule in ALERT_RULES if rule.query and rule.every_ticks > 1]


def kinds():
    """The kinds of open alerts."""
    return sorted(Alert.objects.filter(ended_at=None).values_list("kind", flat=True))


def only(scene):
    (alert,) = scene.snapshot["alerts"]
    return alert


def dismiss(scene, by):
    """Deactivate a person without an act at the table."""
    scene.people[by].is_active = False
    scene.people[by].save()


@clause("PA-625a.1(e)-unattended")
def test_a_shaker_whose_keeper_works_here_no_longer_is_unattended(scene):
    dismiss(scene, "dealer")
    assert tick() == [scene.table.pk]
    alert = only(scene)
    assert (alert["kind"], alert["section"]) == ("shaker-unattended", "§ 625a.1(e)")
    assert "S-01" in alert["text"]
    assert tick() == []
    scene.act("take_over_table", by="relief")
    assert tick() == [scene.table.pk]
    assert kinds() == []


@clause("PA-539.1(f)-unattended")
def test_a_ceased_table_has_its_shaker_kept_too():
    scene = make_scene("pa-539", "automated-uncovered")
    scene.act("report_device_failure")
    dismiss(scene, "dealer")
    tick()
    assert "shaker-unattended" in kinds()


def test_a_shaker_that_may_stand_alone_calls_nobody():
    scene = make_scene("pa-625a/A", "automated-covered")
    dismiss(scene, "dealer")
    assert tick() == []


@clause("PA-577.9(b)-dealers", "PA-577.9(b)-stick")
@pytest.mark.parametrize(
    ("by", "post"), [("dealer", "dealer"), ("relief", "dealer-left"), ("stickperson", "stick")]
)
def test_an_empty_post_at_football_calls_somebody(by, post):
    scene = make_scene("pa-577")
    dismiss(scene, by)
    tick()
    alert = only(scene)
    assert (alert["kind"], alert["section"]) == ("post-empty", "§ 577.9(b)")
    assert Alert.objects.get().key == f"post:{post}"


def test_one_post_that_is_kept_again_leaves_the_other_empty():
    scene = make_scene("pa-577")
    dismiss(scene, "dealer")
    dismiss(scene, "relief")
    tick()
    assert kinds() == ["post-empty", "post-empty"]
    scene.people["dealer"].is_active = True
    scene.people["dealer"].save()
    tick()
    assert [alert_row.key for alert_row in Alert.objects.filter(ended_at=None)] == ["post:dealer-left"]


@clause("PA-577.9(c)-two")
def test_a_floorperson_whose_duty_ends_breaks_the_supervision(scene):
    duty = Assignment.objects.filter(person=scene.people["floorperson"])
    duty.update(ended_at=clock.now())
    assert tick() == [scene.table.pk]
    alert = only(scene)
    assert (alert["kind"], alert["title"]) == ("span", "No floorperson")
    assert "Floorperson" in alert["text"] and "T-01" in alert["text"]
    duty.update(ended_at=None)
    assert tick() == [scene.table.pk]
    assert kinds() == []


def test_a_shaker_whose_keeper_is_no_longer_on_duty_is_unattended(scene):
    """Play checks the same duty, and has stopped."""
    duty = Assignment.objects.filter(person=scene.people["dealer"])
    duty.update(ended_at=clock.now())
    assert tick() == [scene.table.pk]
    assert kinds() == ["shaker-unattended"]
    with scene.refused("post-is-empty", "58 Pa. Code § 465a.35"):
        scene.place((1, "small", 2_500), by="floorperson")
    duty.update(ended_at=None)
    assert tick() == [scene.table.pk]
    assert kinds() == []
    scene.place((1, "small", 2_500))


@clause("PA-577.9(b)-dealers", "PA-577.9(b)-stick")
@pytest.mark.parametrize(
    ("by", "post"), [("dealer", "dealer"), ("relief", "dealer-left"), ("stickperson", "stick")]
)
def test_a_football_post_of_somebody_no_longer_on_duty_is_empty(by, post):
    scene = make_scene("pa-577")
    Assignment.objects.filter(person=scene.people[by]).update(ended_at=clock.now())
    tick()
    assert [alert.key for alert in Alert.objects.all()] == [f"post:{post}"]
    with scene.refused("post-is-empty", "58 Pa. Code § 577.9(b)"):
        scene.place((1, "touchdown", 500), by="relief" if by == "dealer" else "dealer")


def test_a_dealer_of_two_tables_in_play_keeps_neither_shaker(scene):
    """Not even the one at which the other table's alert is raised: a person is at one place."""
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    next_table = make_table(
        scene.table.facility, code="T-02", pit=scene.table.pit, submission="RS-0009", kind="live", **limits
    )
    assert tick() == []
    Table.objects.filter(pk=next_table.pk).update(
        status="open", dealer=scene.people["dealer"], floorperson=scene.people["floorperson"]
    )
    tick()
    assert kinds() == ["shaker-unattended"]
    assert Alert.objects.get().table == scene.table  # no shaker stands at the other one


def test_the_posts_of_many_tables_are_asked_in_one_statement(scene, django_assert_num_queries):
    tables = list(Table.objects.all())
    with django_assert_num_queries(1):
        empty_posts = posts.empty_posts_by_table(tables)
    assert empty_posts == {scene.table.pk: []}
    with django_assert_num_queries(0):
        assert posts.empty_posts_by_table([]) == {}


def test_two_tickers_raise_one_alert(scene):
    dismiss(scene, "dealer")
    assert (tick(), tick()) == ([scene.table.pk], [])
    assert Entry.objects.filter(type="alert.raised").count() == 1


def test_an_alert_whose_cause_ended_before_the_lock_is_not_raised(scene, monkeypatch):
    """Another ticker, or the relief, was first: what is expected under the lock counts."""
    dismiss(scene, "dealer")
    earlier = absences(clock.now())
    scene.act("take_over_table", by="relief")
    late = AlertRule(
        (UNATTENDED_SHAKER,),
        lambda now, table_id=None: earlier if table_id is None else absences(now, table_id),
    )
    version = scene.version
    assert reconcile_alerts([late], clock.now()) == []
    assert (scene.version, kinds()) == (version, [])


# Tablets


class Minutes:
    """A monotonic clock, an hour after its start: long enough to have heard every tablet."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def listening():
    """A ticker that has listened for an hour."""
    seconds = Minutes()
    mine = Ticker(seconds)
    seconds.now = 3_600.0
    return mine


def heard(scene, moment, **values):
    fields = {"person": scene.people["dealer"], "signed_on_at": moment, "heard_at": moment, **values}
    Device.objects.filter(pk=scene.tablet.pk).update(**fields)


def test_a_low_tablet_without_power_is_a_notice_at_the_pit_until_it_charges(hands, scene, listening):
    heard(scene, hands.now, battery_percent=21, is_charging=False)
    assert listening.check_rules(SLOW_RULES) == []
    heard(scene, hands.now, battery_percent=20, is_charging=True)
    assert listening.check_rules(SLOW_RULES) == []
    heard(scene, hands.now, battery_percent=20, is_charging=False)
    assert listening.check_rules(SLOW_RULES) == [scene.table.pk]
    (alert,) = Alert.objects.filter(ended_at=None)
    assert (alert.kind, alert.level, alert.params["percent"]) == ("low-battery", "info", 20)
    heard(scene, hands.now, battery_percent=19, is_charging=False)
    assert listening.check_rules(SLOW_RULES) == []
    heard(scene, hands.now, battery_percent=19, is_charging=True)
    assert listening.check_rules(SLOW_RULES) == [scene.table.pk]
    assert not Alert.objects.filter(ended_at=None).exists()


def test_a_tablet_that_fell_silent_calls_somebody_until_it_is_heard_again(hands, scene, listening):
    heard(scene, hands.now)
    hands.now += dt.timedelta(seconds=59)
    assert listening.check_rules(SLOW_RULES) == []
    hands.now += dt.timedelta(seconds=1)
    assert listening.check_rules(SLOW_RULES) == [scene.table.pk]
    assert listening.check_rules(SLOW_RULES) == []
    assert only(scene)["text"].startswith("Tablet of T-01 has been silent for a minute.")
    heard(scene, hands.now)
    assert listening.check_rules(SLOW_RULES) == [scene.table.pk]
    assert kinds() == []


@pytest.mark.parametrize(
    "values",
    [
        {"heard_at": None},
        {"revoked_at": dt.datetime(2026, 11, 21, tzinfo=dt.UTC)},
        {"locked_at": dt.datetime(2026, 11, 21, tzinfo=dt.UTC)},
        {"person": None, "signed_on_at": None},
        {"place": ""},
    ],
)
def test_a_tablet_that_nobody_works_at_is_not_missed(hands, scene, listening, values):
    heard(scene, hands.now, **values)
    hands.now += dt.timedelta(hours=1)
    assert listening.check_rules(SLOW_RULES) == []


def test_a_tablet_of_a_closed_table_is_not_missed(hands, scene, listening):
    heard(scene, hands.now)
    hands.now += dt.timedelta(hours=1)
    listening.check_rules(SLOW_RULES)
    assert kinds() == ["stale-tablet"]
    scene.close(dice="stay")
    listening.check_rules(SLOW_RULES)
    assert kinds() == []


def tablet_of_person(scene, by, moment):
    """Another tablet of the table, heard at this moment, at which this person is signed in."""
    device, _ = enroll(f"Tablet of {by}", "larkfield", "dealer", scene.table.place)
    person = scene.people[by]
    Device.objects.filter(pk=device.pk).update(person=person, signed_on_at=moment, heard_at=moment)
    return device


def test_a_tablet_that_another_one_replaced_is_missed_no_more(hands, scene, listening):
    heard(scene, hands.now)
    hands.now += dt.timedelta(minutes=2)
    listening.check_rules(SLOW_RULES)
    assert kinds() == ["stale-tablet"]
    new = tablet_of_person(scene, "dealer", hands.now)
    listening.check_rules(SLOW_RULES)
    assert kinds() == []
    scene.close(dice="stay")
    hands.now += dt.timedelta(minutes=1)
    scene.inspect()
    scene.open()
    Device.objects.filter(pk=new.pk).update(locked_at=hands.now)  # a break: neither is missed
    hands.now += dt.timedelta(hours=1)
    listening.check_rules(SLOW_RULES)
    assert "stale-tablet" not in kinds()


def test_the_other_posts_know_of_a_silent_tablet_after_twelve_seconds(hands, listening):
    scene = make_scene("pa-577")
    tablet_of_person(scene, "dealer", hands.now)
    stick = tablet_of_person(scene, "stickperson", hands.now)

    def silent() -> Sequence[str]:
        return silent_posts(Table.objects.get(pk=scene.table.pk), hands.now)

    hands.now += dt.timedelta(seconds=12)
    assert silent() == []
    hands.now += dt.timedelta(seconds=1)
    assert set(silent()) == {"dealer", "stick"}
    Device.objects.exclude(pk=stick.pk).update(heard_at=hands.now)
    assert silent() == ["stick"]
    Device.objects.filter(pk=stick.pk).update(locked_at=hands.now)
    assert silent() == [], "what is locked takes no taps, so nothing waits there"


def test_silent_tablets_of_one_table_are_one_line_that_names_their_posts(hands, listening):
    scene = make_scene("pa-577")
    for by in ("dealer", "relief", "stickperson"):
        tablet_of_person(scene, by, hands.now)
    for number, device in enumerate(Device.objects.exclude(place=""), start=0xEBD7A6):
        Device.objects.filter(pk=device.pk).update(name=f"{number:x}")
    left = Device.objects.get(person=scene.people["relief"])
    Device.objects.exclude(pk=left.pk).update(heard_at=hands.now + dt.timedelta(minutes=2))
    hands.now += dt.timedelta(minutes=2)
    listening.check_rules(SLOW_RULES)
    alone = only(scene)
    assert (alone["title"], alone["text"].partition(" has")[0]) == (
        "Left tablet offline",
        "Left tablet of T-01",
    )
    Device.objects.exclude(pk=left.pk).update(heard_at=hands.now - dt.timedelta(minutes=2))
    listening.check_rules(SLOW_RULES)
    assert kinds() == ["stale-tablet"] * 3
    shown = only(scene)
    assert (shown["count"], shown["title"]) == (3, "3 tablets offline: left, right, stick")
    before = scene.version
    scene.act("acknowledge_alert", {"alert": shown["id"]}, by="floorperson")
    assert scene.version == before + 3
    assert not Alert.objects.filter(acknowledged_at=None).exists()
    assert only(scene)["count"] == 3
    Device.objects.update(heard_at=hands.now)
    listening.check_rules(SLOW_RULES)
    assert scene.snapshot["alerts"] == []


def test_a_ticker_that_has_just_begun_or_whose_clock_jumped_listens_for_a_minute_first(hands, scene):
    heard(scene, hands.now)
    seconds = Minutes()
    mine = Ticker(seconds)
    mine.watch_clock()
    hands.now += dt.timedelta(hours=1)
    assert mine.check_rules(SLOW_RULES) == []
    seconds.now = 60.0
    mine.watch_clock()  # the hour on the wall was a minute of the machine: a jump
    assert "stale-tablet" not in kinds()
    seconds.now = 119.0
    mine.check_rules(SLOW_RULES)
    assert "stale-tablet" not in kinds()
    seconds.now = 120.0
    mine.check_rules(SLOW_RULES)
    assert "stale-tablet" in kinds()
