"""The page of the signs."""

import pytest

from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("rules", "cited"), [("pa-625a/A", True), ("nj-19-47-9", False)])
def test_the_page_of_signs_cites_pennsylvania_to_houses_there_alone(hands, rules, cited):
    scene = make_scene(rules)
    house = scene.table.facility.code
    page = scene.browser("podium", "games-administrator").get(f"/office/{house}/signs/")
    assert page.status_code == 200
    assert ("§ 521.8(d)" in page.content.decode()) is cited
