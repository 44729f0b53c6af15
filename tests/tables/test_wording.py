"""Every refusal has one sentence and a title, is raised, and is given what its sentence shows."""

from collections import Counter

from games.engine import Refusal
from tables.words.sentences import dollars, number_words, say, short, title
from tests.refusals import constant, declared_codes, params_of, raised_refusals, used_names

CODES = [*declared_codes("games"), *declared_codes("tables")]


def test_no_code_has_two_sentences():
    assert [code for code, count in Counter(CODES).items() if count > 1] == []


def test_every_code_is_used_under_its_name():
    assert len(CODES) > 400
    used = used_names("games") | used_names("tables")
    assert [code for code in CODES if constant(code) not in used] == []


def test_every_refusal_is_given_what_its_sentence_shows():
    refusals = [*raised_refusals("games"), *raised_refusals("tables")]
    assert len(refusals) > 350
    assert {refusal.place: missing for refusal in refusals if (missing := refusal.missing_params)} == {}


def test_every_refusal_can_be_said():
    for code in CODES:
        refusal = Refusal(code, "", **dict.fromkeys(params_of(code), 3))
        assert "%" not in say(refusal) and say(refusal).endswith("."), code
        assert title(refusal), code


def test_sections_are_said_short():
    assert short("58 Pa. Code § 625a.2(b)") == "§ 625a.2(b)"
    assert short("N.J.A.C. 19:47-9.5(b)") == "19:47-9.5(b)"


def test_money_and_dice_are_said_as_people_say_them():
    assert [dollars(cents) for cents in (115_000, 999, -50, 0)] == ["$1,150", "$9.99", "−$0.50", "$0"]
    assert number_words([2, 5, 5]) == "Two, five, five"
