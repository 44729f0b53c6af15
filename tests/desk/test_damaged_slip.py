"""A slip whose entry somebody tore or took away in the database: the pages about it still answer."""

import pytest

from tests.desk.test_entry import tampered
from tests.services.restore import restored_later
from tests.tables.cast import make_scene
from tests.tables.slip_scene import file, settle

pytestmark = pytest.mark.django_db
TORN = "UPDATE audit_entry SET body = %s WHERE type = 'slip.filed'"
DAMAGE = {
    "no body": (TORN, b""),
    "no data": (TORN, b"{}"),
    "empty data": (TORN, b'{"data":{}}'),
    "no entry": ("DELETE FROM audit_entry WHERE type = %s", "slip.filed"),
    "no end": ("DELETE FROM audit_entry WHERE type = %s", "slip.settled"),
}


@restored_later
def corrected_round():
    scene = make_scene()
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    settle(scene, (1, 5_000), (2, -10_000))
    return scene


@pytest.fixture
def slipped(db):
    """A round whose dice a slip corrected, its money moved by an entry of its own."""
    return corrected_round()


def replay_of(scene, by):
    answer = scene.browser("podium", by).get("/floor/larkfield/T-01/rounds/1/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_undamaged_slip_is_on_the_page_of_its_round(slipped):
    text = replay_of(slipped, "compliance")
    assert "ENS-0001" in text and "failed" not in text


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("by", ["compliance", "floorperson"])
def test_a_round_of_which_a_slip_cannot_be_read_is_shown_all_the_same(slipped, damage, by):
    tampered(*DAMAGE[damage])
    assert "failed" in replay_of(slipped, by)


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_search_and_the_report_answer_all_the_same(slipped, damage):
    tampered(*DAMAGE[damage])
    day = slipped.last_round.gaming_day
    browser = slipped.browser("podium", "compliance")
    for address in ("/record/larkfield/", f"/record/larkfield/report/?day={day}"):
        assert browser.get(address).status_code == 200
