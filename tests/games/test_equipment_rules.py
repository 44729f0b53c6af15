"""What each edition asks of the opening inspection and the staff: literals here, data in the editions."""

import datetime as dt
import tomllib
from pathlib import Path

import pytest

from games.engine import Rules
from games.engine.editions import CONDITIONS, InspectionLine, Staffing, all_editions, edition, read

KEYS = ["pa-539", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577", "nj-19-47-9"]
clause, param = pytest.mark.clause, pytest.param


def asked_at(key: str, *conditions: str) -> list[str]:
    """The codes that a floorperson confirms at a table of which these conditions hold."""
    return [line.code for line in edition(key).inspection if line.when in ("", *conditions)]


# The opening inspection, beside the electrical device and the tosses of an automated shaker


@pytest.mark.parametrize(
    ("key", "code", "when", "section"),
    [
        param("pa-539", "boxes", "", "§ 539.1(a)", marks=clause("PA-539.1(a)")),
        param("pa-539", "layout-odds", "", "§ 539.1(c)(3)", marks=clause("PA-539.1(c)(3)")),
        param("pa-539", "shaker-seals", "manual", "§ 539.1(d)(1)(ii)"),
        param("pa-539", "shaker-seals", "automated", "§ 539.1(d)(2)(i)"),
        param(
            "pa-539",
            "shaker-uncovered",
            "automated",
            "§ 539.5(e)",
            marks=clause("PA-539.5(e)-automated-uncovered"),
        ),
        param("pa-625a/A", "boxes", "", "§ 625a.1(a)", marks=clause("PA-625a.1(a)")),
        param(
            "pa-625a/A",
            "odds-sign",
            "odds-not-on-layout",
            "§ 625a.1(c)(3)",
            marks=clause("PA-625a.1(c)(3)-sign"),
        ),
        param("pa-625a/A", "shaker-seals", "manual", "§ 625a.1(d)(1)(ii)"),
        param("pa-625a/A", "shaker-seals", "automated", "§ 625a.1(d)(2)(i)"),
        param("pa-625a/A", "cover-conceals", "covered", "§ 625a.1(d)(2)(i)"),
        param("pa-625a/B", "boxes", "", "§ 625a.1(a)", marks=clause("PA-625a.1(a)")),
        param(
            "pa-625a/B",
            "odds-sign",
            "odds-not-on-layout",
            "§ 625a.1(c)(3)",
            marks=clause("PA-625a.1(c)(3)-sign"),
        ),
        param("pa-625a/B", "shaker-seals", "manual", "§ 625a.1(d)(1)(ii)"),
        param("pa-625a/B", "shaker-seals", "automated", "§ 625a.1(d)(2)(i)"),
        param("pa-625a/B", "cover-conceals", "covered", "§ 625a.1(d)(2)(i)"),
        param("pa-675a", "boxes", "", "§ 675a.1(d)", marks=clause("PA-675a.1(d)")),
        param("pa-675a", "throw-box", "", "§ 675a.1(b)(5)", marks=clause("PA-675a.1(b)(5)-box")),
        param("pa-675a", "extra-roll-sensors", "", "§ 675a.1(b)(2)(v)", marks=clause("PA-675a.1(b)(2)(v)")),
        param("pa-675a", "shaker-and-dice", "", "§ 675a.3(d)"),
        param(
            "pa-675a",
            "odds-sign",
            "odds-not-on-layout",
            "§ 675a.1(b)(3)",
            marks=clause("PA-675a.1(b)(3)-sign"),
        ),
        param(
            "pa-675a",
            "limit-sign",
            "limit-not-on-layout",
            "§ 675a.1(b)(4)",
            marks=clause("PA-675a.1(b)(4)-sign"),
        ),
        param("pa-675a.6", "boxes", "", "§ 675a.1(d)", marks=clause("PA-675a.6(b)")),
        param("pa-675a.6", "throw-box", "", "§ 675a.1(b)(5)", marks=clause("PA-675a.6(b)")),
        param("pa-675a.6", "shaker-and-dice", "", "§ 675a.6(f)"),
        param("pa-675a.6", "odds-sign", "odds-not-on-layout", "§ 675a.1(b)(3)", marks=clause("PA-675a.6(b)")),
        param(
            "pa-675a.6", "limit-sign", "limit-not-on-layout", "§ 675a.1(b)(4)", marks=clause("PA-675a.6(b)")
        ),
        param("pa-577", "boxes-attached", "", "§ 577.2(c)", marks=clause("PA-577.2(c)")),
        param("pa-577", "dice-in-cup", "", "§ 577.4(a)", marks=clause("PA-577.4(a)-cup")),
        # § 577.7(b) says of a later Quarterback's dice what § 577.4(c) says of the first one's.
        param(
            "pa-577",
            "cup-in-front",
            "",
            "§ 577.4(c)",
            marks=clause("PA-577.4(c)-return", "PA-577.7(b)-return"),
        ),
        param("pa-577", "stick", "", "§ 577.5(h)", marks=clause("PA-577.5(h)-collect")),
        param("pa-577", "cameras", "", "§ 577.9(a)", marks=clause("PA-577.9(a)-ends")),
        param(
            "pa-577", "odds-sign", "odds-not-on-layout", "§ 577.2(b)(3)", marks=clause("PA-577.2(b)(3)-sign")
        ),
    ],
)
def test_a_floorperson_sees_at_each_opening_what_may_have_changed(key, code, when, section):
    assert InspectionLine(code, f"58 Pa. Code {section}", when) in edition(key).inspection


@clause("NJ-19:47-9.1-sealed")
def test_new_jersey_asks_for_sealed_dice_and_is_silent_on_the_rest():
    assert edition("nj-19-47-9").inspection == (InspectionLine("dice-sealed", "N.J.A.C. 19:47-9.1"),)
    assert edition("nj-19-47-9").staffing == Staffing(0, frozenset())


@pytest.mark.parametrize(
    ("key", "conditions", "codes"),
    [
        ("pa-539", ["manual"], "boxes layout-odds shaker-seals"),
        ("pa-539", ["automated"], "boxes layout-odds shaker-seals shaker-uncovered"),
        ("pa-539", ["manual", "odds-not-on-layout"], "boxes layout-odds shaker-seals"),  # no sign: A20
        ("pa-625a/A", ["manual"], "boxes shaker-seals"),
        ("pa-625a/A", ["automated"], "boxes shaker-seals"),
        ("pa-625a/B", ["automated", "covered"], "boxes shaker-seals cover-conceals"),
        ("pa-625a/B", ["manual", "odds-not-on-layout"], "boxes odds-sign shaker-seals"),
        ("pa-675a", ["manual"], "boxes throw-box extra-roll-sensors shaker-and-dice"),
        (
            "pa-675a",
            ["manual", "payout-limit", "limit-not-on-layout"],
            "boxes throw-box extra-roll-sensors shaker-and-dice limit-sign",
        ),
        ("pa-675a.6", ["manual", "odds-not-on-layout"], "boxes throw-box shaker-and-dice odds-sign"),
        ("pa-577", [], "boxes-attached dice-in-cup cup-in-front stick cameras"),
        ("nj-19-47-9", ["manual", "odds-not-on-layout"], "dice-sealed"),
    ],
)
def test_a_floorperson_confirms_only_what_this_table_has(key, conditions, codes):
    assert asked_at(key, *conditions) == codes.split()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("shaker", [("manual",), ("automated",), ("automated", "covered")], ids=str)
def test_no_line_is_asked_twice_and_the_opening_stays_short(key, shaker):
    asked = asked_at(key, *shaker, *CONDITIONS - {"manual", "automated", "covered"})
    assert len(set(asked)) == len(asked) <= 6


@pytest.mark.parametrize("rows", ["inspection", "approvals"])
def test_an_edition_with_an_unknown_condition_is_refused(rows):
    row = {"code": "a", "subject": "a", "section": "1", "body": "", "when": "ten-dice"}
    with pytest.raises(ValueError, match="ten-dice"):
        list(
            read(
                tomllib.loads(Path("games/catalog/sic_bo/editions/nj-19-47-9.toml").read_text("utf-8"))
                | {rows: [row]}
            )
        )


# The staff, the cameras and the dice


def test_a_football_floorperson_has_two_tables_and_never_one_of_five_games_beside():
    assert edition("pa-577").staffing == Staffing(
        span=2,
        never_with=frozenset({"baccarat", "midibaccarat", "craps", "mini-craps", "pai-gow"}),
    )


@pytest.mark.parametrize("key", ["pa-539", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6"])
def test_a_floorperson_of_the_other_games_has_four_tables_in_pennsylvania(key):
    assert edition(key).staffing == Staffing(
        span=4,
        never_with=frozenset(),
    )


@clause("PA-577.9(a)-cameras")
def test_football_has_two_cameras_and_no_other_text_counts_them():
    assert {key: edition(key).cameras for key in KEYS} == {**dict.fromkeys(KEYS, 0), "pa-577": 2}


@pytest.mark.parametrize(
    ("key", "places"),
    [
        ("pa-539", 0),
        ("pa-625a/A", 0),
        ("pa-625a/B", 0),
        param("pa-675a", 6, marks=clause("PA-675a.1(a)-positions")),
        param("pa-675a.6", 6, marks=clause("PA-675a.6(b)")),
        param("pa-577", 16, marks=clause("PA-577.2(a)-players")),
        ("nj-19-47-9", 0),
    ],
)
def test_a_text_names_how_many_players_have_places_or_names_no_number(key, places):
    assert edition(key).places == places


def test_high_roll_dice_are_19_mm_and_no_other_text_names_a_size():
    named = {"pa-675a": 19_000, "pa-675a.6": 19_000}
    assert {key: edition(key).dice_size_um for key in KEYS} == {**dict.fromkeys(KEYS, 0), **named}


# What a refusal cites, and when a text is in force


@pytest.mark.parametrize(
    ("duty", "cites"),
    [
        ("layout", ["539.1(c)", "625a.1(c)", "675a.1(b)", "675a.6(b)", "577.2(b)"]),
        ("layout-odds-sign", ["", "625a.1(c)(3)", "675a.1(b)(3)", "675a.1(b)(3)", "577.2(b)(3)"]),
        ("limit-sign", ["", "", "675a.1(b)(4)", "675a.1(b)(4)", ""]),
        ("cameras", ["", "", "", "", "577.9(a)"]),
        ("span", ["465a.35", "465a.35", "465a.35", "465a.35", "577.9(c)"]),
        ("dealers", ["465a.35", "465a.35", "465a.35", "465a.35", "577.9(b)"]),
    ],
)
def test_a_duty_is_cited_where_an_edition_knows_it_and_nowhere_else(duty, cites):
    keys = ["pa-539", "pa-625a/A", "pa-675a", "pa-675a.6", "pa-577"]
    full = [f"58 Pa. Code § {section}" if section else "" for section in cites]
    assert [Rules.of(key).section(duty) for key in keys] == full
    assert Rules.of("nj-19-47-9").section(duty) == ""


def test_a_dealer_is_trained_under_one_chapter_whatever_the_game():
    cites = {key: Rules.of(key).section("qualified") for key in KEYS}
    assert cites == {**dict.fromkeys(KEYS, "58 Pa. Code Chapter 611a"), "nj-19-47-9": ""}


def test_a_duty_to_seal_the_dice_is_new_jerseys_alone():
    cites = {key: Rules.of(key).section("dice-sealed") for key in KEYS}
    assert cites == {**dict.fromkeys(KEYS, ""), "nj-19-47-9": "N.J.A.C. 19:47-9.1"}


@pytest.mark.parametrize(
    ("key", "chapter", "since", "until"),
    [
        param(
            "pa-539", "", "2010-04-03", "2012-04-03", marks=clause("PA-10-591-effective", "PA-10-591-expiry")
        ),
        param("pa-577", "", "2012-07-28", "2014-07-28", marks=clause("PA-577-effective", "PA-577-expiry")),
        param("pa-625a/A", "2012-05-19", "2019-08-31", "", marks=clause("PA-625a-effective")),
        param("pa-625a/B", "2012-05-19", "2019-08-31", "", marks=clause("PA-625a-effective")),
        param("pa-675a", "", "2016-08-27", "", marks=clause("PA-675a-effective")),
        param("pa-675a.6", "", "2016-08-27", "", marks=clause("PA-675a-effective")),
    ],
)
def test_an_edition_knows_from_when_and_until_when_its_text_is_in_force(key, chapter, since, until):
    one = edition(key)
    dates = [dt.date.fromisoformat(day) if day else None for day in (chapter, since, until)]
    assert [one.chapter_from, one.in_force_from, one.lapses_on] == dates


@pytest.mark.parametrize("key", all_editions())
def test_a_round_pins_nothing_of_this(key):
    assert set(Rules.of(key).terms()) == {"format", "edition", "game", "payouts", "readings"}
