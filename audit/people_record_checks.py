"""What a full verification checks of people, devices, passwords and second factors: their rows against their entries.

They have checks of their own, because an entry states a whole person, and digests of secrets. At the end stands what is
known of the columns of these models, of jobs, and of the record's own tables.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection

from audit.clock import format_moment
from audit.columns import ACTOR, AT, DEVICE, Body, Reading, Rows, constant, declare
from audit.entries import (
    CLIENT_BOUND,
    CLIENT_MADE,
    CLIENT_SECRET_MADE,
    DEVICE_CHANGED,
    DEVICE_ENROLLED,
    DEVICE_REVOKED,
    FACTOR_ENDED,
    FACTOR_REGISTERED,
    FACTORS_RESET,
    PASSWORD_CHANGED,
    PASSWORD_GIVEN,
    SIGN_IN_ENDED,
    PersonRecorded,
)
from audit.factors import public_digest
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import (
    AnswersEnded,
    ApiClient,
    Checkpoint,
    ClientSecret,
    Command,
    Cosignature,
    Device,
    Entry,
    Incarnation,
    Job,
    Node,
    Password,
    Person,
    Seal,
    SealedHead,
    SealerLease,
    SealerStatus,
    SecondFactor,
    SigningKey,
    Stream,
    WrongPin,
)
from audit.registration import (
    credential_digest,
    facilities_of,
    facilities_on_record,
    newest_statements,
    statement_of,
)

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


# Passwords and second factors


FACTOR_UNRECORDED = declare_finding(
    "factor-unrecorded", "No entry of the record registered the second factor %(factor)s of %(person)s."
)
FACTOR_DIFFERS = declare_finding(
    "factor-differs",
    "The second factor %(factor)s of %(person)s differs from %(stream)s, entry %(seq)s, in %(column)s. "
    "The entry counts.",
)
FACTOR_MISSING = declare_finding(
    "factor-missing",
    "The second factor %(factor)s of %(person)s, which %(stream)s, entry %(seq)s registered, is not in its table.",
)
PASSWORD_DIFFERS = declare_finding(
    "password-differs", "The password of %(person)s is not the one that the record has."
)
PASSWORD_MISSING = declare_finding(
    "password-missing", "The password of %(person)s, which the record has, is not in its table."
)
# An auditor may not read the PINs of people, so only their codes are read.
FACTOR_COLUMNS = [field.name for field in SecondFactor._meta.concrete_fields if field.name != "person"]
PASSWORD_TYPES = (PASSWORD_CHANGED.name, PASSWORD_GIVEN.name, FACTORS_RESET.name)


@record_check
def check_factors(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every second factor with the entries that registered and ended it: all of them keep their rows."""
    registered: dict[int, tuple[str, int, dict[str, Any]]] = {}  # by the factor
    ended: set[int] = set()
    types = (FACTOR_REGISTERED.name, FACTOR_ENDED.name, FACTORS_RESET.name, SIGN_IN_ENDED.name)
    for stream, seq, type_, data in _factor_entries(*types):
        if type_ == FACTOR_REGISTERED.name:
            registered[data["factor"]] = (stream, seq, data)
        else:
            ended.update([data["factor"]] if type_ == FACTOR_ENDED.name else data["factors"])
    tick()
    factors = (
        SecondFactor.objects.select_related("person").only(*FACTOR_COLUMNS, "person__code").order_by("pk")
    )
    may_read = _may_read_secrets("audit_secondfactor", "secret")
    missing = dict(registered)
    for factor in factors if may_read else factors.defer("secret"):
        who = {"factor": factor.pk, "person": factor.person.code}
        stream, seq, data = missing.pop(factor.pk, ("", 0, {}))
        if not data:
            yield Finding(FACTOR_UNRECORDED, who)
            continue
        row: dict[str, Any] = {"code": factor.person.code, "kind": factor.kind}
        if may_read or factor.kind == SecondFactor.Kind.WEBAUTHN:
            row["public_sha256"] = public_digest(factor)
        columns = [name for name, value in row.items() if data.get(name) != value]
        if (factor.ended_at is not None) != (factor.pk in ended):
            columns.append("ended_at")
        for column in columns:
            yield Finding(FACTOR_DIFFERS, {**who, "stream": stream, "seq": seq, "column": column})
    for factor_id, (stream, seq, data) in missing.items():
        where = {"stream": stream, "seq": seq}
        yield Finding(FACTOR_MISSING, {**where, "factor": factor_id, "person": data["code"]})


@record_check
def check_passwords(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every password with the newest entry about it."""
    if not _may_read_secrets("audit_password", "hash"):
        return
    newest: dict[str, tuple[str, str]] = {}
    for _stream, _seq, _type, data in _factor_entries(*PASSWORD_TYPES):
        if data["at"] >= newest.get(data["code"], ("", ""))[0]:
            newest[data["code"]] = data["at"], data["credential_sha256"]
    tick()
    rows = Password.objects.select_related("person").only("hash", "person__code").order_by("person__code")
    yield from (
        Finding(PASSWORD_MISSING, {"person": code})
        for code in sorted(newest.keys() - {row.person.code for row in rows})
    )
    for row in rows:
        code = row.person.code
        if newest.get(code, ("", ""))[1] != credential_digest(code, row.hash):
            yield Finding(PASSWORD_DIFFERS, {"person": code})


def _may_read_secrets(table: str, column: str) -> bool:
    """Whether this role of the database may read a secret column: that of an auditor may not."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_column_privilege(%s, %s, 'SELECT')", [table, column])
        return bool(cursor.fetchone()[0])


def _factor_entries(*types: str) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
    """The entries of these types in the order of their streams: stream, number, type and data, with their time."""
    rows = Entry.objects.filter(type__in=types).order_by("stream", "seq")
    for stream, seq, type_, body in rows.values_list("stream__name", "seq", "type", "body").iterator(
        chunk_size=1000
    ):
        try:
            content = json.loads(bytes(body))
            yield stream, seq, type_, {**content["data"], "at": content["at"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it


# Columns


PEOPLE = "audit.people_record_checks.check_people"
DEVICES = "audit.people_record_checks.check_devices"
FACTORS = "audit.people_record_checks.check_factors"
PASSWORDS = "audit.people_record_checks.check_passwords"
CHAIN = "audit.verification.verify"
SESSION = "the state of a sign-in, which changes at each one; the entries of sign-ins say who was where"
STATUS = "a service's last report, which is overwritten every few seconds"


def of(names: str, about: str) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


declare(
    Person,
    "person",
    derived=of(
        "password code name role department facility licence licence_ends_on badge is_active pin_must_change "
        "pin_ends_at leave_from leave_until leave_reason",
        PEOPLE,
    ),
    unproven={"last_login": "a column of Django that nothing writes"},
)
declare(
    Device,
    "device",
    derived=of("id name facility station place enrolled_at enrolled_by revoked_at", DEVICES),
    unproven={
        **of("person signed_on_at signed_on_with locked_at last_seen_at heard_at acted_at", SESSION),
        **of(
            "battery_percent is_charging",
            "what the device last said of itself; nothing of the record depends on it",
        ),
        **of(
            "token_sha256 enrollment_ends_at enrollment_command enrollment_used_at enrollment_refused_at",
            "the hash of a secret and the time of its use: who knows it is that device (docs/security.md)",
        ),
        **of(
            "cookies_made cookie cookie_before cookie_since copied_cookie copied_at",
            "the numbers of the cookies that the device was given, each signed by the server; an entry names a copy",
        ),
        "asked_by": "who asked for the device; the entry of the prepared change has it",
    },
)
declare(
    ApiClient,
    "client",
    key={"device": DEVICE},
    created={
        CLIENT_MADE: {
            "person": "person",
            "scopes": "scopes",
            "made_at": AT,
            "made_by": ACTOR,
            "certificate_sha256": constant(""),
        }
    },
    changed={CLIENT_BOUND: {"certificate_sha256": "certificate_sha256"}},
    unproven={
        "asked_by": "who asked for it or its newest secret; the entry of the prepared change has it",
        "may_make_secret": "whether another secret was approved and not made yet; the entries say both",
    },
)


def _end_secrets_before(rows: Rows, body: Body) -> None:
    data = body["data"]
    for number in data["before"]:
        rows.put(body, body["device"], number, ends_at=data["before_end_at"])


declare(
    ClientSecret,
    "secret",
    key={"client": DEVICE, "number": "number"},
    created={CLIENT_SECRET_MADE: {"sha256": "sha256", "made_at": AT, "made_by": ACTOR, "ends_at": "ends_at"}},
    folded={CLIENT_SECRET_MADE: _end_secrets_before},
    readings={"sha256": Reading(("sha256",), lambda digest: bytes(digest).hex(), ("sha256",))},
    unproven={"command": "only lets who made it read it again for ten minutes; its entry names who did"},
)
declare(
    Password,
    "password",
    derived=of("person hash", PASSWORDS),
    unproven={
        **of("set_at given_by command", "the entry about the hash says when, and who gave it"),
        "ends_at": "only lets a one-time password end; the entry that gave it says until when",
    },
)
declare(
    SecondFactor,
    "second factor",
    derived=of("person kind secret credential ended_at", FACTORS),
    unproven={
        **of(
            "label device registered_at",
            "says only what a person called it, where and when; the entry has it",
        ),
        **of("last_step sign_count used_at", "counts the uses of a factor, so that no code is used twice"),
    },
)
declare(
    WrongPin,
    "wrong PIN",
    unproven=of("device person typed_at", "a count of the last 15 minutes, which is deleted afterward"),
)
declare(
    Job,
    "job",
    unproven={
        **of(
            "id facility kind params asked_by asked_at device", "the entry that requests an export has them"
        ),
        **of("status entries_done total started_at beat_at failure_code", "the progress of a task"),
        **of(
            "finished_at results filename size_bytes sha256",
            "the entry of the finished export has size and SHA-256; the file can be compared with it",
        ),
    },
)
declare(
    Stream,
    "stream",
    derived=of("name seq head last_at closed_at continued_by", CHAIN),
    unproven={
        "lockable": "has no meaning: a column that the web role may update, so that it may lock the row",
        "real_play": "the kind of the table that the stream belongs to, whose entry states it",
    },
)
declare(
    Entry,
    "entry",
    derived=of("stream seq prev hash body type at gaming_day actor witness round lot cents", CHAIN),
)
declare(
    Command,
    "command",
    unproven=of(
        "id content_sha256 stream seq person device answer at",
        "the first answer of an act, for a retry; the entry itself names the command",
    ),
)
declare(AnswersEnded, "end of saved answers", unproven=of("id entry", "how far saved answers have ended"))
declare(
    Incarnation,
    "incarnation",
    derived=of("number origin", CHAIN),
    unproven=of("opened_at why opened_by opened_with after", "the entry that declares it has them"),
)
declare(
    SigningKey,
    "key",
    derived=of("name key_id public_key", CHAIN),
    unproven=of("created_at retired_at", "the entries of the key say when it was made and retired"),
)
declare(Seal, "seal", derived=of("incarnation facility number at full body leaf", CHAIN))
declare(SealedHead, "sealed head", derived=of("seal stream seq", CHAIN))
declare(Node, "node", derived=of("incarnation facility level index hash", CHAIN))
declare(
    Checkpoint,
    "checkpoint",
    derived=of("incarnation facility size root note", CHAIN),
    unproven={"at": "when it was signed; the seal that it covers has its moment"},
)
declare(
    Cosignature,
    "cosignature",
    derived=of("checkpoint name line", CHAIN),
    unproven={"at": "when it came; the line has its own moment"},
)
declare(
    SealerLease,
    "sealer's lease",
    unproven=of(
        "id holder beat folder incarnation",
        "who seals now: only the sealer's role writes it, and renews it every few seconds",
    ),
)
declare(
    SealerStatus,
    "sealer's status",
    unproven=of("id beat_at problem params since witnesses newest_copy copied_at copy_problem logs", STATUS),
)
