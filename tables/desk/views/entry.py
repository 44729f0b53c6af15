"""One entry of the record: what it says, its bytes, and its proof."""

import json
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, register_converter, reverse
from django.urls.converters import StringConverter
from django.views.decorators.http import require_GET

from audit.access import Denied, enrolled_device
from audit.models import Device, Entry, Person
from audit.record import INSTALLATION
from games.models import Facility, RulesSubmission
from games.office.core.runner import may_see_office
from tables.desk.access import authorize_desk, may_export
from tables.desk.entry_rows import entry_url, entry_words, local_date_and_time, place_of, replay_url
from tables.desk.entry_types import PROOF_TAKEN
from tables.desk.page import desk_context
from tables.desk.proof_file import is_short, proof_file
from tables.desk.query import MAX_NUMBER
from tables.desk.related_entries import related_entries
from tables.replay import evidence
from tables.words.entries import data_of, type_in_words
from tables.words.sentences import dollars


class Place(StringConverter):
    """The place of a stream as the record names it. No other text reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"


register_converter(Place, "place")
RECENT_ENTRIES = 100  # a person's newest entries, in which a proof may just have been taken


@require_GET
def entry(request: HttpRequest, facility_code: str, place: str, seq: int) -> HttpResponse:
    """Show an entry of this facility, by its stream's place and its number."""
    person, facility = authorize_desk(request, facility_code)
    entry_ = _entry(facility, place, seq)
    previous, following = (
        Entry.objects.filter(stream=entry_.stream_id, seq=number).first() for number in (seq - 1, seq + 1)
    )
    proof, proof_checks = evidence.prove_entry(entry_, facility.code)
    entry_checks = evidence.check_entry(entry_, previous, following)
    data = data_of(entry_)
    day, time = local_date_and_time(entry_.at, facility)
    context = desk_context(person, facility, "record") | {
        "entry": entry_,
        "place": place_of(entry_, facility),
        "words": entry_words(entry_, facility),
        "kind": type_in_words(entry_.type),
        "moment": (day, time),
        "body": _body(entry_),
        "people": _people(entry_),
        "amount": "" if entry_.cents is None else dollars(entry_.cents),
        "terms": _terms(request, person, facility, entry_),
        "pretty": _pretty(entry_),
        "raw": bytes(entry_.body).decode("utf-8", "replace"),
        "prev": bytes(entry_.prev).hex(),
        "hash": bytes(entry_.hash).hex(),
        "checks": entry_checks,
        "proof": proof,
        "proof_checks": proof_checks,
        "note": (proof.witnessed or proof.checkpoint).cosigned if proof else "",
        "audit_path": [digest.hex() for digest in proof.path] if proof else [],
        "holds": all(check.state != evidence.BAD for check in (*entry_checks, *proof_checks)),
        "may_take": proof is not None and is_short(proof) and may_export(person),
        "take_url": reverse("desk-act", args=[facility.code, "take_proof"]),
        "proof_url": entry_url(entry_.stream.name, seq, facility) + "proof.jsonl",
        "before_seq": seq - 1,
        "after_seq": seq + 1,
        "neighbor_urls": [
            entry_url(entry_.stream.name, neighbor.seq, facility) if neighbor else ""
            for neighbor in (previous, following)
        ],
        "replay_url": replay_url(place_of(entry_, facility), entry_.round, facility),
        "round_query": _round_query(entry_, place),
        "related": related_entries(entry_, data, facility),
    }
    return render(request, "desk/entry.html", context)


@require_GET
def proof(request: HttpRequest, facility_code: str, place: str, seq: int) -> HttpResponse:
    """Serve the proof of an entry as a file, to the person who has just recorded that they take it."""
    person, facility = authorize_desk(request, facility_code)
    entry_ = _entry(facility, place, seq)
    proven, _checks = evidence.prove_entry(entry_, facility.code)
    if proven is None or not may_export(person) or not is_short(proven):
        raise Denied
    content = proof_file(proven).content
    if not _was_taken(person, evidence.sha256(content)):
        raise Denied
    response = HttpResponse(content, content_type="application/jsonl")
    name = f"{entry_.stream.name.replace('/', '-')}-{seq}.proof.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _entry(facility: Facility, place: str, seq: int) -> Entry:
    name = INSTALLATION if place == INSTALLATION else f"{facility.code}/{place}"
    if not 0 < seq <= MAX_NUMBER:
        raise Denied
    entry_ = Entry.objects.filter(stream__name=name, seq=seq).select_related("stream").first()
    if entry_ is None:
        raise Denied
    return entry_


def _was_taken(person: Person, sha256: str) -> bool:
    """Whether the person's newest entries record that they took these bytes."""
    newest_entries = (
        Entry.objects.filter(actor=person.code).exclude(actor="").order_by("-at")[:RECENT_ENTRIES]
    )
    proofs_taken = (entry_ for entry_ in newest_entries if entry_.type == PROOF_TAKEN.name)
    return any(data_of(entry_).get("sha256") == sha256 for entry_ in proofs_taken)


def _body(entry_: Entry) -> dict[str, Any]:
    """The whole body, for its device, command and build; empty where it cannot be read."""
    try:
        body = json.loads(bytes(entry_.body))
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _pretty(entry_: Entry) -> str:
    """The body, one value on each line."""
    try:
        return json.dumps(json.loads(bytes(entry_.body)), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return bytes(entry_.body).decode("utf-8", "replace")


def _people(entry_: Entry) -> dict[str, Any]:
    """The actor, the second signer and the device: their rows where they still exist."""
    people = {
        person.code: person
        for person in Person.objects.filter(code__in={entry_.actor, entry_.witness} - {""})
    }
    key = _body(entry_).get("device") or ""
    return {
        "actor": people.get(entry_.actor),
        "witness": people.get(entry_.witness),
        "device": Device.objects.filter(pk=uuid.UUID(key)).first() if _is_uuid(key) else None,
    }


def _is_uuid(text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(uuid.UUID(text))
    except ValueError:
        return False


def _terms(request: HttpRequest, person: Person, facility: Facility, entry_: Entry) -> dict[str, Any] | None:
    """The terms of the entry, the submission that filed them, and its page for those who may see it."""
    sha256 = _body(entry_).get("terms")
    if not isinstance(sha256, str):
        return None
    submission = (
        RulesSubmission.objects.filter(facility=facility, terms_sha256=sha256).order_by("-version").first()
    )
    url = ""
    if submission is not None and may_see_office(person, enrolled_device(request)):
        url = reverse("submission", args=[facility.code, submission.code, submission.version])
    return {"sha256": sha256, "filed": submission, "url": url}


def _round_query(entry_: Entry, place: str) -> str:
    """The query string that finds every entry of the same round; "" where there is no round."""
    if entry_.round is None:
        return ""
    sort = "" if entry_.stream.real_play else "&training=1"
    return f"?place={place}&round={entry_.round}{sort}"


def installation_entry(request: HttpRequest, facility_code: str, seq: int) -> HttpResponse:
    """Show an entry that belongs to no facility: keys, incarnations, verifications."""
    return entry(request, facility_code, INSTALLATION, seq)


def installation_proof(request: HttpRequest, facility_code: str, seq: int) -> HttpResponse:
    """Serve the proof of such an entry."""
    return proof(request, facility_code, INSTALLATION, seq)


OF_HOUSE = "record/<slug:facility_code>/entries/<place:place>/<int:seq>/"
OF_INSTALLATION = "record/<slug:facility_code>/entries/installation/system/<int:seq>/"
urlpatterns = [
    path(OF_INSTALLATION, installation_entry, name="record-entry-of-installation"),
    path(OF_INSTALLATION + "proof.jsonl", installation_proof, name="record-proof-of-installation"),
    path(OF_HOUSE, entry, name="record-entry"),
    path(OF_HOUSE + "proof.jsonl", proof, name="record-proof"),
]
