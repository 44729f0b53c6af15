"""Pace has one definition: the same day gives the same figure on every screen, in every report and file."""

import datetime as dt
import json
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from tables.advice import table_hours
from tables.core.figure_sums import pace
from tables.figures import rollup
from tables.models import HourFigures, RollupProgress, Table
from tables.opening import open_time
from tables.opening.open_time import open_times
from tables.screens.screen_data import pace_now
from tests.desk.test_figures import at, day_of
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
MINUTE = dt.timedelta(minutes=1)


def play_at(hands, scene, hour, minute):
    hands.now = at(hour, minute)
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()


def day_with_pauses(hands, scene):
    """Open 10:00 to 12:00 without 10:20 to 10:40, and 14:00 to 15:00. Rounds at 10:10, 11:30, 11:45 and 14:20."""
    play_at(hands, scene, 10, 10)
    hands.now = at(10, 20)
    scene.act("report_device_failure")
    hands.now = at(10, 40)
    scene.repair()
    hands.now = at(10, 50)
    scene.act("take_over_table", by="relief")
    hands.now = at(11)
    scene.act("take_over_table")
    play_at(hands, scene, 11, 30)
    play_at(hands, scene, 11, 45)
    hands.now = at(12)
    scene.close()
    hands.now = at(14)
    scene.inspect()
    scene.open()
    play_at(hands, scene, 14, 20)
    hands.now = at(14, 50)


def test_pace_is_rounds_an_hour_of_open_and_staffed_time_everywhere(hands, scene):
    day_with_pauses(hands, scene)
    exact = pace(4, 120 * MINUTE)  # 20 + 80 minutes before noon, 20 after
    assert exact == 2
    total = day_of(scene).total
    assert (total.sums.open_us, total.sums.pace) == (120 * MINUTE / dt.timedelta(microseconds=1), exact)
    page = "/floor/larkfield/figures/"
    client = scene.browser("podium", "shift-manager")
    for query in ("", "?by=game", "?from=2026-11-01&to=2026-11-21", "?from=2025-11-22&to=2026-11-21"):
        first = json.loads(client.get(f"{page}export.jsonl{query}").content.splitlines()[0])
        assert (first["rounds"], first["rounds_per_hour"]) == (4, exact), query
    # The proposals ask for the last hour up to now: 14:00 to 14:50 was open.
    [hour] = table_hours(scene.table.facility, clock.now())
    assert (hour.rounds, hour.minutes) == (1, 50)


def test_open_time_belongs_to_the_hours_and_dealers_in_which_it_passed(hands, scene):
    day_with_pauses(hands, scene)
    rows = HourFigures.objects.order_by("begins_at", "dealers")
    minutes = [(row.begins_at, row.dealers, row.rounds, row.open_us // 60_000_000) for row in rows]
    assert minutes == [
        (at(10), "dealer", 1, 30),
        (at(10), "relief", 0, 10),
        (at(11), "dealer", 2, 60),
        (at(14), "dealer", 1, 20),
    ]
    assert rollup.differences(scene.fresh) == []
    state = RollupProgress.objects.get().open_state
    assert (state["is_open"], state["holders"], state["since"][:16]) == (
        True,
        {"dealer": "dealer"},
        "2026-11-21T19:00",
    )
    hands.now = at(14, 50)
    with CaptureQueriesContext(connection) as queries:
        play_at(hands, scene, 14, 50)
    assert not [query["sql"] for query in queries if 'AS "opening"' in query["sql"]]  # no look for an opening
    rollup.rebuild(scene.fresh)
    assert [row.open_us // 60_000_000 for row in rows.all()] == [30, 10, 60, 50]


def test_an_empty_post_is_no_time_of_play(hands):
    scene = make_scene("pa-625a/A", "automated-covered")
    hands.now = at(10, 20)
    assert pace_now(scene.snapshot) == 0
    scene.act("leave_table")
    assert pace_now(scene.snapshot) is None
    hands.now = at(10, 30)
    scene.act("take_over_table", by="relief")
    hands.now = at(11)

    def minutes(begins, ends):
        return open_times([scene.fresh], begins, ends)[scene.table.pk].between(begins, ends) // MINUTE

    assert minutes(at(10), at(11)) == 50
    assert minutes(at(10, 25), at(10, 35)) == 5
    assert minutes(at(9), at(10)) == 0
    assert minutes(at(6, day=22), at(7, day=22)) == 60  # a table may stay open into the next gaming day
    Table.objects.update(kind="simulated")
    assert minutes(at(10), at(11)) == 60  # it has no people


def test_a_pace_needs_five_minutes():
    assert pace(3, 5 * MINUTE - dt.timedelta(microseconds=1)) is None
    assert (pace(3, 5 * MINUTE), pace(0, 60 * MINUTE)) == (Fraction(36), Fraction(0))
    assert pace(1, 7 * MINUTE) == Fraction(60, 7)


def test_the_time_of_an_act_that_was_taken_back_does_not_stay(hands, scene):
    play_at(hands, scene, 10, 10)
    play_at(hands, scene, 10, 20)
    opened = scene.snapshot["figures"]["open_since"]
    hands.now = at(10, 30)
    with scene.tried():
        scene.act("report_device_failure")
        assert scene.snapshot["figures"]["open_since"] is None
    open_time_then = open_time._cache.copy()
    play_at(hands, scene, 10, 40)
    assert open_time_then and scene.snapshot["figures"]["open_since"] == opened


def test_a_live_screen_has_the_pace_of_the_last_fifteen_minutes(hands, scene):
    assert pace_now(scene.snapshot) is None, "opened a moment ago"
    for minute in (10, 12, 14, 16, 18, 20, 22):
        play_at(hands, scene, 10, minute)
    assert pace_now(scene.snapshot) == 28, "seven rounds in a quarter of an hour"
    hands.now = at(10, 30)
    assert pace_now(scene.snapshot) == 16, "four since 10:15"
    hands.now = at(12, 9)
    assert pace_now(scene.snapshot) == 0, "still for 1 h 47 min"
    page = scene.browser("podium", "shift-manager").get("/floor/larkfield/")
    assert '<dd data-sum="pace">0</dd>' in page.content.decode()


def test_a_table_that_is_not_dealt_has_no_pace_and_the_floor_does_not_count_it(hands, scene):
    play_at(hands, scene, 10, 10)
    hands.now = at(10, 20)
    scene.act("report_device_failure")
    assert pace_now(scene.snapshot) is None
    hands.now = at(10, 40)
    scene.repair()
    hands.now = at(10, 45) - dt.timedelta(seconds=1)
    assert pace_now(scene.snapshot) is None
    page = scene.browser("podium", "shift-manager").get("/floor/larkfield/")
    assert '<dd data-sum="pace">–</dd>' in page.content.decode()
    hands.now = at(10, 45)
    assert pace_now(scene.snapshot) == 0
    hands.now = at(11)
    scene.act("take_over_table", by="relief")
    assert pace_now(scene.snapshot) == 0, "another dealer is no break"
    hands.now = at(11, 10)
    scene.close()
    assert pace_now(scene.snapshot) is None
