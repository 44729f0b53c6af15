"""The day's figures of a table, exact, and drawn."""

from itertools import pairwise
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.kit.plots import Circle, Line, Path, Text
from tables.screens import table_history
from tables.screens.plots import LETTER, axis_labels, win_plot

pytestmark = pytest.mark.both_databases


def test_the_win_is_recorded_round_by_round(scene):
    for dice in ([1, 1, 2], [6, 6, 5], [2, 2, 2]):  # small pays, small loses, small loses on a triple
        scene.play((1, "small", 2_500), dice=dice)
        scene.finish()
    figures = table_history.ended_rounds_part(scene.fresh, scene.last_round.gaming_day, 1)["figures"]
    assert figures["win_line_cents"] == [0, -2_500, 0, 2_500]
    assert (figures["rounds"], figures["handle_cents"], figures["win_cents"]) == (3, 7_500, 2_500)


def lines(*points):
    """Win, expected win and band at each point, in dollars."""
    names = ("win_line_cents", "expected_line_cents", "band_line_cents")
    return {
        name: [100 * dollars for dollars in column]
        for name, column in zip(names, zip(*points, strict=True), strict=True)
    }


def test_the_win_is_drawn_in_its_band_from_the_second_round_on():
    assert win_plot(lines((0, 0, 0), (25, 10, 20))) is None
    plot = win_plot(lines((0, 0, 0), (-25, 10, 20), (0, 15, 40), (30, 20, 60)))
    paths = {mark.kind: mark.points for mark in plot.marks if isinstance(mark, Path)}
    assert [(round(x, 1), round(y, 1)) for x, y in paths["win"]] == [
        (62.0, 123.3), (138.0, 158.8), (214.0, 123.3), (290.0, 80.8),
    ]  # fmt: skip
    assert paths["band-area"][0] == paths["win"][0] and len(paths["band-area"]) == 8
    (end,) = (mark for mark in plot.marks if isinstance(mark, Circle))
    assert (end.x, round(end.y, 1)) == (290, 80.8)
    texts = [mark for mark in plot.marks if isinstance(mark, Text)]
    assert [text.text for text in texts if text.kind == "before"] == ["$0", "$50"]
    ends = [text for text in texts if text.kind != "before"]
    assert [(text.text, text.kind) for text in ends] == [
        ("+$80", "edge"),
        ("+$30", "win"),
        ("+$20", "expected"),
        ("−$40", "edge"),
    ]
    assert all(below.y - above.y >= 15 for above, below in pairwise(ends))
    assert plot.words.endswith("now +$30, expected +$20 ± $60")


def test_the_win_without_a_known_band_is_drawn_alone():
    plot = win_plot(
        {**lines((0, 0, 0), (-25, 0, 0), (10, 0, 0)), "expected_line_cents": [], "band_line_cents": []}
    )
    assert {mark.kind for mark in plot.marks if not isinstance(mark, Line)} == {"before", "win", ""}


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.sampled_from(["−$4,120 worst", "−$1,300", "+$925"])),
        min_size=1,
        max_size=3,
        unique_by=itemgetter(1),
    )
)
def test_the_labels_of_an_axis_never_meet_and_stay_on_the_plot(marks):
    labels = axis_labels([(x, text, "") for x, text in marks] + [(150, "$0", "zero")], 300, 96)
    halves = [len(label["text"]) * LETTER / 2 for label in labels]
    assert [label["text"] for label in labels if label["text"] != "$0"] == [text for _, text in sorted(marks)]
    for (label, half), (following, other) in pairwise(zip(labels, halves, strict=True)):
        assert label["x"] + half <= following["x"] - other
    assert labels[0]["x"] >= halves[0] - 0.1 and labels[-1]["x"] + halves[-1] <= 300.1
