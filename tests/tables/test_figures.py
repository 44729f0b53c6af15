"""The day's figures of a table, exact, and drawn."""

import pytest

from tables.screens import selectors
from tables.screens.screen_data import win_line

pytestmark = pytest.mark.both_databases


def test_the_win_is_recorded_round_by_round(scene):
    for dice in ([1, 1, 2], [6, 6, 5], [2, 2, 2]):  # small pays, small loses, small loses on a triple
        scene.play((1, "small", 2_500), dice=dice)
        scene.finish()
    figures = selectors.figures(scene.fresh.pk, scene.last_round.gaming_day)
    assert figures["win_line_cents"] == [0, -2_500, 0, 2_500]
    assert (figures["rounds"], figures["handle_cents"], figures["win_cents"]) == (3, 7_500, 2_500)


def test_the_line_is_drawn_in_dollars_upward_from_the_second_round_on():
    assert win_line([0, 2_500]) is None
    line = win_line([0, -2_500, 0, 2_500])
    assert line["points"] == "0,0 1,25 2,0 3,-25"
    assert (line["low"], line["high"], line["rounds"], line["box"]) == (-2_500, 2_500, 3, "0 -28 3 55")
