"""One entry of the record: what it says, the bytes that say it, and what proves that it stood there."""

import json
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, register_converter, reverse
from django.urls.converters import StringConverter
from django.views.decorators.http import require_GET

from audit.doors import Denied, device_at
from audit.models import Device, Entry, Person
from audit.record import INSTALLATION
from games.models import Facility, RulesSubmission
from games.office.core.access import may_see_office
from tables.desk.access import desk_of, may_export
from tables.desk.entry_rows import address_of, local, place_of, replay_of
from tables.desk.page import desk
from tables.desk.proof_file import file_of, is_short
from tables.desk.query import LARGEST
from tables.desk.related_entries import related_to
from tables.replay import checks
from tables.words.entries import said_by, type_in_words, words_of
from tables.words.sentences import dollars


class Place(StringConverter):
    """The place of a stream as the record names it; no other text reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"


register_converter(Place, "place")
TAKEN = 100  # of a person's newest entries, those in which a proof may have been taken just now


@require_GET
def entry(request: HttpRequest, facility: str, place: str, seq: int) -> HttpResponse:
    """An entry of this house, by the place that its stream is named after and its number there."""
    person, house = desk_of(request, facility)
    found = _entry(house, place, seq)
    before, after = (
        Entry.objects.filter(stream=found.stream_id, seq=number).first() for number in (seq - 1, seq + 1)
    )
    proof, proof_checks = checks.proven(found)
    of_itself = checks.of_entry(found, before, after)
    data = said_by(found)
    day, time = local(found.at, house)
    context = desk(person, house, "record") | {
        "entry": found,
        "place": place_of(found, house),
        "words": words_of(found.type, data),
        "kind": type_in_words(found.type),
        "moment": (day, time),
        "said": _said(found),
        "people": _people(found),
        "amount": "" if found.cents is None else dollars(found.cents),
        "terms": _terms(request, person, house, found),
        "pretty": _pretty(found),
        "raw": bytes(found.body).decode("utf-8", "replace"),
        "prev": bytes(found.prev).hex(),
        "hash": bytes(found.hash).hex(),
        "checks": of_itself,
        "proof": proof,
        "proof_checks": proof_checks,
        "note": (proof.witnessed or proof.checkpoint).cosigned if proof else "",
        "audit_path": [one.hex() for one in proof.path] if proof else [],
        "holds": all(one.state != checks.BAD for one in (*of_itself, *proof_checks)),
        "may_take": proof is not None and is_short(proof) and may_export(person),
        "take": reverse("desk-act", args=[house.code, "take_proof"]),
        "fetched": address_of(found.stream.name, seq, house) + "proof.jsonl",
        "before_seq": seq - 1,
        "after_seq": seq + 1,
        "ways": [address_of(found.stream.name, one.seq, house) if one else "" for one in (before, after)],
        "replay": replay_of(place_of(found, house), found.round, house),
        "of_round": _of_round(found, place),
        "related": related_to(found, data, house),
    }
    return render(request, "desk/entry.html", context)


@require_GET
def proof(request: HttpRequest, facility: str, place: str, seq: int) -> HttpResponse:
    """The proof of an entry as a file, for the person who just had the record tell that they take it."""
    person, house = desk_of(request, facility)
    found = _entry(house, place, seq)
    proven, _checks = checks.proven(found)
    if proven is None or not may_export(person) or not is_short(proven):
        raise Denied
    content = file_of(proven).content
    if not _was_taken(person, checks.sha256(content)):
        raise Denied
    response = HttpResponse(content, content_type="application/jsonl")
    name = f"{found.stream.name.replace('/', '-')}-{seq}.proof.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _entry(house: Facility, place: str, seq: int) -> Entry:
    name = INSTALLATION if place == INSTALLATION else f"{house.code}/{place}"
    if not 0 < seq <= LARGEST:
        raise Denied
    found = Entry.objects.filter(stream__name=name, seq=seq).select_related("stream").first()
    if found is None:
        raise Denied
    return found


def _was_taken(person: Person, sha256: str) -> bool:
    """Whether the record tells that this person took these bytes, among what they did last."""
    own = Entry.objects.filter(actor=person.code).exclude(actor="").order_by("-at")[:TAKEN]
    taken = (one for one in own if one.type == "proof.taken")
    return any(said_by(one).get("sha256") == sha256 for one in taken)


def _said(found: Entry) -> dict[str, Any]:
    """What the body says beside its data: device, command, build; empty where it cannot be read."""
    try:
        body = json.loads(bytes(found.body))
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _pretty(found: Entry) -> str:
    """The body with a line for each thing that it says."""
    try:
        return json.dumps(json.loads(bytes(found.body)), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return bytes(found.body).decode("utf-8", "replace")


def _people(found: Entry) -> dict[str, Any]:
    """Who acted, who signed besides, and at which device: rows where they are still known, else what the entry says."""
    people = {one.code: one for one in Person.objects.filter(code__in={found.actor, found.witness} - {""})}
    key = _said(found).get("device") or ""
    return {
        "actor": people.get(found.actor),
        "witness": people.get(found.witness),
        "device": Device.objects.filter(pk=uuid.UUID(key)).first() if _is_uuid(key) else None,
    }


def _is_uuid(text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(uuid.UUID(text))
    except ValueError:
        return False


def _terms(request: HttpRequest, person: Person, house: Facility, found: Entry) -> dict[str, Any] | None:
    """The terms that the entry was made under, the submission that filed them, and its page for those who see it."""
    sha256 = _said(found).get("terms")
    if not isinstance(sha256, str):
        return None
    filed = RulesSubmission.objects.filter(facility=house, terms_sha256=sha256).order_by("-version").first()
    url = ""
    if filed is not None and may_see_office(person, device_at(request)):
        url = reverse("submission", args=[house.code, filed.code, filed.version])
    return {"sha256": sha256, "filed": filed, "url": url}


def _of_round(found: Entry, place: str) -> str:
    """The query string that finds every entry of the same round; empty where it belongs to none."""
    if found.round is None:
        return ""
    sort = "" if found.stream.real_play else "&training=1"
    return f"?place={place}&round={found.round}{sort}"


def installation_entry(request: HttpRequest, facility: str, seq: int) -> HttpResponse:
    """An entry of what belongs to no house: keys, incarnations, verifications."""
    return entry(request, facility, INSTALLATION, seq)


def installation_proof(request: HttpRequest, facility: str, seq: int) -> HttpResponse:
    """The proof of such an entry."""
    return proof(request, facility, INSTALLATION, seq)


OF_HOUSE = "record/<slug:facility>/entries/<place:place>/<int:seq>/"
OF_INSTALLATION = "record/<slug:facility>/entries/installation/system/<int:seq>/"
urlpatterns = [
    path(OF_INSTALLATION, installation_entry, name="record-entry-of-installation"),
    path(OF_INSTALLATION + "proof.jsonl", installation_proof, name="record-proof-of-installation"),
    path(OF_HOUSE, entry, name="record-entry"),
    path(OF_HOUSE + "proof.jsonl", proof, name="record-proof"),
]
