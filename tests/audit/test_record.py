"""Appending: the chain, the clock, and many hands at once."""

import datetime as dt
import hashlib
import json
import threading
import uuid

import pytest
import rfc8785
from django.db import connections, transaction
from hypothesis import given
from hypothesis import strategies as st

from audit import chain, clock, record, runner
from audit.entry_types import EntryBody, entry_type
from audit.models import Entry, Stream
from audit.refusals import ClockRefused, CommandChanged, RecordRefused, StreamClosed, StreamMoved
from tests.services.entries import any_entry

from .conftest import MOMENT

pytestmark = pytest.mark.both_databases

SECOND = dt.timedelta(seconds=1)


def test_the_hash_is_of_tag_previous_hash_and_body():
    expected = hashlib.sha256(b"pitside/entry/v1\n" + bytes(32) + b"{}").digest()
    assert chain.entry_hash(bytes(32), b"{}") == expected
    assert chain.genesis("larkfield/T-04") == hashlib.sha256(b"pitside/stream/v1\nlarkfield/T-04").digest()


@pytest.mark.parametrize(
    "value", [1.0, {"é": 1}, 2**53, -(2**53), {1: 1}, "\0", "\ud800", b"x", float("nan"), {1, 2}]
)
def test_canonical_refuses_what_has_no_single_spelling(value):
    with pytest.raises(chain.NotCanonical):
        chain.canonical({"a": [value]})


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="ascii")), inner),
)


@given(VALUES)
def test_canonical_is_rfc_8785(value):
    assert chain.canonical(value) == rfc8785.dumps(value)


def test_canonical_writes_every_character_as_rfc_8785_does():
    characters = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code <= 0xDFFF]
    assert chain.canonical(characters) == rfc8785.dumps(characters)
    keys = {chr(code) * length: code for code in range(1, 128) for length in (1, 2)}
    assert chain.canonical(keys) == rfc8785.dumps(keys)


@pytest.mark.django_db
def test_an_entry_names_who_where_and_when(write, dealer, floorperson, tablet):
    command = uuid.uuid4()
    appended = write(type="round.settled", data={"round": 7}, actor=dealer, witness=floorperson, device=tablet,
                     command=command, terms="ab" * 32)  # fmt: skip
    entry = Entry.objects.get(stream__name="larkfield/T-04")
    assert bytes(entry.body).startswith(b'{"_format":1,"_type":"round.settled","actor":"tran-m",')
    assert json.loads(bytes(entry.body)) == {
        "_format": 1, "_type": "round.settled", "actor": "tran-m", "at": "2026-11-21T13:05:09.123456Z",
        "build": "dev", "command": str(command), "data": {"round": 7}, "device": str(tablet.pk),
        "gaming_day": "2026-11-21", "seq": 1, "stream": "larkfield/T-04", "terms": "ab" * 32, "witness": "okafor-a",
    }  # fmt: skip
    assert (appended.seq, appended.hash) == (1, bytes(entry.hash))
    assert bytes(entry.prev) == chain.genesis("larkfield/T-04")
    assert bytes(entry.hash) == chain.entry_hash(bytes(entry.prev), bytes(entry.body))


@pytest.mark.django_db
def test_the_instance_moves_with_the_stream():
    with transaction.atomic():
        stream = record.lock_stream("larkfield/T-04")
        for number in (1, 2):
            record.append(stream, entry=any_entry("a.b"), moment=MOMENT, gaming_day=MOMENT.date())
            fresh = Stream.objects.get(pk=stream.pk)
            assert (stream.seq, bytes(stream.head), stream.last_at) == (number, bytes(fresh.head), MOMENT)
            assert fresh.seq == number


@pytest.mark.postgres
@pytest.mark.django_db
def test_one_statement_on_postgresql(django_assert_num_queries):
    stream = record.open_stream("larkfield/T-04")
    with django_assert_num_queries(1):
        record.append(stream, entry=any_entry("a.b"), moment=MOMENT, gaming_day=MOMENT.date())


@pytest.mark.parametrize(
    "type", ["settled", "Round.settled", "round.", "round settled", "", "round.settled\n"]
)
def test_a_type_is_a_dotted_name(type):
    with pytest.raises(ValueError, match="no dotted name"):
        any_entry(type)


def test_no_type_is_declared_twice():
    any_entry("a.b")
    with pytest.raises(ValueError, match="declared twice"):
        entry_type("a.b", dict, "Again.")


@pytest.mark.django_db
def test_an_entry_of_an_undeclared_type_is_refused(stream):
    with pytest.raises(RecordRefused):
        record.append(stream, entry=EntryBody("no.such", {}), moment=MOMENT, gaming_day=MOMENT.date())


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["larkfield", "/T-04", "larkfield/", "lark field/T", "a/b/c", "a/b\n", "ä/b"]
)
def test_a_stream_is_named_facility_and_place(name):
    with pytest.raises(RecordRefused):
        record.open_stream(name)


@pytest.mark.django_db
def test_it_refuses_floats(write):
    with pytest.raises(RecordRefused):
        write(data={"cents": 1.5})
    assert not Entry.objects.exists()


@pytest.mark.django_db
def test_a_stale_stream_is_refused(stream):
    stale = Stream(pk=stream.pk, name=stream.name, seq=1, head=stream.head, last_at=MOMENT)
    with pytest.raises(StreamMoved), transaction.atomic():
        record.append(stale, entry=any_entry("a.b"), moment=MOMENT, gaming_day=MOMENT.date())


@pytest.mark.django_db
def test_a_closed_stream_takes_no_entry(write, stream):
    Stream.objects.filter(pk=stream.pk).update(closed_at=MOMENT)
    with pytest.raises(StreamClosed):
        write(stream.name)


@pytest.mark.django_db
def test_time_never_goes_back_on_a_stream(write):
    write(moment=MOMENT)
    write(moment=MOMENT - 2 * SECOND)
    assert set(Entry.objects.values_list("at", flat=True)) == {MOMENT}
    with pytest.raises(ClockRefused):
        write(moment=MOMENT - 2.001 * SECOND)
    write(moment=MOMENT + SECOND)
    assert Entry.objects.count() == 3


@pytest.mark.django_db
def test_the_clock_is_utc_and_can_be_set():
    assert clock.now().utcoffset() == dt.timedelta(0)
    with clock.override(MOMENT):
        assert clock.now() == clock.clock.now() == MOMENT
    assert clock.now() > MOMENT - 400 * dt.timedelta(days=1)


@pytest.mark.django_db
def test_a_gaming_day_begins_at_six():
    assert clock.gaming_day("x", MOMENT.replace(hour=5, minute=59)) == dt.date(2026, 11, 20)
    assert clock.gaming_day("x", MOMENT.replace(hour=6)) == dt.date(2026, 11, 21)


@pytest.mark.django_db
def test_a_command_keeps_its_first_answer(stream):
    content = runner.content_hash({"act": "shake", "params": {}})
    identity = uuid.uuid4()
    assert runner.find_command(identity) is None
    runner.save_command(identity, content=content, stream=stream, seq=3, answer={"n": 1}, moment=MOMENT)
    assert runner.find_command(identity).answer == {"n": 1}
    with pytest.raises(CommandChanged):
        runner.verify_same_command(runner.find_command(identity), bytes(32))


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres  # SQLite ignores row locks
def test_many_threads_make_one_chain_without_gaps():
    """8 threads make the same stream at once, and 20 entries each on it."""

    def work():
        try:
            for _ in range(20):
                with transaction.atomic():
                    stream = record.lock_stream("larkfield/T-04")
                    record.append(
                        stream, entry=any_entry("a.b"), moment=clock.now(), gaming_day=MOMENT.date()
                    )
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    prev, moment = chain.genesis("larkfield/T-04"), MOMENT - dt.timedelta(days=9999)
    entries = list(Entry.objects.order_by("seq"))
    assert [entry.seq for entry in entries] == list(range(1, 161))
    for entry in entries:
        assert bytes(entry.prev) == prev and entry.at >= moment
        prev, moment = chain.entry_hash(prev, bytes(entry.body)), entry.at
    assert bytes(Stream.objects.get().head) == prev


@pytest.mark.parametrize(
    ("wrap", "opening", "closing"),
    [(lambda value: [value], b"[", b"]"), (lambda value: {"a": value}, b'{"a":', b"}")],
    ids=["lists", "objects"],
)
def test_values_may_be_nested_128_deep(wrap, opening, closing):
    def nested(depth):
        value = 1
        for _ in range(depth):
            value = wrap(value)
        return value

    assert chain.canonical(nested(128)) == opening * 128 + b"1" + closing * 128
    for depth in (129, 50_000):
        with pytest.raises(chain.NotCanonical):
            chain.canonical(nested(depth))
