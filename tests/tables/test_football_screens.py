"""What the football console says and draws, from snapshots of a table."""

from typing import get_args

import pytest
from django.template.loader import render_to_string

from games.catalog.football import gridiron, screens, templatetags
from games.engine import Rules
from games.registry import game_of
from tables.dice.custody import WithdrawalReason
from tables.screens.fragments import render
from tables.templatetags.floor import UNFIT
from tests.markup import one_line
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


@pytest.fixture
def table():
    return make_scene("pa-577")


def screen(table) -> str:
    return one_line(render("dealer", table.snapshot))


def begin(table, *wagers):
    """The wagers, and the dice with seat 5."""
    table.place(*wagers)
    table.act("offer_dice", {"seat": 5, "accepted": True})


def throw(table, *dice):
    table.act("throw_dice")
    table.act("call_dice", {"dice": list(dice)})


@clause(
    "PA-577.2(b)(2)",
    "PA-577.2(b)(4)",
    *(f"PA-577.2(b)(5)({n})" for n in ("i", "ii", "iii", "iv", "v", "vi", "vii")),
    "PA-577.2(b)(6)",
)
def test_it_draws_the_field_the_seven_downs_and_the_game_length(table):
    html = screen(table)
    for yard in range(1, 24):
        assert f">{yard}</text>" in html
    assert html.count('class="end-zone"') == 2
    assert html.count('class="ten"') == html.count('class="chalk"') == 2
    for down in gridiron.DOWNS:
        assert f">{down.replace('&', '&amp;')}</span>" in html
    for play in range(1, 7):
        assert f">Play {play}</span>" in html


@clause("PA-577.2(a)-players")
def test_sixteen_places_run_clockwise_from_the_stick(table):
    html = screen(table)
    places = [int(part.split('"')[0]) for part in html.split('data-seat="')[1:]]
    assert places == list(range(1, 17))
    assert [screens.half(place) for place in places] == ["right"] * 8 + ["left"] * 8
    with table.refused("no-such-seat"):
        table.place((17, "touchdown", 500))


@clause("PA-577.2(b)(3)")
def test_every_odds_of_the_edition_stand_on_the_areas_and_never_with_for(table):
    rules = Rules.of("pa-577")
    html = screen(table).partition('id="felt"')[2].partition("</section>")[0]
    for type_ in game_of(rules).wager_types(rules):
        for odds in game_of(rules).possible_odds(rules, type_.code):
            assert str(odds) in html
    assert " for " not in html


def test_the_ladder_of_quick_strike_marks_the_row_of_the_play(table):
    begin(table, (5, "quick-strike", 1_000), (5, "extra-point", 1_000))
    assert '<span class="tier--now">Play 1<i>' in screen(table)
    throw(table, 6, 2, 4)
    assert '<span class="tier--now">Play 2<i>' in screen(table)
    assert screen(table).count("tier--now") == 1, "the extra point has no roll yet"
    throw(table, 6, 6, 6)
    assert '<span class="tier--now">Play 2<i>' in screen(table), "it is paid at this row"
    table.act("settle_seats")
    assert table.round.phase == "point"
    assert "tier--now" not in screen(table), "it was paid, and the extra point follows"
    throw(table, 1, 4, 1)
    assert screen(table).count("tier--now") == 1
    assert '<span class="tier--now">Two 1s<i>' in screen(table)


def test_the_reasons_for_a_no_roll_are_those_of_the_edition():
    rules = Rules.of("pa-577")
    assert {*templatetags.NO_ROLLS} == {*rules.edition.no_rolls}
    html = render_to_string("football/console/dialogs.html", {"s": {"rules": {"key": rules.key}}})
    for code, cite in rules.edition.no_rolls.items():
        section = f"§ {cite.removeprefix('58 Pa. Code § ')}"
        words = templatetags.NO_ROLLS[code]
        assert f'"reason":"{code}"' in html and f"<b>{words}</b><span>{section}</span>" in html


@clause("PA-577.4(d)-lost")
def test_a_lost_die_asks_for_a_new_set_before_the_next_throw(table):
    begin(table, (5, "touchdown", 500))
    assert {why for why, _ in UNFIT} == set(get_args(WithdrawalReason))
    table.act("throw_dice")
    table.act("call_no_roll", {"reason": "off-table"})
    table.act("withdraw_dice", {"why": "lost"})
    html = screen(table)
    assert "No set of dice in the cup" in html and 'id="fix" data-ask="change_dice_lot"' in html
    table.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson", device=table.podium)
    assert "Seat 5 throws" in screen(table)


def test_full_game_areas_take_nothing_after_the_first_throw(table):
    begin(table, (5, "touchdown", 500))
    assert '<button class="area fb-area fb-area--touchdown"' in screen(table)
    table.act("throw_dice")
    table.act("call_no_roll", {"reason": "improper"})
    html = screen(table)
    assert '<div class="area fb-area fb-area--touchdown area--locked"' in html
    assert '<button class="area fb-area fb-area--big-play"' in html


def test_a_single_play_area_names_the_coming_play(table):
    begin(table, (5, "touchdown", 500))
    assert 'data-play="1" data-single data-wager="big-play"' in screen(table)
    throw(table, 1, 2, 3)
    assert 'data-play="2" data-single data-wager="big-play"' in screen(table)


def test_wagers_that_an_earlier_throw_paid_are_off_the_layout(table):
    begin(table, (5, "touchdown", 500), (5, "big-play", 500, 1))
    throw(table, 6, 6, 2)
    assert '<span class="verdict-w">Pay</span> <b>$20</b>' in screen(table)
    table.act("settle_seats")
    html = screen(table)
    assert "verdict" not in html and "$20" not in html


def test_what_a_play_lit_is_dark_again_before_the_next_throw(table):
    begin(table, (5, "over-four", 2_500, 1), (5, "touchdown", 500))
    throw(table, 6, 6, 2)
    assert "data-lit" in screen(table)
    while table.round.phase == "lit":
        table.act("settle_seats")
    table.place((5, "under-four", 2_500, 2))
    assert "data-lit" not in screen(table)
    table.act("throw_dice")
    assert table.snapshot["round"]["lit"] and "data-lit" not in screen(table)


def test_a_half_that_is_settled_is_a_line_and_the_other_still_its_seats(table):
    begin(table, (5, "over-four", 2_500, 1), (6, "big-play", 500, 1), (14, "over-four", 1_000, 1))
    throw(table, 6, 4, 2)
    assert screen(table).count('class="fb-row fb-row--') == 3
    table.act("settle_seats", {"seats": [5, 6]})
    html = screen(table)
    assert 'class="fb-row fb-row--right' not in html and html.count('class="fb-row fb-row--left') == 1
    settled = html.partition("fb-half--right fb-half--done")[2].partition("</p>")[0]
    assert "Right, places 1–8: settled" in settled and "$45" in settled  # $25 and $20


def test_before_the_extra_point_roll_the_screen_says_what_was_settled_and_what_waits(table):
    begin(
        table,
        (5, "touchdown", 2_500),
        (6, "defense", 500),
        (5, "extra-point", 1_000),
        (8, "big-play", 500, 1),
    )
    throw(table, 6, 6, 6)
    while table.round.phase == "lit":
        table.act("settle_seats")
    html = screen(table)
    assert "Defense, single play: settled" in html
    waiting = html.partition('class="fb-waiting"')[2].partition("</section>")[0]
    assert "<b>Touchdown</b>" in waiting and "$25" in waiting
    assert "<b>Extra Point</b>" in waiting and "by the roll" in waiting
    throw(table, 1, 4, 1)
    assert "fb-waiting" not in screen(table), "now its steps are listed"


def test_the_screen_warns_of_a_quarterback_without_a_wager_before_the_throw(table):
    table.place((8, "touchdown", 500))
    table.act("offer_dice", {"seat": 3, "accepted": True})
    assert "Seat 3 has no wager in this game yet" in screen(table)
    assert 'id="decline"' in screen(table), "the dice may be passed on"
    with table.refused("quarterback-sits-out", "58 Pa. Code § 577.6(b)"):
        table.act("throw_dice")
    table.place((3, "defense", 500))
    assert "Seat 3 throws; wagers on play 1 are closed" in screen(table)


@pytest.mark.parametrize(
    ("play", "words"),
    [
        ({"what": "gain", "to": 12, "yards": 8}, "gain of 8, to 12"),
        ({"what": "gain", "to": 0, "yards": 9}, "gain of 9, touchdown"),
        ({"what": "penalty", "to": 21, "yards": -1}, "penalty, to 21"),
        ({"what": "no-gain", "to": 20, "yards": 0}, "no gain, at 20"),
        ({"what": "turnover", "to": 20, "yards": 0}, "turnover"),
        ({"what": "trips-td", "to": 0, "yards": 0}, "Trips TD"),
    ],
)
def test_a_play_of_the_track_in_words(play, words):
    assert gridiron.play_words(play) == words


def test_an_ended_game_says_how_it_came_out():
    assert (
        screens.game_ending({"result": "touchdown", "throws": [[6, 6, 2], [1, 4, 1]]})
        == "Touchdown, 2 throws"
    )
    assert screens.game_ending({"result": "turnover", "throws": [[1, 1, 6]]}) == "Turnover, 1 throw"
    assert screens.game_ending({"result": "settled", "throws": [[1, 1, 6]]}) == ""
