"""The table page pages back through the rounds of a table."""

import re

import pytest
from django.test import Client

from tests.markup import one_line
from tests.tables.cast import PIN

pytestmark = pytest.mark.both_databases

ROUND = r'scope="row">\s*<a [^>]*>(\d+)<'


def test_it_shows_the_rounds_before_those_on_the_page(scene):
    for _ in range(22):
        scene.play((1, "small", 2_500), dice=[1, 2, 3])
        scene.finish()
    client = Client()
    client.post("/enrol", {"token": scene.tokens["podium"]})
    client.post("/sign-in", {"person": "pit-manager", "pin": PIN})
    page = client.get("/floor/larkfield/T-01/rounds", headers={"hx-request": "true"}).content.decode()
    assert re.findall(ROUND, one_line(page)) == ["2", "1"]
    assert "more-rounds" not in page
    assert client.get("/floor/larkfield/T-01/rounds?before=nonsense").status_code == 200
    last = client.get("/floor/larkfield/T-01/rounds?before=2").content.decode()
    assert re.findall(ROUND, one_line(last)) == ["1"]
    scene.place((1, "small", 2_500))  # a round is in play, which the page does not list
    page = client.get("/floor/larkfield/T-01/rounds").content.decode()
    assert re.findall(ROUND, one_line(page)) == ["2", "1"]
