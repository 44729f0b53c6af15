"""The desk at a tablet and at a locked podium. Who opens which page: tests/test_rights.py."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db
OURS = {
    "record": reverse("record", args=["larkfield"]),
    "record-entry": reverse("record-entry", args=["larkfield", "T-01", 1]),
    "record-integrity": reverse("record-integrity", args=["larkfield"]),
    "record-coverage": reverse("record-coverage", args=["larkfield"]),
}
BY_SCRIPT = {"Sec-Fetch-Mode": "cors"}


def test_a_tablet_of_a_table_shows_no_record(scene):
    tablet = scene.browser("tablet", "shift-manager")
    assert {tablet.get(address).status_code for address in OURS.values()} == {403}


def test_a_locked_podium_shows_nothing_and_pages_are_only_read(scene):
    podium = scene.browser("podium", "compliance")
    assert {podium.post(address).status_code for address in OURS.values()} == {405}
    podium.post("/lock")
    assert {podium.get(address, headers=BY_SCRIPT).status_code for address in OURS.values()} == {423}
