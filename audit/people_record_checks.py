"""What a full verification checks of people and devices: their rows against the entries that state them."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection

from audit.clock import format_moment
from audit.entries import DEVICE_CHANGED, DEVICE_ENROLLED, DEVICE_REVOKED, PersonRecorded
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import Device, Entry, Person
from audit.registration import facilities_of, facilities_on_record, newest_statements, statement_of

PERSON_UNRECORDED = declare_finding(
    "person-unrecorded", "No entry of the record states the person %(person)s, who has a row in the database."
)
PERSON_DIFFERS = declare_finding(
    "person-differs",
    "The row of the person %(person)s differs from %(stream)s, entry %(seq)s, in %(column)s. The entry counts.",
)
PERSON_MISSING = declare_finding(
    "person-missing", "The person %(person)s of %(stream)s, entry %(seq)s, has no row in the database."
)
DEVICE_UNRECORDED = declare_finding(
    "device-unrecorded",
    "No entry of the record enrolled the device %(device)s of %(facility)s, which has a row in the database.",
)
DEVICE_DIFFERS = declare_finding(
    "device-differs",
    "The row of the device %(device)s differs from %(stream)s, entry %(seq)s, in %(column)s. The entry counts.",
)
COLUMN_NAMES = {"active": "is_active", "credential_sha256": "PIN", "works_in": "facility"}


@record_gap
def unstated_people() -> Iterator[str]:
    """People are compared from the first statement on. Installations from before have none."""
    if not newest_statements() and Person.objects.values("pk").exists():
        yield "people: no entry states who they are. Run manage.py record_people once."
    elif not _may_read_pin_hashes():
        yield "people's PINs: this role of the database may not read their hashes. Run it as the web role."


@record_check
def check_people(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every person's row with the newest statement on the record, if it states any."""
    statements, facilities = newest_statements(), facilities_on_record()
    tick()
    if not statements:
        return
    stated = {code for _facility, code in statements}
    may_read_pins = _may_read_pin_hashes()
    people = Person.objects.order_by("code")
    for person in people if may_read_pins else people.defer("password"):
        if person.code not in stated:
            yield Finding(PERSON_UNRECORDED, {"person": person.code})
            continue
        row = _row_of(person, with_pin=may_read_pins)
        for facility in facilities_of(person, facilities):
            stream, seq, data = statements.get((facility, person.code), ("", 0, None))
            if data is None:
                yield Finding(PERSON_UNRECORDED, {"person": f"{person.code} in {facility}"})
                continue
            for name in sorted({*row, *(data.keys() & PersonRecorded.__optional_keys__)}):
                if data.get(name) != row.get(name):
                    where = {"person": person.code, "stream": stream, "seq": seq}
                    yield Finding(PERSON_DIFFERS, {**where, "column": COLUMN_NAMES.get(name, name)})
    codes = set(Person.objects.values_list("code", flat=True))
    for (_facility, code), (stream, seq, _data) in statements.items():
        if code not in codes:
            yield Finding(PERSON_MISSING, {"person": code, "stream": stream, "seq": seq})


def _row_of(person: Person, *, with_pin: bool) -> dict[str, Any]:
    """A person's row as an entry states it; without the digest of the PIN hash where that cannot be read."""
    if with_pin:
        return {**statement_of(person)}
    person.password = ""
    row: dict[str, Any] = {**statement_of(person)}
    del row["credential_sha256"]
    return row


def _may_read_pin_hashes() -> bool:
    """Whether this role of the database may read them: that of an auditor may not."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_column_privilege('audit_person', 'password', 'SELECT')")
        return bool(cursor.fetchone()[0])


@record_check
def check_devices(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every device's row with the entries that enrolled, changed and revoked it."""
    enrolled = _entries_by_device(DEVICE_ENROLLED.name, DEVICE_CHANGED.name)
    tokens = _entries_by_device(DEVICE_ENROLLED.name)
    revoked = _entries_by_device(DEVICE_REVOKED.name)
    devices = Device.objects.select_related("enrolled_by").defer(  # what an auditor may not read
        "token_sha256", "enrollment_command", "enrolled_by__password"
    )
    for number, device in enumerate(devices.order_by("facility", "name")):
        if number % 100 == 0:
            tick()
        entry = enrolled.get((device.facility, str(device.pk)))
        if entry is None:
            yield Finding(DEVICE_UNRECORDED, {"device": device.name, "facility": device.facility})
            continue
        stream, seq, data = entry
        for column in ("name", "station", "place"):
            if data.get(column) != getattr(device, column):
                where = {"device": device.name, "stream": stream, "seq": seq}
                yield Finding(DEVICE_DIFFERS, {**where, "column": column})
        stream, seq, data = tokens.get((device.facility, str(device.pk)), entry)
        by = device.enrolled_by.code if device.enrolled_by else None
        for column, value in (("at", format_moment(device.enrolled_at)), ("by", by)):
            if data[column] != value:
                where = {"device": device.name, "stream": stream, "seq": seq, "column": f"enrolled_{column}"}
                yield Finding(DEVICE_DIFFERS, where)
        revocation = revoked.get((device.facility, str(device.pk)))
        if (revocation is None) != (device.revoked_at is None):
            stream, seq, _data = revocation or entry
            where = {"device": device.name, "stream": stream, "seq": seq}
            yield Finding(DEVICE_DIFFERS, {**where, "column": "revoked_at"})


def _entries_by_device(*types: str) -> dict[tuple[str, str], tuple[str, int, dict[str, Any]]]:
    """The newest entry of these types about each device: its stream, number and data, by facility and the device's id.

    The data have the entry's moment (`at`) and actor (`by`), too. A stream may continue another one, so the facility is
    what counts.
    """
    entries = {}
    rows = (
        Entry.objects.filter(type__in=types)
        .order_by("stream", "seq")
        .values_list("stream__name", "seq", "body")
    )
    for stream, seq, body in rows.iterator(chunk_size=1000):
        try:
            content = json.loads(bytes(body))
            data = {**content["data"], "at": content["at"], "by": content["actor"]}
            entries[stream.partition("/")[0], str(content["device"])] = (stream, seq, data)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return entries
