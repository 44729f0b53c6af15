"""The search by a sum: whatever an entry tells in cents, at any depth."""

import pytest

from tables.desk import search
from tests.desk.test_search import asked, played, told, write

__all__ = ["played"]
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_any_amount_in_an_entry_is_found_and_not_only_the_largest(played):
    """The auditor's question: where was $250 paid at T-01?"""
    stream = played.table.stream
    wagers = [
        {"cents": 12_500, "paid_cents": 25_000, "seat": 3},
        {"cents": 90_000, "paid_cents": 0, "seat": 4},
    ]
    write(
        stream, "round.settled", {"paid_cents": 40_000, "round": 9, "settled": wagers, "taken_cents": 90_000}
    )
    settled = ("T-01", played.version)
    assert told(played, "place=T-01&type=round.settled&least=250&most=250") == [settled]
    assert told(played, "place=T-01&type=round.settled&least=250.01&most=399.99") == []
    assert (
        told(played, "least=900&most=900&round=9") == told(played, "least=125&most=125&round=9") == [settled]
    )
    write(
        stream,
        "slip.filed",
        {"due": [{"cents": -777_77, "seat": 1}], "reason": 'no "cents\\":66600, he said'},
    )
    slip = ("T-01", played.version)
    assert told(played, "least=777.77&most=777.77") == [slip]  # what a player owes
    assert told(played, "least=666&most=666") == []  # a text is no sum
    assert told(played, "least=0&most=0&round=9") == [settled]


def test_the_page_explains_what_an_amount_matches(played):
    client = played.browser("podium", "compliance")
    plain, asking = (
        client.get(f"/record/larkfield/{query}").content.decode() for query in ("", "?least=30&most=30")
    )
    assert "Amount from, $" in plain and "Any amount in an entry counts" not in plain
    assert "Any amount in an entry counts" in asking and ">Amount from</span> $30" in asking


def test_amounts_are_searched_page_by_page_like_everything_else(played, monkeypatch):
    for number in range(1, 31):
        write(played.table.stream, "bets.closed", {"round": number, "wagered_cents": 5_000_000 + number % 3})
    monkeypatch.setattr(search, "BATCH_SIZE", 4)
    asking = asked(played, "least=50000.01&most=50000.01")
    found, seen = search.search_record(asking, 4), []
    while True:
        seen += [one.round for one in found.entries]
        if not found.next_key:
            break
        found = search.search_record(asked(played, f"{asking.query}&before={found.next_key}"), 4)
    assert seen == list(range(28, 0, -3))
    monkeypatch.setattr(search, "MAX_CANDIDATES", 10)
    few = search.search_record(asking, 10)
    assert [one.round for one in few.entries] == [28, 25, 22] and few.next_key and few.scanned_to
