"""The order in which systems outside read the entries of a facility: each once, and none is passed over."""

import json
import threading

import pytest
from django.db import connection, transaction

from audit import chain, clock, event_log, record
from audit.event_log import (
    HORIZON,
    MalformedPosition,
    PositionGone,
    entries_between,
    entries_of,
    read_position,
    streams_of,
)
from audit.models import Stream
from tests.services.entries import any_entry

from .conftest import MOMENT


def write(name, type_="round.opened"):
    with transaction.atomic(), clock.override(lambda: MOMENT):
        stream = record.lock_stream(name)
        return record.append(stream, entry=any_entry(type_), moment=MOMENT, gaming_day=MOMENT.date())


def read(after=0, limit=100, **others):
    return entries_between(streams_of("larkfield"), after, HORIZON.read(1), limit, **others)


def places(entries):
    return [f"{entry.stream.name.partition('/')[2]} {entry.seq}" for entry in entries]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_reader_pages_through_all_streams_of_its_facility_and_of_no_other(db):
    for name in ("larkfield/T-04", "larkfield/staff", "seabright/T-04", "larkfield/T-04"):
        write(name)
    record.open_stream("larkfield/X-01", real_play=False)
    write("larkfield/X-01")
    first = read(limit=2)
    after = read_position(first[-1].position, streams_of("larkfield"))
    assert places([*first, *read(after)]) == ["T-04 1", "staff 1", "T-04 2"]
    newest = event_log.position_at(streams_of("larkfield"), HORIZON.read())
    assert read(read_position(newest, streams_of("larkfield"))) == []
    assert event_log.position_at([], HORIZON.read()) == "0"


@pytest.mark.django_db
@pytest.mark.both_databases
def test_types_are_named_or_begin_with_what_is_named(db):
    for type_ in ("round.opened", "round.settled", "alert.ended"):
        write("larkfield/T-04", type_)
    stream = Stream.objects.get(name="larkfield/T-04")
    assert [entry.type for entry in read(types=["round."])] == ["round.opened", "round.settled"]
    assert [entry.seq for entry in entries_of(stream, 1, 5, ["alert.ended", "round.settled"])] == [2, 3]
    assert event_log.is_of_types("round.settled", ["round."]) and not event_log.is_of_types(
        "roundabout", ["round."]
    )


@pytest.mark.django_db
@pytest.mark.both_databases
def test_an_entry_has_the_bytes_that_were_hashed(db):
    write("larkfield/T-04")
    write("larkfield/T-04")
    first, second = (json.loads(entry.as_json()) for entry in read())
    digest = chain.entry_hash(bytes.fromhex(second["prev"]), second["body"].encode())
    assert digest.hex() == second["hash"] and second["prev"] == first["hash"]
    assert second["entry"] == json.loads(second["body"]) and second["entry"]["seq"] == second["number"] == 2


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_position_that_the_record_does_not_have_is_refused(db):
    write("larkfield/T-04")
    write("seabright/T-04")
    [entry] = read()
    other = entries_between(streams_of("seabright"), 0, HORIZON.read(), 1)[0]
    for text in (
        f"{entry.id}.00000000",
        f"{entry.id + 10}.{entry.hash.hex()[:8]}",
        other.position,
    ):
        with pytest.raises(PositionGone):
            read_position(text, streams_of("larkfield"))
    for text in ("-1", "", "x", "3", "3.zzzzzzzz", "03.00000000", f"{entry.position}0"):
        with pytest.raises(MalformedPosition):
            read_position(text, streams_of("larkfield"))
    assert event_log.position_before(entry.stream, 1) < entry.id
    with pytest.raises(PositionGone):
        event_log.position_before(entry.stream, 2)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_commits_later_with_a_smaller_id_is_not_passed_over():
    """A slow act takes its id first and commits last."""
    write("larkfield/T-01")
    has_id, may_commit = threading.Event(), threading.Event()

    def act_slowly():
        with transaction.atomic():
            write("larkfield/T-02")
            has_id.set()
            may_commit.wait(10)
        connection.close()

    slow = threading.Thread(target=act_slowly)
    slow.start()
    has_id.wait(10)
    write("larkfield/T-03")
    horizon = event_log.Horizon()
    before = entries_between(streams_of("larkfield"), 0, horizon.read(), 10)
    may_commit.set()
    slow.join(10)
    after = entries_between(streams_of("larkfield"), before[-1].id if before else 0, horizon.read(1), 10)
    assert "T-03 1" not in places(before)
    assert places([*before, *after]) == ["T-01 1", "T-02 1", "T-03 1"]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_writes_no_entry_delays_nobody():
    """Such as a backup, another database of the cluster, or somebody's long query."""
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()")
        write("larkfield/T-01")
        assert places(entries_between(streams_of("larkfield"), 0, event_log.Horizon().read(), 10)) == [
            "T-01 1"
        ]
    finally:
        other.close()
