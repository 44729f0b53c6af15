"""Roles × pages of the desk, opened by everybody in the cast, signed out and locked."""

import pytest
from django.test import Client
from django.urls import reverse

from tables.views.desk_urls import urlpatterns
from tests.tables.cast import ROLES

pytestmark = pytest.mark.django_db
OURS = {
    "record": reverse("record", args=["larkfield"]),
    "record-entry": reverse("record-entry", args=["larkfield", "T-01", 1]),
    "record-integrity": reverse("record-integrity", args=["larkfield"]),
    "record-coverage": reverse("record-coverage", args=["larkfield"]),
}
SEES = {"compliance", "gaming-agent", "surveillance", "pit-manager", "shift-manager", "casino-supervisor"}
BY_SCRIPT = {"Sec-Fetch-Mode": "cors"}


def test_every_page_of_the_desk_checks_access(scene):
    """What others add is found here too: nothing of the desk opens for somebody who is signed out."""
    arguments = {"facility": "larkfield", "place": "T-01", "seq": 1, "act": "save_filter"}
    for pattern in urlpatterns:
        names = pattern.pattern.converters
        if not set(names) <= set(arguments):
            continue
        address = reverse(pattern.name, kwargs={name: arguments[name] for name in names})
        answer = Client().get(address, headers=BY_SCRIPT)
        assert answer.status_code in (401, 405), pattern.name


@pytest.mark.parametrize("by", ROLES)
def test_each_role_opens_what_is_theirs(scene, by):
    podium = scene.browser("podium", by)
    statuses = {name: podium.get(address, headers=BY_SCRIPT).status_code for name, address in OURS.items()}
    assert statuses == dict.fromkeys(OURS, 200 if by in SEES else 403)


def test_a_tablet_of_a_table_shows_no_record(scene):
    tablet = scene.browser("tablet", "shift-manager")
    assert {tablet.get(address).status_code for address in OURS.values()} == {403}


def test_another_facility_is_refused(scene):
    podium = scene.browser("podium", "compliance")
    for address in OURS.values():
        assert podium.get(address.replace("larkfield", "seabright")).status_code == 403


def test_a_locked_podium_shows_nothing_and_pages_are_only_read(scene):
    podium = scene.browser("podium", "compliance")
    assert {podium.post(address).status_code for address in OURS.values()} == {405}
    podium.post("/lock")
    assert {podium.get(address, headers=BY_SCRIPT).status_code for address in OURS.values()} == {423}
