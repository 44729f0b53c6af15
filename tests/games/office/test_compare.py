"""What changed between two versions, and for which wager: every difference is named, and nothing else is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Rules
from games.office.submissions.compare import Change, changes
from tests.services.examples import examples

BASE = "pa-539"


def what(found):
    return [(one.kind, one.wager, one.old, one.new) for one in found]


def test_a_raised_payout_is_named_with_its_house_advantage_before_and_after():
    (found,) = changes(Rules.of(BASE, {"total:4": "60 to 1"}), Rules.of(BASE, {"total:4": "70 to 1"}))
    assert found == Change(
        "payout", "60 to 1", "70 to 1", "Total 4", "total:4", "15.28 %", "1.39 %", "58 Pa. Code § 539.6(b)"
    )


def test_the_other_paytable_names_the_edition_and_every_row_that_differs():
    found = changes(Rules.of("pa-625a/A"), Rules.of("pa-625a/B"))
    assert [one.kind for one in found].count("edition") == 1
    assert {one.row for one in found if one.kind == "payout"} == {
        "three-of-a-kind", "two-of-a-kind", "any-three-of-a-kind", "two-dice", "one-of-a-kind/3",
        *(f"total:{n}" for n in (4, 5, 6, 9, 12, 15, 16, 17)),
    }  # fmt: skip
    (row,) = [one for one in found if one.row == "one-of-a-kind/3"]
    assert (row.wager, row.old, row.new, row.old_edge, row.new_edge) == (
        "One of a Kind, 3", "3 to 1", "12 to 1", "7.87 %", "3.70 %",
    )  # fmt: skip


def test_a_wager_that_comes_or_goes_is_named_as_such():
    found = changes(Rules.of("pa-675a"), Rules.of("pa-675a.6"))
    gone = [(one.wager, one.new) for one in found if one.kind == "wager" and not one.new]
    assert ("Millionaire Row 9", "") in gone and ("Like Kind 8", "") in gone
    assert ("Like Kind, no match", "60 to 1") in [
        (one.wager, one.new) for one in found if one.kind == "wager"
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"odds_word": "wins"}, {}, ("wording", "", "wins", "to")),
        ({}, {"increments": {"total": 500}}, ("increment", "Total", "", "$5")),
        ({"increments": {"two-dice": 250}}, {}, ("increment", "Two Dice Combination", "$2.50", "")),
        ({}, {"shakers": {"manual": ""}}, ("shaker", "", "", "named")),
        (
            {"shakers": {"manual": "Three."}},
            {"shakers": {"manual": "Four."}},
            ("shaker", "", "Three.", "Four."),
        ),
    ],
)
def test_wording_increments_and_procedures_are_changes_too(old, new, said):
    assert what(changes(Rules.of("pa-625a/B", **old), Rules.of("pa-625a/B", **new))) == [said]


def test_a_limit_that_rises_is_a_change():
    old, new = Rules.of("pa-675a"), Rules.of("pa-675a", payout_limit_cents=7_500_000)
    assert what(changes(old, new)) == [("limit", "", "", "$75,000")]
    assert what(changes(new, old)) == [("limit", "", "$75,000", "")]


def test_a_first_version_names_its_edition_and_what_it_chose_beyond_it():
    found = what(changes(None, Rules.of(BASE, {"two-dice": "6 to 1"})))
    assert found == [
        ("edition", "", "", "58 Pa. Code Chapter 539, text of 2010-04-03"),
        ("payout", "Two Dice Combination", "5 to 1", "6 to 1"),
    ]


PAYOUTS = st.dictionaries(
    st.sampled_from(["total:4", "total:9", "two-dice", "small"]),
    st.builds("{} to 1".format, st.integers(50, 60)),
    max_size=4,
)


@settings(max_examples=examples(60), deadline=None)
@given(PAYOUTS, PAYOUTS)
def test_exactly_the_rows_that_differ_are_named_and_the_way_back_is_the_same(before, after):
    old, new = Rules.of(BASE, before), Rules.of(BASE, after)
    differ = {row for row in new.payouts if old.payouts[row].odds != new.payouts[row].odds}
    found = changes(old, new)
    assert {one.row for one in found} == differ
    assert {(one.row, one.old, one.new) for one in found} == {
        (one.row, one.new, one.old) for one in changes(new, old)
    }
    assert changes(old, old) == []
