"""The card of the rules on a table's page: whose text is dealt, since when, and whether it has lapsed."""

import re

import pytest

from audit import clock
from games.models import RulesSubmission
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def words_of_the_page(scene):
    page = scene.browser("podium", "floorperson").get("/floor/larkfield/T-01/").content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize(
    ("rules", "card"),
    [
        pytest.param(
            "pa-539", "Text from 2010-04-03 Lapsed 2012-04-03",
            marks=clause("PA-10-591-effective", "PA-10-591-expiry"),
        ),
        pytest.param(
            "pa-577", "Text from 2012-07-28 Lapsed 2014-07-28",
            marks=clause("PA-577-effective", "PA-577-expiry"),
        ),
        pytest.param(
            "pa-625a/A", "Chapter from 2012-05-19 Text from 2019-08-31", marks=clause("PA-625a-effective")
        ),
        pytest.param("pa-675a", "Text from 2016-08-27", marks=clause("PA-675a-effective")),
        pytest.param("pa-675a.6", "Text from 2016-08-27", marks=clause("PA-675a-effective")),
    ],
)  # fmt: skip
def test_it_says_since_when_the_text_is_in_force_and_when_it_lapsed(rules, card):
    scene = make_scene(rules)
    words = words_of_the_page(scene)
    assert card in words
    assert ("Lapse" in words) == ("Lapsed" in card)
    assert scene.snapshot["rules"]["lapsed"] is ("Lapsed" in card)


def test_it_says_why_a_lapsed_edition_is_dealt_if_the_casino_filed_that():
    scene = make_scene("pa-577")
    assert scene.snapshot["rules"]["lapsed_why"] is None
    rules = RulesSubmission.objects.get()
    why = "No later edition has the rules of this game"
    rules.pk, rules.version, rules.in_force_from, rules.lapsed_why = None, 2, clock.now(), why
    rules.save()
    assert f"Lapsed 2014-07-28 {why}." in words_of_the_page(scene)
