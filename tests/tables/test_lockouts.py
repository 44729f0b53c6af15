"""PINs are being guessed: the floor is called, and a supervisor unlocks."""

import datetime as dt
import json

import pytest

from audit import clock, devices, people
from audit.models import Device, Entry, Lockout
from tables.models import Alert, Table
from tables.opening.opening import make_table
from tables.runner import facility
from tables.ticker import tick
from tables.words.sentences import act_line
from tests.tables.test_dice_pages import see, words

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def guess(
    scene, device: Device, person: str = "dealer", times: int = 5, signed_in: str = ""
) -> Lockout | None:
    """This many wrong PINs of a person at a device; the newest lock-out."""
    for _ in range(times):
        people.count_wrong_pin(device, scene.people[person], scene.people.get(signed_in), clock.now())
    return Lockout.objects.last()


def alerted() -> list[tuple[str, str]]:
    open_alerts = Alert.objects.filter(kind="pins-guessed", ended_at=None).order_by("table__code", "pk")
    return [(alert.table.code, alert.key.split(":")[1]) for alert in open_alerts.select_related("table")]


@pytest.fixture
def two_tables(scene):
    """The scene's table and T-02, both in play, and T-03, which is closed."""
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    for code in ("T-02", "T-03"):
        make_table(
            scene.table.facility, code=code, pit=scene.table.pit, submission="RS-0009", kind="live", **limits
        )
    Table.objects.filter(code="T-02").update(status="open")
    Table.objects.filter(code="T-03").update(status="closed")
    return scene


def test_wrong_pins_at_a_tablet_alert_its_own_table_and_at_a_podium_every_table_in_play(two_tables):
    guess(two_tables, two_tables.tablet)
    tick()
    assert alerted() == [("T-01", "person-at-device")]
    guess(two_tables, two_tables.podium, "floorperson")
    tick()
    assert alerted() == [
        ("T-01", "person-at-device"),
        ("T-01", "person-at-device"),
        ("T-02", "person-at-device"),
    ]


def test_a_device_that_tries_many_people_alerts_every_table_in_play(two_tables):
    for person in ("dealer", "relief", "floorperson"):
        guess(two_tables, two_tables.tablet, person, 4)
    tick()
    tick()
    assert alerted() == [("T-01", "device"), ("T-02", "device")]
    [alert] = [alert for alert in two_tables.snapshot["alerts"] if alert["kind"] == "pins-guessed"]
    assert alert["text"].startswith("Ten wrong PINs at Tablet of T-01, which now accepts none")


def test_the_alert_ends_with_the_lock_out_and_stays_until_it_is_acknowledged(scene):
    lockout = guess(scene, scene.tablet)
    tick()
    with clock.override(lockout.ends_at + dt.timedelta(seconds=1)):
        tick()
        assert alerted() == []
        (alert,) = scene.snapshot["alerts"]
        assert (alert["kind"], alert["acknowledged"]) == ("pins-guessed", None)


def test_a_supervisor_unlocks_and_the_record_says_who(scene):
    lockout = guess(scene, scene.tablet)
    tick()
    scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="casino-supervisor")
    body = json.loads(bytes(Entry.objects.get(type="pins.unlocked").body))
    assert (body["stream"], body["actor"], body["data"]["person"]) == (
        "larkfield/staff",
        "casino-supervisor",
        "dealer",
    )
    assert act_line("pins.unlocked", body["data"]) == "Unlocked: dealer at Tablet of T-01"
    assert not people.is_locked_out(scene.tablet, scene.people["dealer"], clock.now())
    tick()
    assert alerted() == []
    assert people.count_wrong_pin(scene.tablet, scene.people["dealer"], None, clock.now()) == []
    with scene.refused("no-such-lockout"):
        scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="casino-supervisor")


def test_nobody_unlocks_their_own_pin_or_the_one_they_guessed(scene):
    own = guess(scene, scene.podium, "pit-manager")
    with scene.refused("your-own-lockout"):
        scene.in_room("unlock_pins", {"lockout": own.pk}, by="pit-manager")
    guessed = guess(scene, scene.podium, "security", signed_in="shift-manager")
    with scene.refused("typed-where-you-are-signed-in"):
        scene.in_room("unlock_pins", {"lockout": guessed.pk}, by="shift-manager")
    assert facility.ACTS["unlock_pins"].roles == {"casino-supervisor", "pit-manager", "shift-manager"}


def test_a_lock_out_of_another_facility_is_not_ours_to_end(scene):
    elsewhere, _ = devices.enroll("Podium", "seabright", "podium")
    lockout = guess(scene, elsewhere)
    with scene.refused("no-such-lockout"):
        scene.in_room("unlock_pins", {"lockout": lockout.pk})
    tick()
    assert alerted() == []


def test_the_staff_page_lists_who_is_locked_out_and_offers_unlock_to_supervisors(scene):
    guess(scene, scene.tablet)
    supervisor = see(scene, "staff/", "casino-supervisor")
    assert "Dealer locked out at Tablet of T-01, since" in words(supervisor)
    assert 'data-open="unlock"' in supervisor and 'data-name="unlock_pins"' in supervisor
    floor = see(scene, "staff/", "floorperson")
    assert "Locked out" in floor and 'data-open="unlock"' not in floor
