"""The expected win of a day and its band on screens: what the daily report computes from the record."""

from itertools import cycle

import pytest

from audit import clock
from tables.figures.round_figures import round_figures
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.screens import selectors
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
TEN_DICE, LOOSE = [5, 5, 5, 5, 1, 1, 6, 6, 6, 4], [1, 2, 3, 4, 6, 6]
ROUNDS = {
    "pa-625a/A": [
        ([(1, "small", 2_500), (2, "big", 10_000), (3, "total:12", 500)], [2, 5, 5]),
        ([(1, "small", 5_000), (4, "two-dice:2-5", 2_500)], [1, 1, 1]),
    ],
    "pa-675a": [
        ([(2, "pip:5", 500), (2, "like-kind:3", 500), (2, "extra-roll", 500)], TEN_DICE, LOOSE),
        ([(5, "pip:1", 1_000), (5, "millionaire:9", 100)], TEN_DICE),
    ],
    "pa-577": [([(5, "touchdown", 500), (8, "defense", 500)], [1, 2, 5])],
}


def play(scene, wagers, *throws):
    scene.place(*wagers)
    dice = cycle(throws)
    while scene.round is not None:
        following = scene.round_part["next"]
        params = {"dice": next(dice)} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params)


@pytest.mark.parametrize("rules", ROUNDS)
def test_the_band_on_screens_is_that_of_the_daily_report_after_every_round(rules):
    scene = make_scene(rules)
    assert scene.snapshot["figures"]["expected_cents"] is None
    for wagers, *throws in ROUNDS[rules]:
        play(scene, wagers, *throws)
        snapshot = scene.snapshot
        figures = snapshot["figures"]
        day = ReportDay(scene.fresh.facility, scene.last_round.gaming_day, clock.now(), "live")
        report = build_report(day).total.sums
        recorded = round_figures(day.facility, day.date, day.date)
        assert figures["handle_cents"] == sum(round_.handle_cents for round_ in recorded)  # without fees
        assert figures["handle_cents"] == sum(past["handle_cents"] for past in snapshot["history"])
        assert (figures["expected_cents"], figures["band_cents"]) == (
            report.expected_cents,
            report.band_cents,
        )
        drawn = (figures["win_line_cents"], figures["expected_line_cents"], figures["band_line_cents"])
        now = [figures["win_cents"], figures["expected_cents"], figures["band_cents"]]
        assert [line[-1] for line in drawn] == now
        assert [line[0] for line in drawn] == [0, 0, 0]
        selectors._cache.clear()
        selectors._ended_rounds_part.cache_clear()
        assert scene.snapshot["figures"] == figures  # read at once, as after a restart
