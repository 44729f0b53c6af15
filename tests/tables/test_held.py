"""What a throw raises beside its first settlement, in exact cents."""

import pytest

from tables.rounds.settlement import Line, Raise, net_payout, raise_of, without_late

SMALL, BIG, TOTAL = (1, "small", 0), (1, "big", 0), (2, "total:9", 0)
LOST = Line(6_000, 0, 0, "lose")
WON = Line(6_000, 6_000, 6_000, "win")
WON_SIX = Line(1_000, 6_000, 1_000, "win")
FEE = Line(2_500, 0, 0, "fee")


@pytest.mark.parametrize(
    ("before", "after", "raised"),
    [
        ({SMALL: WON}, {SMALL: WON}, Raise()),
        ({}, {TOTAL: WON_SIX}, Raise(6_000, {2: 6_000})),  # missed, and won
        ({}, {TOTAL: LOST}, Raise()),  # missed, and lost
        ({SMALL: LOST}, {SMALL: WON}, Raise(12_000, {1: 12_000})),  # other dice: the stake too
        ({SMALL: WON}, {SMALL: LOST}, Raise()),
        ({SMALL: LOST}, {}, Raise(6_000)),  # struck: counted, and nothing to hold back
        ({SMALL: WON}, {}, Raise()),
        ({SMALL: LOST}, {SMALL: Line(1_000, 0, 0, "lose")}, Raise(5_000)),  # lowered
        ({SMALL: LOST}, {BIG: WON}, Raise(12_000, {1: 6_000})),  # moved: struck here, missed there
        ({SMALL: FEE}, {}, Raise(2_500)),
        ({SMALL: WON, TOTAL: LOST}, {SMALL: LOST, TOTAL: WON_SIX}, Raise(12_000, {2: 12_000 - 5_000})),
    ],
)
def test_a_raise_is_the_difference_of_what_a_seats_wagers_are_worth(before, after, raised):
    assert raise_of(before, after) == raised


def test_seats_do_not_set_off_each_other_and_the_wagers_of_a_seat_do():
    loss = {SMALL: WON}, {SMALL: LOST}
    other = {TOTAL: LOST}, {TOTAL: WON}
    assert raise_of({**loss[0], **other[0]}, {**loss[1], **other[1]}) == Raise(12_000, {2: 12_000})
    assert raise_of({SMALL: WON}, {SMALL: LOST, BIG: WON}) == Raise()


def test_what_was_recorded_late_is_no_part_of_a_later_throws_first_settlement():
    lines = {SMALL: WON, TOTAL: WON_SIX}
    assert without_late(lines, {}) == lines
    assert without_late(lines, {TOTAL: 0}) == {SMALL: WON}
    assert without_late(lines, {SMALL: 2_000})[SMALL] == Line(2_000, 2_000, 2_000, "win")
    assert without_late(lines, {SMALL: 9_000}) == lines


def test_a_round_on_paper_raises_its_net_payout():
    assert net_payout({SMALL: LOST, TOTAL: WON_SIX}) == Raise()
    assert net_payout({SMALL: LOST, TOTAL: WON}) == Raise()
    assert net_payout({SMALL: Line(1_000, 0, 0, "lose"), TOTAL: WON}) == Raise(5_000, {2: 6_000})
