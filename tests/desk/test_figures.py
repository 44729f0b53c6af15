"""The figures of a gaming day, each worked out by hand; both databases add up the same."""

import datetime as dt
from fractions import Fraction
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from audit.models import Entry
from games.engine import Rules
from games.engine.wagers import Wager as Stake
from games.exposure import round_expectation
from games.formats import percent
from games.registry import game_of
from tables.models import Table
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tests.tables.cast import make_scene
from tests.tables.house import make_house

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
TODAY = dt.date(2026, 11, 21)
EDGE_SMALL, EDGE_NINE = Fraction(1, 36), Fraction(41, 216)  # Small; a total of 9 at 6 to 1


def at(hour: int, minute: int = 0, day: int = 21) -> dt.datetime:
    """A moment by the casino's clocks in November 2026, five hours behind UTC."""
    return dt.datetime(2026, 11, day, hour, minute, tzinfo=dt.UTC) + dt.timedelta(hours=5)


def day_of(scene, date=TODAY, play="live"):
    return build_report(ReportDay(scene.fresh.facility, date, clock.now(), play))


def small_day(hands, scene):
    """Two rounds, one no roll and one void, one corrected; a dispute, a device, a wager under the minimum."""
    scene.play((1, "small", 2_500), (2, "total:9", 1_000), dice=[1, 1, 2])  # 2,500 paid, 1,000 taken
    scene.finish()
    hands.now = at(11, 10)
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 2]})
    missed = {"seat": 3, "wager": "total:9", "cents": 500, "reason": "under a hand"}
    scene.act("record_missed_wager", missed, witness="floorperson")  # under the minimum of $10, and lost
    scene.finish()
    hands.now = at(11, 40)
    scene.place((4, "big", 4_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    hands.now = at(12)
    scene.place((4, "big", 7_000))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    scene.act("report_dispute", {"seat": 4, "about": "a late chip"})
    device = {"what": "a telephone that counts", "action": "put away", "seat": 4}
    scene.act("log_device_incident", device, by="floorperson")
    hands.now = at(12, 20)


def test_a_small_day_matches_figures_computed_manually(hands, scene):
    small_day(hands, scene)
    report = day_of(scene)
    total = report.total
    assert (total.settled, total.no_roll, total.void, total.in_play) == (2, 1, 1, 0)
    sums = total.sums
    assert sums.handle_cents == 2_500 + 1_000 + 2_500 + 500  # nothing of the rounds without a result
    assert (sums.taken_cents, sums.paid_cents, total.win_cents) == (4_000, 2_500, 1_500)
    assert (sums.wagers, total.outside, total.outside_cents) == (4, 1, 500)
    assert (total.win_share, percent(total.win_share)) == (Fraction(1_500, 6_500), "23.08 %")
    assert [row.figures for row in report.tables] == [row.figures for row in report.games] == [total]
    assert [(row.label, row.game) for row in report.tables] == [("T-01", "sic-bo")]


def test_the_expected_win_is_the_exact_edge_of_each_wager(hands, scene):
    small_day(hands, scene)
    sums = day_of(scene).total.sums
    assert sums.expected.value == 5_000 * EDGE_SMALL + 1_500 * EDGE_NINE
    assert (sums.handle_cents, sums.win_cents, sums.unknown_rounds) == (6_500, 1_500, 0)


def test_the_variance_is_that_of_all_216_throws_of_each_round(hands, scene):
    small_day(hands, scene)
    rules = Rules.of("pa-625a/A")
    rounds = [
        [Stake(1, "small", 2_500), Stake(2, "total:9", 1_000)],
        [Stake(1, "small", 2_500), Stake(3, "total:9", 500)],
    ]
    variance = Fraction(0)
    for wagers in rounds:
        wins = []
        for dice in product(range(1, 7), repeat=3):
            _ending, settled = game_of(rules).adjudicate(rules, [dice], wagers)
            wins.append(sum(one.wager.cents - one.paid_cents - one.returned_cents for one in settled))
        variance += Fraction(sum(win * win for win in wins), 216) - Fraction(sum(wins), 216) ** 2
    assert day_of(scene).total.sums.variance.value == variance


def test_extra_rolls_and_the_circles_of_their_seats_are_included(hands):
    scene = make_scene("pa-675a")
    bought = [(2, "pip:5", 2_500), (2, "like-kind:3", 2_500), (2, "extra-roll", 2_500)]
    plain = [(5, "pip:1", 10_000), (5, "like-kind:4", 10_000)]
    scene.place(*bought, *plain)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [5, 5, 5, 5, 1, 1, 6, 6, 6, 4]})
    while scene.round is not None:
        following = scene.snapshot["next"]
        params = {"dice": [1, 2, 3, 4, 6, 6]} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params)
    rules = Rules.of("pa-675a")
    sums = day_of(scene).total.sums
    assert (sums.handle_cents, sums.fees_cents, sums.unknown_rounds) == (25_000, 2_500, 0)
    of_round = round_expectation(rules, [Stake(*wager) for wager in (*bought, *plain)])
    assert (sums.expected.value, sums.variance.value) == (of_round.expected_win, of_round.variance)
    assert of_round.by_code["extra-roll"] == 2_500


def test_other_events_are_reported_as_they_were_at_the_end_of_the_day(hands, scene):
    small_day(hands, scene)
    also = day_of(scene).events
    assert [(one.table, one.type, one.count) for one in also.corrections] == [("T-01", "wager.missed", 1)]
    assert [(one.table, one.round, one.seat, one.about) for one in also.disputes] == [
        ("T-01", 4, 4, "a late chip")
    ]
    assert [(one.what, one.action) for one in also.devices] == [("a telephone that counts", "put away")]
    [alert] = [one for one in also.alerts if one.kind == "dispute"]
    assert (
        alert.count,
        alert.open_at_end,
        alert.unacknowledged,
        alert.open_seconds,
        alert.longest_seconds,
    ) == (
        1,
        1,
        1,
        1_200,
        1_200,
    )
    [lot] = also.lots
    assert (lot.lot, lot.table, lot.rounds, lot.throws, lot.first, lot.last) == ("L-0001", "T-01", 3, 3, 1, 3)
    assert (lot.since, lot.until) == (at(10), at(11, 40))
    people = {one.code: one for one in also.people}
    assert set(people) == {"dealer", "floorperson"}
    assert people["floorperson"].witnessed == 4  # the missed wager with its notice, the no roll, and the void
    assert also.open_spans == {scene.table.pk: ((at(10), None),)}
    [head] = also.heads
    stream = scene.fresh.stream
    assert (head.seq, head.hash, head.entries) == (stream.seq, bytes(stream.head).hex(), also.entries)


def test_rounds_are_counted_by_the_hour_in_which_they_were_settled(hands, scene):
    small_day(hands, scene)
    hours = day_of(scene).hours
    assert len(hours) == 24
    busy = {
        hour.begins: (hour.figures.settled, hour.figures.win_cents) for hour in hours if hour.figures.rounds
    }
    assert busy == {at(10): (1, -1_500), at(11): (1, 3_000), at(12): (0, 0)}


def test_a_manual_round_is_counted_separately(hands, scene):
    lay = [{"seat": 1, "wager": "small", "cents": 2_500}]
    scene.settle_by_hand(dice=[1, 1, 2], wagers=lay)
    house = day_of(scene).total
    assert (house.settled, house.by_hand, house.on_paper, house.win_cents) == (1, 1, 1, -2_500)


@pytest.mark.parametrize(
    ("date", "hours", "first", "last"),
    [
        (dt.date(2026, 10, 31), 25, "06:00", "05:00"),  # the clocks are set back on 1 November
        (dt.date(2026, 3, 7), 23, "06:00", "05:00"),  # and forward on 8 March
        (TODAY, 24, "06:00", "05:00"),
    ],
)
def test_a_day_over_a_change_of_the_clocks_has_its_own_hours(scene, date, hours, first, last):
    day = ReportDay(scene.table.facility, date, clock.now())
    assert (len(day.hours), day.ends - day.begins) == (hours, dt.timedelta(hours=hours))
    local = [f"{day.facility.local(one):%H:%M}" for one in day.hours]
    assert (local[0], local[-1]) == (first, last)


def test_the_hour_that_comes_twice_is_two_hours(hands):
    hands.now = dt.datetime(2026, 11, 1, 5, 30, tzinfo=dt.UTC)  # 01:30, before the clocks are set back
    scene = make_scene()
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    hands.now += dt.timedelta(hours=1)  # 01:30 once more
    scene.play((1, "small", 1_000), dice=[6, 6, 2])
    scene.finish()
    report = day_of(scene, dt.date(2026, 10, 31))
    busy = [(place, hour.figures.win_cents) for place, hour in enumerate(report.hours) if hour.figures.rounds]
    assert busy == [(19, -2_500), (20, 1_000)]
    assert day_of(scene, dt.date(2026, 11, 1)).is_empty


def test_an_empty_day_has_no_figures(hands, scene):
    report = day_of(scene, dt.date(2026, 11, 20))
    assert report.is_empty and report.is_final
    assert (report.total.rounds, report.total.win_share, report.tables, report.events.heads) == (
        0,
        None,
        [],
        [],
    )


def test_a_round_in_play_counts_when_it_ends(hands, scene):
    hands.now = at(5, 59, day=22)  # the last minute of the day
    scene.place((1, "small", 2_500))
    report = day_of(scene)
    assert (report.total.in_play, report.total.sums.handle_cents, report.is_final) == (1, 0, False)
    hands.now = at(6, 1, day=22)
    assert not day_of(scene).is_final
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 2]})
    scene.finish()
    report = day_of(scene)
    assert (report.total.in_play, report.total.win_cents, report.is_final) == (0, 2_500, True)
    assert report.hours[-1].figures.win_cents == 2_500


def test_an_alert_that_outlasts_the_day_is_reported_as_open(hands, scene):
    hands.now = at(5, 30, day=22)
    scene.act("report_dispute", {"seat": 4, "about": "a late chip"})
    hands.now = at(9, day=22)
    [alert] = day_of(scene).events.alerts
    assert (alert.open_at_end, alert.open_seconds) == (1, 30 * 60)


def test_real_play_and_simulation_are_never_in_one(hands):
    scenes = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-625a/A", None))
    Table.objects.filter(code="T-02").update(kind="simulated")
    for scene in scenes.values():
        scene.staff()
        scene.inspect()
        scene.open()
        scene.play((1, "small", 2_500), dice=[1, 1, 2])
        scene.finish()
        scene.close()
        scene.act("leave_table")
    real, simulated, training = (day_of(scene, play=play) for play in ("live", "simulated", "training"))
    assert [one.code for one in real.tables] == ["T-01"] == [one.table for one in real.events.heads]
    assert [one.code for one in simulated.tables] == ["T-02"] == [one.table for one in simulated.events.lots]
    assert real.total.sums.handle_cents == simulated.total.sums.handle_cents == 2_500
    assert training.is_empty
    assert real.events.open_spans == {scenes["T-01"].table.pk: ((at(10), at(10)),)}


def test_the_number_of_queries_does_not_grow_with_the_play(hands, scene):
    def queries():
        with CaptureQueriesContext(connection) as queries:
            day_of(scene)
        return len(queries)

    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    first = queries()
    for _ in range(5):
        scene.play((1, "small", 2_500), (2, "big", 1_000), dice=[6, 6, 2])
        scene.finish()
    assert queries() == first < 25


# Corrections


def file_slip(scene, hands, moment):
    """A slip about the last settled round: 1 1 2 was read as 6 6 2, so Small lost $25 and should have won them."""
    hands.now = moment
    number = scene.table.rounds.filter(phase="cleared").latest("number").number
    entries = Entry.objects.filter(stream=scene.table.stream, round=number)
    corrects = entries.filter(type__in=("round.settled", "wager.missed")).latest("seq").seq
    params = {"round": number, "kind": "dice", "corrects": corrects, "dice": [1, 1, 2], "reason": "misread"}
    scene.act("file_slip", params, witness="floorperson")


def settle_slip(scene, hands, moment):
    hands.now = moment
    params = {"slip": "ENS-0001", "moved": [{"seat": 1, "cents": 5_000}]}
    scene.act("settle_slip", params, witness="floorperson")


def a_lost_round(scene):
    scene.play((1, "small", 2_500), dice=[6, 6, 2])
    scene.finish()


def test_a_slip_of_the_day_is_in_its_figures_and_what_it_changed_and_moved_has_names_of_its_own(hands, scene):
    a_lost_round(scene)
    file_slip(scene, hands, at(13))
    settle_slip(scene, hands, at(13, 5))
    hands.now = at(14)
    found = day_of(scene)
    house = found.total
    assert (house.win_cents, house.slips, house.slips_cents, house.slips_moved_cents) == (
        -2_500,
        1,
        -5_000,
        -5_000,
    )
    assert (house.earlier_slips_cents, found.moved_win_cents) == (0, -2_500)
    [line] = found.slips
    assert (line.before_cents, line.after_cents, line.moved_cents) == (2_500, -2_500, -5_000)
    assert [one.begins for one in found.hours if one.figures.slips] == [at(13)]
    assert (found.later_slips, line.is_of_another_day) == ([], False)


def test_a_slip_that_is_filed_after_a_report_was_read_is_in_the_next_one(hands, scene):
    """A report reads what it has not read before, and a slip changes a round that it has."""
    a_lost_round(scene)
    hands.now = at(12)
    assert day_of(scene).total.win_cents == 2_500
    file_slip(scene, hands, at(13))
    hands.now = at(14)
    assert day_of(scene).total.win_cents == -2_500


def test_a_slip_on_a_later_day_counts_in_the_figures_of_the_day_of_its_round(hands, scene):
    a_lost_round(scene)
    file_slip(scene, hands, at(13, day=23))
    hands.now = at(14, day=23)
    played = day_of(scene)
    assert (played.total.win_cents, played.total.slips_cents, played.slips) == (-2_500, 0, [])
    assert played.moved_win_cents == 2_500  # which an acceptance of that day has always stated
    assert [one.code for one in played.later_slips] == ["ENS-0001"]
    filed = day_of(scene, dt.date(2026, 11, 23))
    total = filed.total
    assert (total.win_cents, total.slips_cents, total.earlier_slips_cents) == (0, -5_000, -5_000)
    assert (total.slips_moved_cents, filed.moved_win_cents) == (0, -5_000)
    [line] = filed.slips
    assert (line.is_of_another_day, line.moved_cents) == (True, None)
    assert not filed.is_empty


def test_money_that_moved_after_the_day_does_not_count_on_it(hands, scene):
    a_lost_round(scene)
    file_slip(scene, hands, at(13))
    settle_slip(scene, hands, at(9, day=22))
    [line] = day_of(scene).slips
    assert line.moved_cents is None


@pytest.mark.django_db(transaction=True)
def test_play_goes_on_while_one_moment_is_reported(committed):
    a_lost_round(committed)
    day = ReportDay(committed.fresh.facility, committed.last_round.gaming_day, clock.now())
    with CaptureQueriesContext(connection) as queries:
        report = build_report(day)
    statements = [query["sql"] for query in queries]
    if connection.vendor == "postgresql":
        assert any("REPEATABLE READ, READ ONLY" in statement for statement in statements)
    assert not any(statement.startswith("BEGIN IMMEDIATE") for statement in statements)
    assert report.total.win_cents == 2_500
    committed.play((2, "total:9", 1_000), dice=[6, 6, 2])  # and the next act writes as before
