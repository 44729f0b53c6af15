"""§ 521.6: what patrons see shows no earlier roll, no trend and no projection, unless the Board permits it."""

import datetime as dt
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver

from games.engine import Refusal
from games.guide.content import may_show_history
from games.models import BoardPermission
from games.views import patrons
from tests.games.office.test_guide_acts import publish

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
# what a history board, a trend or a projection would be made of: the rounds of the floor and what is drawn of them
OF_EARLIER_ROLLS = re.compile(
    r"history|throw\.dice|round\.dice|rounds|last_round|trend|hot\b|cold\b|frequen|streak|probab|advantage",
    re.I,
)


def record(scene, **params):
    said = {"reference": "BD-9", "granted_on": "2026-11-20", "letter": scene.on_file()}
    return scene.in_office("record_board_permission", said | params)


def may(scene, table="T-01", day=dt.date(2026, 11, 21)):
    return may_show_history(scene.table.facility, table, day)


@pytest.mark.clause("PA-521.6")
def test_without_a_permission_no_table_may_show_earlier_rolls(hands, scene):
    assert not may(scene)
    record(scene, tables=["T-01"])
    assert may(scene) and not may(scene, "T-02")
    assert not may(scene, day=dt.date(2026, 11, 19))
    scene.in_office("withdraw_board_permission", {"reference": "BD-9", "why": "the Board took it back"})
    assert not may(scene)


def test_a_permission_without_tables_is_for_every_one_until_its_end(hands, scene):
    record(scene, ends_on="2026-12-01")
    assert may(scene, "T-77", dt.date(2026, 11, 30)) and not may(scene, "T-77", dt.date(2026, 12, 1))


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"tables": ["T-99"]}, "no-such-table-here"),
        ({"ends_on": "2026-11-20"}, "ends-before-it-begins"),
        ({"letter": "D-9999"}, "no-such-document"),
    ],
)
def test_a_permission_that_cannot_be_is_refused(hands, scene, params, code):
    with pytest.raises(Refusal, match=code):
        record(scene, **params)
    assert not BoardPermission.objects.exists()


def test_the_same_permission_is_recorded_once_and_withdrawn_once(hands, scene):
    record(scene)
    with pytest.raises(Refusal, match="permission-on-file"):
        record(scene)
    scene.in_office("withdraw_board_permission", {"reference": "BD-9", "why": "ended"})
    with pytest.raises(Refusal, match="no-such-permission"):
        scene.in_office("withdraw_board_permission", {"reference": "BD-9", "why": "ended"})


def public_addresses(scene):
    """Every page of `games.views.patrons`, filled in for this house: a page added there is walked too."""
    fills = {"facility": "larkfield", "slug": "sic-bo-pa-625a-a"}
    assert get_resolver()
    for one in patrons.urlpatterns:
        route = re.sub(r"<slug:(\w+)>", lambda found: fills[found[1]], str(one.pattern))
        assert "<" not in route, f"fill in {route}"
        yield f"/{route}"


@pytest.mark.clause("PA-521.6")
def test_no_public_page_changes_with_what_is_rolled(hands, scene):
    publish(scene)
    book = {"document": scene.on_file("Rules", b"The rules."), "games": ["pa-625a"]}
    scene.in_office("file_rules_book", book)
    before = {address: Client().get(address) for address in public_addresses(scene)}
    assert {answer.status_code for answer in before.values()} == {200}
    for dice in ([6, 6, 6], [6, 6, 5], [6, 5, 6]):
        scene.play((1, "big", 1_000), dice=dice)
        scene.finish()
    for address, answer in before.items():
        assert Client().get(address).content == answer.content, address


@pytest.mark.clause("PA-521.6")
@pytest.mark.parametrize(
    "template",
    [
        *sorted((ROOT / "templates/games/patrons").glob("*.html")),
        *sorted((ROOT / "templates/tables").glob("sign/*.jinja")),
        ROOT / "templates/tables/sign.html",
        ROOT / "templates/tables/sign_print.html",
    ],
    ids=lambda path: path.name,
)
def test_no_template_for_patrons_asks_for_earlier_rolls(template):
    assert not OF_EARLIER_ROLLS.search(template.read_text())
