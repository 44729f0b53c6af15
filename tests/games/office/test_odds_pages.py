"""What-if, and the page of the odds: what they say, to whom, and what of it may be filed."""

import pytest

from games.engine import Refusal, Rules
from games.engine.editions import all_editions
from games.engine.odds import Odds
from games.office.odds import odds_sheet
from games.office.submissions.compare import choices, what_if
from games.submissions import Options
from tests.markup import one_line

KEYS = sorted(all_editions())
JERSEY = "nj-19-47-9"

# What if


@pytest.mark.parametrize(
    ("written", "sort", "code", "remedy"),
    [
        ("80", "stop", "filed-favours-player-by-odds", "70 to 1"),
        ("80 to 1", "stop", "filed-favours-player-by-odds", "70 to 1"),
        ("72", "stop", "filed-favours-player-by-odds", "70 to 1"),
        ("71 to 1", "ok", None, ""),
        ("50", "ok", None, ""),
        ("49", "stop", "filed-under-the-floor", "50 to 1"),
        ("eighty", "stop", "odds-unreadable", ""),
        ("0", "stop", "odds-unreadable", ""),
        ("-1", "stop", "odds-unreadable", ""),
    ],
)
def test_what_if_answers_as_the_gate_does(written, sort, code, remedy):
    rules = Rules.of(JERSEY)
    answer = what_if(rules, Options(rules.key), "total:4", written, "edition")
    assert (answer.sort, answer.findings[0].refusal.code if answer.findings else None) == (sort, code)
    assert answer.remedy == remedy


def test_odds_that_would_do_do():
    rules = Rules.of(JERSEY)
    for one in choices(rules):
        answer = what_if(rules, Options(rules.key), one.row, "9000")
        if answer.remedy:
            assert what_if(rules, Options(rules.key), one.row, answer.remedy).sort == "ok", one.row


def test_what_if_says_the_new_figure_and_the_old_one():
    rules = Rules.of(JERSEY)
    answer = what_if(rules, Options(rules.key), "total:4", "60")
    assert answer.headline == "Total 4 at 60 to 1 may be filed"
    assert answer.detail == "The house keeps 15.28 % (11/72), before 29.17 %."
    assert rules.payouts["total:4"].odds == Odds(50)


@pytest.mark.parametrize(
    ("key", "row", "written", "said"),
    [
        ("pa-625a/B", "total:4", "80", "Total 4 at 80 to 1 favors the player by 12.50 %"),
        ("pa-625a/B", "total:4", "60", "Total 4 at 60 to 1 is only a what-if"),
        ("pa-675a", "millionaire:9", "$60,000", "Millionaire Row 9 at $60,000 is only a what-if"),
        ("pa-675a", "millionaire:9", "60000", "Millionaire Row 9 at $60,000 is only a what-if"),
        (JERSEY, "one-of-a-kind/3", "12", "One of a Kind, 3 at 12 to 1 is only a what-if"),
    ],
)
def test_where_odds_are_exact_a_what_if_says_that_it_may_not_be_filed(key, row, written, said):
    rules = Rules.of(key)
    answer = what_if(rules, Options(rules.key), row, written)
    assert (answer.sort, answer.headline) == ("note", said)
    assert answer.detail.startswith("Exact paytable: may not be filed.")


def test_a_circle_of_an_extra_roll_changes_the_figure_of_the_extra_roll():
    rules = Rules.of("pa-675a")
    answer = what_if(rules, Options(rules.key), "like-kind/extra:8", "500")
    row = next(row for row in answer.sheet.rows if row.label == "Extra Roll")
    chance = next(one.probability for one in row.outcomes if one.pays == Odds(500))
    assert row.previous_advantage - row.advantage == chance * 450 / 7


def test_a_family_that_is_not_there_is_refused():
    with pytest.raises(Refusal) as refused:
        what_if(Rules.of(JERSEY), Options(JERSEY), "total:99", "5")
    assert refused.value.code == "no-such-family"


# Pages

ODDS = "/office/larkfield/odds/"


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "games-administrator")


def test_the_page_shows_the_submission_in_force_unasked(podium):
    page = podium.get(ODDS).content.decode()
    assert "RS-0009 version 1" in page and "30.09 %" in page and "65/<wbr>216" in page
    assert one_line(page).count("<tr class=") == 13


def test_the_page_names_the_game_of_a_submission_and_of_an_edition(podium):
    submitted = one_line(podium.get(ODDS).content.decode())
    assert "Sic Bo, 58 Pa. Code Chapter 625a, Paytable A; approved" in submitted
    edition = one_line(podium.get(f"{ODDS}?rules=pa-577").content.decode())
    assert "Three Dice Football, as the edition sets it" in edition


@pytest.mark.parametrize("key", KEYS)
def test_the_page_shows_any_edition(podium, key):
    page = podium.get(ODDS, {"rules": key})
    assert page.status_code == 200
    for row in odds_sheet(Rules.of(key)).rows:
        assert row.advantage_text in page.content.decode()


def test_script_gets_the_answer_alone_and_others_the_page(podium):
    asked = {"rules": JERSEY, "family": "total:4", "odds": "80"}
    part = podium.get(f"{ODDS}what-if", asked, headers={"HX-Request": "true"})
    whole = podium.get(f"{ODDS}what-if", asked)
    said = "Refused: Total 4 at 80 to 1 favors the player by 12.50 %"
    assert said in part.content.decode() and said in whole.content.decode()
    assert "<html" not in part.content.decode() and "<html" in whole.content.decode()
    assert "HX-Request" in part["Vary"]
    assert "style=" not in whole.content.decode()


@pytest.mark.parametrize("asked", [{"rules": "pa-999"}, {"rules": "RS-0009.7"}, {"rules": "pa-625a"},
                                   {"rules": JERSEY, "family": "nothing", "odds": "3"}])  # fmt: skip
def test_rules_that_are_not_there_are_denied(podium, asked):
    assert podium.get(ODDS, asked).status_code == 403


@pytest.mark.parametrize("who", ["dealer", "floorperson"])
def test_others_do_not_see_the_sheet(scene, who):
    assert scene.browser("podium", who).get(ODDS).status_code == 403


def test_what_is_typed_is_shown_and_never_run(podium):
    page = podium.get(f"{ODDS}what-if", {"rules": JERSEY, "family": "total:4", "odds": "<script>x</script>"})
    assert page.status_code == 200 and "<script>x" not in page.content.decode()
