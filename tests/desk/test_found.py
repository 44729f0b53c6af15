"""What a search of the record found, taken as CSV: what the file has, who gets it, and what the record says."""

import csv
import datetime as dt
import hashlib
import io
import json

import pytest

from audit.models import Entry
from games.engine import Refusal
from tables.desk import search_page
from tests.desk.test_exports import ask
from tests.desk.test_search import played

__all__ = ["played"]  # a fixture
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/record/larkfield/found/"


def take(scene, query: str, by: str = "compliance") -> tuple[str, str]:
    """The SHA-256 that the act answers, and the text of the file that the same person then gets."""
    digest = ask(scene, "take_search", by=by, query=query).body["sha256"]
    answer = scene.browser("podium", by).get(f"{PAGE}{digest}.csv")
    assert answer.status_code == 200 and hashlib.sha256(answer.content).hexdigest() == digest
    return digest, answer.content.decode("utf-8-sig")


def test_the_file_has_a_line_for_each_entry_that_was_found_newest_first(played, hands):
    hands.now += dt.timedelta(minutes=5)
    digest, text = take(played, "type=losers.taken+winners.paid")
    lines = list(csv.DictReader(io.StringIO(text)))
    entries = list(Entry.objects.filter(type__in=("losers.taken", "winners.paid")).order_by("-at", "-pk"))
    assert [(line["act"], int(line["entry"]), line["hash"]) for line in lines] == [
        (entry.type, entry.seq, bytes(entry.hash).hex()) for entry in entries
    ]
    assert {(line["place"], line["person"]) for line in lines} == {("T-01", "Dealer")}
    assert "70.00" in {line["largest amount"] for line in lines}
    taken = Entry.objects.get(type="search.taken")
    assert (taken.actor, json.loads(bytes(taken.body))["data"]) == (
        "compliance",
        {
            "query": "type=losers.taken+winners.paid",
            "entries": len(lines),
            "bytes": len(text.encode("utf-8-sig")),
            "sha256": digest,
        },
    )


def test_the_file_goes_to_who_took_it_and_to_nobody_else(played):
    digest, _ = take(played, "type=losers.taken")
    assert played.browser("podium", "gaming-agent").get(f"{PAGE}{digest}.csv").status_code == 403
    assert played.browser("podium", "surveillance").get(f"{PAGE}{digest}.csv").status_code == 403
    assert played.browser("podium", "compliance").get(f"{PAGE}{'0' * 64}.csv").status_code == 403


def test_what_is_recorded_later_is_not_in_the_file(played):
    digest, text = take(played, "place=T-01")
    played.act("call_floor", {})
    answer = played.browser("podium", "compliance").get(f"{PAGE}{digest}.csv")
    assert answer.status_code == 200 and answer.content.decode("utf-8-sig") == text


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("type=no", "filter-not-understood"),
        ("day=2001-01-01", "found-nothing"),
        ("place=T-01", "found-too-much"),
    ],
)
def test_a_search_that_no_file_can_have_is_refused(played, monkeypatch, query, code):
    monkeypatch.setattr(search_page, "MOST_FOUND", 3)
    with pytest.raises(Refusal) as refused:
        ask(played, "take_search", query=query)
    assert refused.value.code == code
    assert not Entry.objects.filter(type="search.taken").exists()
