"""Rounds of High Roll Dice as JSON lines: void throws, void rounds, and what is refused."""

import json

import pytest

from games.adjudication import BadLine, adjudicate
from tests.games.play_high_roll import FOUR_FIVES, NO_MORE_FIVES, SIX, TEN, lines, on_paper, short

clause = pytest.mark.clause


@clause("PA-675a.4(c)-void", "PA-675a.6(g)-deal")
def test_a_void_throw_changes_nothing_and_is_thrown_again():
    void = {"void": "cocked"}
    for key, throws, wagers in (
        (TEN, [FOUR_FIVES, NO_MORE_FIVES], lines(1, "pip:5", "like-kind:4", "extra-roll")),
        (SIX, [(5, 5, 5, 6, 6, 4)], lines(1, "pip:5", "like-kind:4")),
    ):
        plain = on_paper(throws, wagers, key)
        line = {"id": "x", "rules": key, "throws": [part for dice in throws for part in (void, dice)]}
        given = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in wagers]
        assert adjudicate(json.dumps({**line, "wagers": given}).encode()) == plain


@pytest.mark.parametrize(("key", "cite"), [(TEN, "4"), (SIX, "6")])
def test_a_round_voided_by_the_house_returns_everything_and_the_fee_too(key, cite):
    wagers = lines(1, "pip:5", "like-kind:4", *(["extra-roll"] if key == TEN else []))
    found = on_paper([], wagers, key, voided="a fire alarm")
    assert found["ending"] == "void"
    assert {(one["outcome"], one["returned_cents"], one["cite"]) for one in found["wagers"]} == {
        ("return", 500, short(cite))
    }


@pytest.mark.parametrize(
    ("throws", "wagers", "code", "section"),
    [
        ([FOUR_FIVES], lines(1, "like-kind:4"), "pip-street-first", "2(e)(1)"),
        ([FOUR_FIVES], lines(1, "millionaire:9"), "pip-street-first", "2(e)(1)"),
        ([FOUR_FIVES], [(1, "pip:5", 500), (2, "like-kind:4", 500)], "pip-street-first", "2(e)(1)"),
        ([FOUR_FIVES], [(1, "pip:5", 500), (1, "pip:6", 600)], "unequal-wagers", "1(b)(2)(iv)"),
        ([FOUR_FIVES], [(1, "pip:5", 500), (1, "like-kind:4", 600)], "unequal-wagers", "2(e)(2)"),
        (
            [FOUR_FIVES],
            [*lines(1, "pip:5", "like-kind:4"), (1, "extra-roll", 499)],
            "unequal-wagers",
            "2(e)(3)",
        ),
        ([FOUR_FIVES], lines(1, "pip:5", "extra-roll"), "no-like-kind", "2(e)(3)"),
        ([FOUR_FIVES], [(1, "pip:5", 500), (1, "millionaire:9", 101)], "not-one-dollar", "2(e)(4)"),
        ([FOUR_FIVES], [(1, "pip:5", 500), (1, "millionaire:9", 99)], "not-one-dollar", "2(e)(4)"),
        ([FOUR_FIVES], lines(1, "pip:7"), "no-such-wager", "2(e)"),
        ([FOUR_FIVES], lines(1, "pip:5", "like-kind:none"), "no-such-wager", "2(e)"),
        ([FOUR_FIVES, NO_MORE_FIVES], lines(1, "pip:5"), "too-many-throws", "4(g)"),
        ([], lines(1, "pip:5"), "too-few-throws", "4(d)"),
        ([FOUR_FIVES[1:]], lines(1, "pip:5"), "wrong-number-of-dice", "4(d)"),
        ([FOUR_FIVES, FOUR_FIVES], lines(1, "pip:5", "like-kind:4", "extra-roll"), "wrong-number-of-dice", "4(d)"),
        ([(0,) * 10], lines(1, "pip:5"), "no-such-face", "4(d)"),
        ([(1, 1, 1, 2, 2, 3, 3, 4, 5, 6)], lines(1, "pip:5", "like-kind:3", cents=501), "fraction-of-a-cent", "5(b)"),
    ],
)  # fmt: skip
def test_a_line_that_the_rules_refuse_names_their_section(throws, wagers, code, section):
    with pytest.raises(BadLine) as refused:
        on_paper(throws, wagers)
    assert (refused.value.refusal.code, refused.value.refusal.section) == (code, short(section))


@clause("PA-675a.6(d)-no-extras")
@pytest.mark.parametrize("code", ["extra-roll", "millionaire:9", "millionaire:10", "like-kind:7"])
def test_six_dice_have_no_extra_roll_no_millionaire_row_and_no_seventh_die(code):
    with pytest.raises(BadLine) as refused:
        on_paper([(5, 5, 5, 6, 6, 4)], lines(1, "pip:5", "like-kind:2", code), SIX)
    assert (refused.value.refusal.code, refused.value.refusal.section) == ("no-such-wager", short("6(d)"))
