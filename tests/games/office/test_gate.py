"""The gate: nothing that breaks a floor or favors the player passes, and each refusal says what, how much and why.

The judge here counts throws itself, in fractions, and reads the floors from the law's own list below.
"""

import datetime as dt
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.chips import DEFAULT_CHIPS_CENTS
from games.engine import Refusal, Rules
from games.office.core import DealtTable
from games.office.submissions.gate import (
    CHIPS,
    Lapse,
    findings,
    gate_checks,
    needed_increments,
    verify_may_file,
    verify_minimum,
)
from games.registry import game_of
from games.submissions import Options
from tests.services.examples import examples

clause = pytest.mark.clause
KEYS = ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577")
FLOORS = {
    "three-of-a-kind": 150, "two-of-a-kind": 8, "any-three-of-a-kind": 24, "total:4": 50, "total:5": 18, "total:6": 14,
    "total:7": 12, "total:8": 8, "total:9": 6, "total:10": 6, "total:11": 6, "total:12": 6, "total:13": 8,
    "total:14": 12, "total:15": 14, "total:16": 18, "total:17": 50, "two-dice": 5, "small": 1, "big": 1,
}  # fmt: skip
WORDS = {
    "pa-539": {"to"},
    "nj-19-47-9": {"to", "win"},
    "pa-625a/A": {"to", "wins"},
    "pa-625a/B": {"to", "wins"},
}
SHAKERS = {
    "pa-539": {"manual", "automated-uncovered"},
    "nj-19-47-9": {"manual"},
    "pa-625a/A": {"manual", "automated-covered", "automated-uncovered", "player-activated"},
    "pa-625a/B": {"manual", "automated-covered", "automated-uncovered", "player-activated"},
    "pa-675a": {"manual"},
    "pa-675a.6": {"manual"},
    "pa-577": {"dice-cup"},
}
TIMES = {"pa-675a": 5006, "pa-675a.6": 6008}
THROWS = list(product(range(1, 7), repeat=3))


def wins(row, dice):
    """Whether these dice win one wager of a row; of three alike, ones stand for any number."""
    family, _, number = row.partition(":")
    triple = len(set(dice)) == 1
    return {
        "three-of-a-kind": dice == (1, 1, 1),
        "two-of-a-kind": dice.count(1) >= 2,
        "any-three-of-a-kind": triple,
        "total": number and sum(dice) == int(number),
        "two-dice": 1 in dice and 2 in dice,
        "small": not triple and sum(dice) <= 10,
        "big": not triple and sum(dice) >= 11,
    }[family]


WAYS = {row: sum(bool(wins(row, dice)) for dice in THROWS) for row in FLOORS}


def ratio(written):
    """The odds as a fraction; None for what is no odds."""
    parts = written.split(" to ")
    if len(parts) != 2 or not all(one.isascii() and one.isdigit() and one[0] != "0" for one in parts):
        return None
    return Fraction(int(parts[0]), int(parts[1]))


def may_pay(key, row, written):
    """The judge of one payout: on a floor, readable, not under it, and not for the player."""
    if key not in ("pa-539", "nj-19-47-9") or row not in FLOORS or (odds := ratio(written)) is None:
        return False
    return odds >= FLOORS[row] and Fraction(WAYS[row], 216) * (odds + 1) <= 1


def may_limit(key, cents, highest):
    """The judge of a payout limit (A30)."""
    return cents is None or (key in TIMES and cents >= max(5_000_000, TIMES[key] * highest))


def pays_whole_cents(key, payouts, family, cents):
    """The judge of an increment: at every odds of its wagers, one step wins whole cents."""
    rules = Rules.of(key, payouts)
    known = {type_.family for type_ in game_of(rules).wager_types(rules)}
    rows = [row for row in rules.payouts if row.split(":")[0].split("/")[0] == family]
    odds = [str(rules.payouts[row].odds) for row in rows]
    return family in known and all((cents * ratio(one)).denominator == 1 for one in odds if " to " in one)


odds_text = st.one_of(
    st.builds("{} to 1".format, st.integers(1, 240)),
    st.builds("{} to {}".format, st.integers(1, 900), st.integers(1, 9)),
    st.sampled_from(["80 for 1", "", "0 to 1", "a lot", "6:1"]),
)
rows = st.sampled_from(
    [*FLOORS, "one-of-a-kind", "one-of-a-kind/3", "pip:2", "like-kind:8", "touchdown", "zebra"]
)
families = st.sampled_from(["total", "two-dice", "small", "pip", "like-kind", "touchdown", "zebra"])
OPTIONS = st.builds(
    Options,
    st.sampled_from(KEYS),
    st.dictionaries(rows, odds_text, max_size=3),
    st.one_of(st.none(), st.integers(1, 30_000_000)),
    st.sampled_from(["to", "to", "to", "win", "wins", "for"]),
    st.dictionaries(families, st.integers(1, 2000), max_size=2),
    st.dictionaries(
        st.sampled_from(["manual", "automated-covered", "dice-cup", "roulette"]), st.just(""), max_size=2
    ),
)
MINIMUMS = st.lists(st.integers(100, 10_000), max_size=3)


def table(highest):
    return DealtTable("T-01", "live", "high-roll", "RS-0009", 100, 10**9, highest, "open")


def judged(options, minimums):
    """Whether these options may be filed, by the judge alone."""
    key, highest = options.key, max(minimums, default=0)
    payouts_stand = all(may_pay(key, row, odds) for row, odds in options.payouts.items())
    return (
        payouts_stand
        and options.odds_word in WORDS.get(key, {"to"})
        and set(options.shakers) <= SHAKERS[key]
        and may_limit(key, options.payout_limit_cents, highest)
        and all(
            pays_whole_cents(key, options.payouts, family, cents)
            for family, cents in options.increments.items()
        )
    )


@settings(max_examples=examples(400), deadline=None)
@given(OPTIONS, MINIMUMS)
def test_the_gate_lets_through_what_the_judge_does_and_nothing_else(options, minimums):
    tables = tuple(table(highest) for highest in minimums)
    found = findings(options, tables)
    assert (found == ()) == judged(options, minimums)
    if not found:
        assert verify_may_file(options, tables) == options.rules()
        return
    for finding in found:
        said = finding.refusal.sentence
        assert finding.wager and finding.wager in said
        assert finding.figure or options.payouts.get(finding.row) == ""
        assert finding.figure in said
        assert finding.section.startswith(("58 Pa. Code § ", "N.J.A.C. 19:47-"))
        assert finding.refusal.heading != "Refused"
    with pytest.raises(Refusal) as refused:
        verify_may_file(options, tables)
    assert (refused.value.code, refused.value.params) == (found[0].refusal.code, found[0].refusal.params)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.sampled_from(["pa-539", "nj-19-47-9"]),
    st.dictionaries(st.sampled_from(sorted(FLOORS)), odds_text, max_size=6),
)
def test_of_several_payouts_exactly_those_are_refused_that_break_a_floor_or_favour_the_player(key, payouts):
    bad = {row for row, odds in payouts.items() if not may_pay(key, row, odds)}
    assert {finding.row for finding in findings(Options(key, payouts))} == bad


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(["pa-539", "nj-19-47-9"]), st.sampled_from(sorted(FLOORS)), st.integers(1, 400))
def test_a_remedy_passes_and_one_more_to_one_does_not_leave_the_house_anything(key, row, to):
    for finding in findings(Options(key, {row: f"{to} to 1"})):
        assert may_pay(key, row, finding.remedy)
        assert findings(Options(key, {row: finding.remedy})) == ()
        if finding.refusal.code == "filed-favours-player-by-odds":
            above = ratio(finding.remedy) + 1
            assert Fraction(WAYS[row], 216) * (above + 1) >= 1


def only(options, *tables):
    (finding,) = findings(options, tables)
    return finding


@clause("NJ-19:47-9.4(b)")
def test_it_tells_an_even_wager_from_one_for_the_player_exactly():
    assert findings(Options("nj-19-47-9", {"total:4": "71 to 1"})) == ()
    slight = only(Options("nj-19-47-9", {"total:4": "143 to 2"}))
    assert "favors the player by 0.69 %" in slight.refusal.sentence
    found = only(Options("nj-19-47-9", {"total:4": "80 to 1"}))
    assert found.refusal.sentence == (
        "Total 4 at 80 to 1 favors the player by 12.50 % (1/8). It wins in 3 of 216 throws: 71 to 1 would be even, "
        "and 70 to 1 leaves the house 1.39 %."
    )
    assert (found.section, found.remedy) == ("N.J.A.C. 19:47-9.4(b)", "70 to 1")


@clause("PA-539.6(b)")
def test_a_payout_under_its_floor_is_refused_and_one_on_it_or_above_is_not():
    found = only(Options("pa-539", {"two-dice": "9 to 2"}))
    assert (found.refusal.code, found.section) == ("filed-under-the-floor", "58 Pa. Code § 539.6(b)")
    assert (found.wager, found.figure, found.remedy) == ("Two Dice Combination", "9 to 2", "5 to 1")
    assert findings(Options("pa-539", {"two-dice": "5 to 1", "total:9": "13 to 2"})) == ()


@clause("PA-625a.6(a)")
@pytest.mark.parametrize(
    ("key", "row", "other"), [("pa-625a/A", "total:4", "62 to 1"), ("pa-625a/B", "two-dice", "5 to 1")]
)
def test_a_row_of_the_other_paytable_is_a_mix_and_refused(key, row, other):
    found = only(Options(key, {row: other}))
    assert (found.refusal.code, found.section) == ("filed-not-exact", "58 Pa. Code § 625a.6(a)")
    assert "choose a complete paytable" in found.refusal.sentence


@clause("PA-539.6(c)(3)")
@pytest.mark.parametrize(
    ("key", "section"), [("pa-539", "58 Pa. Code § 539.6(c)(1)"), ("nj-19-47-9", "N.J.A.C. 19:47-9.4(b)")]
)
def test_one_of_a_kind_is_fixed(key, section):
    for row in ("one-of-a-kind", "one-of-a-kind/3"):
        found = only(Options(key, {row: "4 to 1"}))
        assert (found.refusal.code, found.section) == ("filed-odds-fixed", section)


@clause("PA-539.6(a)-to")
@clause("PA-539.6(a)-for")
def test_odds_are_worded_as_the_edition_allows():
    for word in ("for", "wins", "win"):
        assert only(Options("pa-539", odds_word=word)).section == "58 Pa. Code § 539.6(a)"
    assert (
        findings(Options("pa-625a/A", odds_word="wins"))
        == findings(Options("nj-19-47-9", odds_word="win"))
        == ()
    )


@clause("PA-675a.5(e)-floor")
@clause("PA-675a.6(l)-floor")
@pytest.mark.parametrize(
    ("key", "minimum", "least"),
    [("pa-675a", 500, 5_000_000), ("pa-675a", 1_000, 5_006_000), ("pa-675a", 2_500, 12_515_000),
     ("pa-675a.6", 500, 5_000_000), ("pa-675a.6", 1_000, 6_008_000)],
)  # fmt: skip
def test_a_limit_is_at_least_what_one_player_may_win_at_the_highest_minimum_that_deals_it(
    key, minimum, least
):
    low, high = table(100), table(minimum)
    assert findings(Options(key, payout_limit_cents=least), (low, high)) == ()
    found = only(Options(key, payout_limit_cents=least - 1), low, high)
    assert (
        found.refusal.code == "filed-limit-too-low" and found.refusal.params["least"] == f"${least // 100:,}"
    )
    rules = Rules.of(key, payout_limit_cents=least)
    verify_minimum(rules, minimum)
    over = least // TIMES[key] + 1
    with pytest.raises(Refusal) as refused:
        verify_minimum(rules, over)
    assert refused.value.code == "filed-limit-too-low" and refused.value.section == found.section


def test_an_edition_without_a_limit_takes_none_and_one_without_a_limit_filed_has_no_floor():
    assert only(Options("pa-577", payout_limit_cents=10**9)).refusal.code == "filed-no-limit-here"
    verify_minimum(Rules.of("pa-675a"), 10**9)


@clause("PA-675a.5(b)-three-of-a-kind")
@pytest.mark.parametrize(
    ("key", "cents", "passes"),
    [
        ("pa-675a", 500, True),
        ("pa-675a", 5, True),
        ("pa-675a", 7, False),
        ("pa-675a.6", 1, False),
        ("pa-675a.6", 2, True),
    ],
)
def test_an_increment_lets_every_stake_be_paid_without_a_fraction_of_a_cent(key, cents, passes):
    found = findings(Options(key, increments={"like-kind": cents}))
    assert (found == ()) is passes
    if found:
        assert found[0].refusal.code == "filed-increment-splits"
        assert found[0].section == "58 Pa. Code § 521.7(d)"


def test_every_edition_as_it_stands_passes_and_no_wager_of_any_favours_the_player():
    for key in KEYS:
        assert findings(Options(key)) == ()


def test_a_player_favourable_extra_roll_would_be_found_with_its_circles(monkeypatch):
    from games.engine.editions import Payout
    from games.engine.odds import Odds

    rules = Rules.of("pa-675a")
    raised = {**rules.edition.payouts}
    raised["like-kind/extra:8"] = Payout(Odds(90_000), raised["like-kind/extra:8"].cite)
    monkeypatch.setattr(Rules, "payouts", property(lambda self: raised))
    from games.catalog.high_roll.engine import wagers
    from games.office.submissions import gate

    wagers.outcomes_of.cache_clear()
    try:
        found = [one for one in gate._advantage_findings(rules) if one.wager == "Extra Roll"]
    finally:
        wagers.outcomes_of.cache_clear()
    assert found and found[0].refusal.code == "filed-favours-player" and "90000 to 1" in found[0].figure
    assert found[0].section.startswith("58 Pa. Code § 675a.5")


def test_the_judge_counts_as_the_law_does():
    assert (WAYS["three-of-a-kind"], WAYS["two-of-a-kind"], WAYS["any-three-of-a-kind"]) == (1, 16, 6)
    assert (WAYS["two-dice"], WAYS["small"], WAYS["big"], WAYS["total:9"]) == (30, 105, 105, 25)
    assert Counter(map(sum, THROWS))[10] == WAYS["total:10"] == 27


@clause("PA-521.7(d)")
def test_the_gate_names_the_increments_that_the_chips_of_the_house_need():
    half_dollars = [*DEFAULT_CHIPS_CENTS, 50]
    assert needed_increments(Options("pa-675a.6"), DEFAULT_CHIPS_CENTS) == {"like-kind": 200}
    assert needed_increments(Options("pa-675a.6"), half_dollars) == {"like-kind": 100}  # none of $0.50
    assert needed_increments(Options("pa-577"), DEFAULT_CHIPS_CENTS) == {"defense": 500, "game-length": 500}
    filed = Options("pa-577", increments={"defense": 1_000, "game-length": 500})
    assert needed_increments(filed, DEFAULT_CHIPS_CENTS) == {}
    assert (
        needed_increments(Options("pa-577", increments={"defense": 200}), DEFAULT_CHIPS_CENTS)["defense"]
        == 500
    )
    lapse = Lapse(dt.date(2026, 11, 21))
    (check,) = (
        check for check in gate_checks(filed, [], lapse, DEFAULT_CHIPS_CENTS) if check.subject == CHIPS
    )
    assert (check.state, check.text) == ("ok", "Chips of $1 pay every stake that these increments allow.")
    (check,) = (
        check
        for check in gate_checks(Options("pa-577"), [], lapse, DEFAULT_CHIPS_CENTS)
        if check.subject == CHIPS
    )
    assert check.state == "note" and "Defense $5" in check.text
