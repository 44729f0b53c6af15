"""Changed lines turn one text into another, whatever the two are."""

from hypothesis import given
from hypothesis import strategies as st

from script.tablet import apply_changes
from tables.screens.fragments import MOST_LINES_AHEAD, changed_lines

LINES = st.lists(st.sampled_from(["<p>", "</p>", "$25", "$50", "Big"]), max_size=30)


@given(LINES, LINES)
def test_the_changes_turn_the_old_lines_into_the_new_ones(old, new):
    assert apply_changes(old, changed_lines(old, new)) == new


def test_equal_lines_between_changes_are_not_sent():
    old = [f"line {number}" for number in range(100)]
    new = [*old[:10], "fresh", *old[10:50], *old[52:90], "other", *old[91:]]
    assert changed_lines(old, new) == [(10, 0, ["fresh"]), (50, 2, []), (90, 1, ["other"])]
    assert changed_lines(old, old) == []


def test_a_text_without_equal_lines_nearby_is_replaced_to_its_end():
    old, new = ["a"] * MOST_LINES_AHEAD, ["b"] * MOST_LINES_AHEAD
    assert changed_lines(old, new) == [(0, MOST_LINES_AHEAD, new)]
