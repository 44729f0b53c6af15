"""A head that comes back: ours and known, ours and unknown, of an incarnation that is over, or not ours."""

import datetime as dt

import pytest
from django.db import connection

from audit import chain, record
from audit.models import Incarnation, Stream
from audit.record import ClaimedHead, HeadStatus, current_incarnation_number

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NAME = "larkfield/T-04"  # of the fixture `stream`: three entries


def shown(stream, incarnation=1):
    return record.parse_head(record.signed_head(stream, incarnation))


@pytest.fixture
def older(stream):
    """The head that a screen showed when the stream had two entries."""
    entry = stream.entries.get(seq=2)
    return shown(Stream(name=stream.name, seq=2, head=entry.hash))


def test_a_screen_shows_number_hash_incarnation_and_a_mac_over_them(stream):
    found = record.signed_head(stream, 3)
    assert (found["seq"], found["head"], found["incarnation"]) == (3, bytes(stream.head).hex(), 3)
    assert len(found["mac"]) == 64
    others = (
        record.signed_head(stream, 4),
        record.signed_head(Stream(name="larkfield/T-05", seq=3, head=stream.head), 3),
        record.signed_head(Stream(name=stream.name, seq=2, head=stream.head), 3),
        record.signed_head(Stream(name=stream.name, seq=3, head=bytes(32)), 3),
    )
    assert len({found["mac"], *(one["mac"] for one in others)}) == 5


def test_the_newest_head_is_known_without_asking(stream, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert record.check_head(stream, 1, shown(stream)) is HeadStatus.KNOWN


def test_an_older_head_is_known_by_one_look(stream, older, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert record.check_head(stream, 1, older) is HeadStatus.KNOWN


def test_the_genesis_is_known_without_asking(stream, django_assert_num_queries):
    genesis = shown(Stream(name=stream.name, seq=0, head=chain.genesis(stream.name)))
    with django_assert_num_queries(0):
        assert record.check_head(stream, 1, genesis) is HeadStatus.KNOWN


@pytest.mark.parametrize("seq", [0, 2, 3, 4, 4_000])
def test_a_head_of_ours_that_the_record_does_not_hold_is_unknown(stream, seq):
    claim = shown(Stream(name=stream.name, seq=seq, head=bytes(range(32))))
    assert record.check_head(stream, 1, claim) is HeadStatus.UNKNOWN


def test_after_a_declared_incarnation_such_a_head_is_only_old(stream, older):
    cut = shown(Stream(name=stream.name, seq=9, head=bytes(range(32))))
    assert record.check_head(stream, 2, cut) is HeadStatus.OLD
    assert record.check_head(stream, 2, older) is HeadStatus.KNOWN


def test_a_head_of_an_incarnation_that_the_record_does_not_know_is_unknown(stream):
    """A backup from before a declaration was restored."""
    claim = shown(Stream(name=stream.name, seq=9, head=bytes(range(32))), 2)
    assert record.check_head(stream, 1, claim) is HeadStatus.UNKNOWN


def test_a_head_whose_mac_is_not_ours_is_forged_whatever_the_record_holds(stream):
    real = shown(stream)
    changed = (
        ClaimedHead(real.seq, real.head, real.incarnation, ""),
        ClaimedHead(real.seq, real.head, real.incarnation, "0" * 64),
        ClaimedHead(real.seq, real.head, real.incarnation, real.mac + "ä"),
        ClaimedHead(real.seq, real.head, 2, real.mac),
        ClaimedHead(real.seq + 1, real.head, real.incarnation, real.mac),
        ClaimedHead(real.seq, "0" * 64, real.incarnation, real.mac),
        shown(Stream(name="larkfield/T-05", seq=stream.seq, head=stream.head)),
    )
    assert {record.check_head(stream, 1, one) for one in changed} == {HeadStatus.FORGED}


def test_a_key_that_was_changed_lately_still_counts(stream, settings):
    claim, key = shown(stream), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-key", [key]
    assert record.check_head(stream, 1, claim) is HeadStatus.KNOWN
    settings.SECRET_KEY_FALLBACKS = []
    assert record.check_head(stream, 1, claim) is HeadStatus.FORGED


def test_no_head_is_no_claim_and_a_head_of_another_shape_is_refused(stream):
    whole = record.signed_head(stream, 1)
    assert record.parse_head(None) is None
    assert record.parse_head({**whole, "mac": None}) == ClaimedHead(3, whole["head"], 1, "")
    for wrong in (
        ["x"],
        "x",
        {},
        {**whole, "seq": -1},
        {**whole, "seq": True},
        {**whole, "seq": "3"},
        {**whole, "seq": 2**53},
        {**whole, "incarnation": 0},
        {**whole, "head": whole["head"].upper()},
        {**whole, "head": "ab"},
        {**whole, "mac": 7},
        {**whole, "mac": "a" * 201},
    ):
        with pytest.raises(ValueError):
            record.parse_head(wrong)


def test_the_incarnation_is_the_last_one_opened_and_the_first_where_there_is_none(db):
    def found():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {record.INCARNATION}")
            return cursor.fetchone()[0]

    assert found() == 1 == current_incarnation_number()
    for number in (1, 2):
        now = dt.datetime.now(dt.UTC)
        Incarnation.objects.create(number=number, origin=f"x/{number}", opened_at=now)
    assert found() == 2 == current_incarnation_number()
