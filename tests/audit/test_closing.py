"""A damaged stream is closed by two people and continues under another name; the damage stays on the record."""

import datetime as dt
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError

from audit import clock, record, verification
from audit.entries import STREAM_CLOSED, StreamClosing
from audit.management.commands import provision_roles
from audit.models import Department, Entry, Role, Stream
from audit.refusals import AuditRefusal, ClockRefused, StreamClosed
from audit.sealing.declarations import close_stream, write_on_system
from tests.services.entries import any_entry

from .conftest import MOMENT
from .gone_back import as_superuser
from .outsider import bad, check
from .sealed import SECOND, House, bundled
from .test_guards import provision

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
T04, CONTINUED = "larkfield/T-04", "larkfield/T-04-2"
WHY = "An entry of the year 9999"
CENTURIES_AHEAD = dt.datetime(9900, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def people(make_person):
    officer = make_person("ruiz-c", Role.COMPLIANCE, "222222", department=Department.COMPLIANCE)
    return officer, make_person("okafor-a", Role.FLOORPERSON, "654321")


@pytest.fixture
def jammed(tmp_path, write, people) -> House:
    """T-04 has an entry of a far year, which a seal of today covers; T-05 is well."""
    house = House(tmp_path / "sealer", write)
    house.act(SECOND)
    house.act(SECOND, "larkfield/T-05")
    house.seal(2 * SECOND)
    write(moment=CENTURIES_AHEAD, gaming_day=CENTURIES_AHEAD.date())
    house.seal(3 * SECOND)
    return house


def close(people, name=T04) -> Stream:
    with clock.override(MOMENT + 10 * SECOND):
        return close_stream(name, *people, WHY)


def data_of(name: str, seq: int) -> dict:
    return json.loads(bytes(Entry.objects.get(stream__name=name, seq=seq).body))


def test_a_jammed_stream_is_closed_and_its_writers_go_on(jammed, write, people):
    with pytest.raises(ClockRefused):
        jammed.act(9 * SECOND)
    before = Stream.objects.get(name=T04)
    assert close(people).name == CONTINUED
    closed = Stream.objects.get(name=T04)
    assert (closed.seq, bytes(closed.head)) == (2, bytes(before.head))
    statement = {"head": bytes(before.head).hex(), "seq": 2, "stream": T04, "why": WHY}
    declared = data_of("installation/system", 3)
    assert (declared["_type"], declared["actor"], declared["witness"]) == (
        "stream.closed",
        "ruiz-c",
        "okafor-a",
    )
    assert declared["data"] == {
        **statement,
        "continued_by": CONTINUED,
        "last_at": "9900-01-01T00:00:00.000000Z",
    }
    assert (data_of(CONTINUED, 1)["_type"], data_of(CONTINUED, 1)["data"]) == ("stream.continued", statement)
    jammed.act(11 * SECOND)
    assert Stream.objects.get(name=CONTINUED).seq == 2
    assert record.open_stream(T04).name == CONTINUED
    with pytest.raises(StreamClosed), transaction.atomic():
        entry = any_entry("round.opened", {"round": 1})
        record.append(closed, entry=entry, moment=CENTURIES_AHEAD, gaming_day=MOMENT.date())
    assert record.names_with_continuations(T04) == [T04, CONTINUED]


def test_the_damage_stays_on_record_and_every_verifier_understands_it(jammed, people):
    assert [finding.code for finding in verification.verify().findings] == ["entry-after-seal"]
    assert "its time is after that of the seal that covers it" in bad(bundled())
    close(people)
    jammed.act(11 * SECOND)
    jammed.seal(12 * SECOND)
    verified = verification.verify()
    assert (verified.findings, [finding.code for finding in verified.declared]) == ([], ["entry-after-seal"])
    damage = f"DAMAGED: {T04} is dated after its seals from seq 2 on; two people closed it: {WHY}"
    assert damage in check(bundled())
    assert check(bundled(CONTINUED, "larkfield/T-05"))
    assert "its time is after" in bad(bundled(T04))  # without the declaration, nothing explains it


def test_a_closing_explains_no_other_damage(jammed, people):
    close(people)
    first = Entry.objects.get(stream__name=T04, seq=1)
    with as_superuser():
        Entry.objects.filter(pk=first.pk).update(body=bytes(first.body).replace(b'"round":1', b'"round":2'))
    assert "entry-changed" in [finding.code for finding in verification.verify().findings]


def test_a_closing_explains_no_entry_that_came_after_it(jammed, people):
    close(people)
    closings = verification.declared_closings()
    assert verification.closing_explains(closings, {"stream": T04, "seq": 2})
    assert not verification.closing_explains(closings, {"stream": T04, "seq": 3})


def test_a_closing_that_one_person_declared_explains_nothing(jammed, people):
    stream = Stream.objects.get(name=T04)
    data: StreamClosing = {
        "continued_by": CONTINUED, "head": bytes(stream.head).hex(), "last_at": None, "seq": 2, "stream": T04,
        "why": WHY,
    }  # fmt: skip
    with transaction.atomic():
        write_on_system(STREAM_CLOSED(data), MOMENT + 10 * SECOND, people[0])
    assert [finding.code for finding in verification.verify().findings] == ["entry-after-seal"]


def test_a_closing_that_was_not_declared_or_was_undone_is_a_finding(jammed, people):
    with transaction.atomic():
        Stream.objects.filter(name="larkfield/T-05").update(closed_at=MOMENT)
        assert "closing-undeclared" in [finding.code for finding in verification.verify().findings]
        transaction.set_rollback(True)
    close(people)
    with transaction.atomic():
        with as_superuser():
            Stream.objects.filter(name=T04).update(closed_at=None, continued_by=None)
        assert [finding.code for finding in verification.verify().findings] == ["closing-differs"]
        transaction.set_rollback(True)
    with as_superuser():
        begins = Entry.objects.filter(stream__name=CONTINUED, seq=1)
        begins.update(body=bytes(begins.get().body).replace(b'"seq":2', b'"seq":1', 1))
    assert "continuation-differs" in [finding.code for finding in verification.verify().findings]


@pytest.mark.parametrize(
    ("name", "who", "pins", "sentence"),
    [
        (T04, ("ruiz-c", "ruiz-c"), ("222222", "222222"), "The witness must be a different person."),
        (T04, ("ruiz-c", "okafor-a"), ("222222", "111111"), "Code or PIN is wrong."),
        (T04, ("okafor-a", "boss-b"), ("654321", "333333"), "from different departments"),
        ("installation/system", ("ruiz-c", "okafor-a"), ("222222", "654321"), "cannot be closed"),
        (
            "larkfield/T-99",
            ("ruiz-c", "okafor-a"),
            ("222222", "654321"),
            "There is no stream larkfield/T-99.",
        ),
    ],
)
def test_nobody_else_closes_a_stream(jammed, make_person, monkeypatch, name, who, pins, sentence):
    make_person("boss-b", Role.PIT_MANAGER, "333333")
    with pytest.raises(CommandError, match=sentence):
        closed_by_command(name, who, pins, monkeypatch)
    assert not Entry.objects.filter(type="stream.closed").exists()


def test_nobody_closes_a_stream_without_saying_why(jammed, people):
    with pytest.raises(AuditRefusal), clock.override(MOMENT + 10 * SECOND):
        close_stream(T04, *people, " ")
    assert not Entry.objects.filter(type="stream.closed").exists()


def test_a_stream_is_closed_once_and_its_continuation_can_be_closed_too(jammed, monkeypatch):
    who, pins = ("ruiz-c", "okafor-a"), ("222222", "654321")
    assert closed_by_command(T04, who, pins, monkeypatch) == f"{T04} is closed. {CONTINUED} continues it.\n"
    with pytest.raises(CommandError, match=f"{T04} is closed already: {CONTINUED} continues it"):
        closed_by_command(T04, who, pins, monkeypatch)
    closed_by_command(CONTINUED, who, pins, monkeypatch)
    assert record.open_stream(T04).name == f"{CONTINUED}-2"


def closed_by_command(name, who, pins, monkeypatch) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{pin}\n" for pin in pins)))
    out = io.StringIO()
    with clock.override(MOMENT + 10 * SECOND):
        call_command("close_stream", name, *who, "--why", WHY, "--pins-from-stdin", stdout=out)
    return out.getvalue()


@pytest.mark.postgres
def test_neither_the_web_nor_the_sealer_closes_a_stream(jammed, people):
    provision()
    for role in (provision_roles.WEB, provision_roles.SEALER):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL ROLE {role}")
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
                close(people)
            transaction.set_rollback(True)
    assert not Stream.objects.exclude(closed_at=None).exists()
