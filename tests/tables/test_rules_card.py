"""The card of the rules on a table's page: whose text is dealt, since when, and whether it has lapsed."""

import re

import pytest

from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


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
    page = scene.browser("podium", "floorperson").get("/floor/larkfield/T-01/").content.decode()
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert card in words
    assert ("Lapse" in words) == ("Lapsed" in card)
    assert scene.snapshot["rules"]["lapsed"] is ("Lapsed" in card)
