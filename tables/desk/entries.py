"""Entries of the record, to be read: as rows of a list, and each on its own page with its bytes and its proof.

1. Every list of the desk, of cases and of integrity draws an entry as a row (`entry_rows`): time, place, act in words,
   people, amount. The words of an entry about rules say which odds it changed to which (`rules_change`).
2. The page of one entry (`entry`) says what it states, how it is checked and sealed, and which entries are related to
   it (`related_entries`): what it corrects, what corrects it, and entries of other streams that it names.
3. Whoever may export takes its proof out of the casino (`take_proof`), a copy like any other: the record says who took
   which bytes. The page makes the same bytes again and serves them (`proof`). A verifier needs nothing else: the file
   is that of audit/FORMAT.md, "The proof of one entry".

An entry that cannot be read never breaks a page: its checks say so.
"""

import datetime as dt
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, path, reverse
from django.views.decorators.http import require_GET

from audit import chain, export, notes
from audit.days import day_in_words
from audit.entry_types import entry_type
from audit.identity import Denied, enrolled_device
from audit.models import Checkpoint, Device, Entry, Person
from audit.record import INSTALLATION
from audit.sealing.log import NotProven, Proof, proof_of
from games.access import opened_by
from games.act_forms import text, whole
from games.engine import Refusal, RefusalCode, Rules
from games.kit.files import file_response
from games.models import Facility, RulesSubmission
from games.office.core import may_see_office
from games.office.odds import row_label
from games.office.submissions.compare import edition_title
from games.office.submissions.filing import RULES_CHANGED, RULES_DRAFTED, RULES_FILED
from games.office.submissions.gate import RULES_APPROVED
from games.registry import game_of
from games.submissions import Options, rules_of
from tables.core.entries import MISSHAPEN
from tables.desk.desk import (
    DESK,
    EXPORTING,
    ActOutcome,
    DeskContext,
    desk_act,
    desk_context,
    may_export,
    own_recent_entry,
)
from tables.desk.query import MAX_NUMBER
from tables.models import Slip
from tables.replay import evidence
from tables.words.entries import data_of, names_of, type_in_words, words_of
from tables.words.sentences import dollars

NO_SUCH_ENTRY = RefusalCode("no-such-entry", "There is no entry %(seq)s at %(place)s. Check the number.")
NOT_SEALED_YET = RefusalCode(
    "not-sealed-yet",
    "Entry %(seq)s is not sealed yet. Seals are written every second: try again in a moment.",
)
PROOF_TOO_LONG = RefusalCode(
    "proof-too-long",
    "More than %(most)s entries are between this one and its seal. Request an evidence bundle instead.",
)
PROOF_BROKEN = RefusalCode("proof-broken", "The log lacks what proves this entry. See the integrity page.")
MAX_PLACE = 60
MAX_LINES = 20_000  # entries up to the sealed head; a longer chain needs an evidence bundle
BATCH = 500
RULES_DRAFTS = (RULES_DRAFTED.name, RULES_CHANGED.name)
RULES_TYPES = (*RULES_DRAFTS, RULES_FILED.name, RULES_APPROVED.name)
MAX_CHANGES = 6  # that a row names
MAX_DRAFTS = 200  # entries of drafts that are read for the one before


# Rows of a list


@dataclass(frozen=True)
class EntryRow:
    """One entry of a list. `day` and `time` are local; `people` are the names of the actor and the second signer.

    `share` is its amount in hundredths of the largest in the list, 0 where there is nothing to compare.
    """

    entry: Entry
    day: str
    time: str
    place: str
    words: str
    people: tuple[str, ...]
    amount: str
    url: str
    share: int = 0

    @property
    def share_from(self) -> int:
        """Where a bar begins that ends at 100."""
        return 100 - self.share

    @property
    def short_hash(self) -> str:
        return bytes(self.entry.hash).hex()[:8]


def entry_rows(entries: Iterable[Entry], facility: Facility) -> list[EntryRow]:
    """Return rows for these entries. Their streams must be selected with them."""
    entries = list(entries)
    names = names_of({code for entry in entries for code in (entry.actor, entry.witness) if code})
    sums = [entry.cents for entry in entries if entry.cents]
    largest = max(sums) if len(sums) > 1 else 0
    return [
        EntryRow(
            entry,
            *local_date_and_time(entry.at, facility),
            place_of(entry, facility),
            entry_words(entry, facility),
            tuple(names.get(code, code) for code in (entry.actor, entry.witness) if code),
            "" if entry.cents is None else dollars(entry.cents),
            entry_url(entry.stream.name, entry.seq, facility),
            max(1, 100 * entry.cents // largest) if largest and entry.cents else 0,
        )
        for entry in entries
    ]


def entry_words(entry: Entry, facility: Facility) -> str:
    """An entry as a sentence; one about rules says what it changed."""
    data = data_of(entry)
    words, change = words_of(entry.type, data), rules_change(entry, data, facility)
    return f"{words}. {change[0].upper()}{change[1:]}" if change else words


@dataclass(frozen=True)
class RoundGroup:
    """Rows of a list that belong to one round, under its name and page; both empty for rows of no round."""

    label: str
    url: str
    rows: list[EntryRow]


def grouped_by_round(rows: Iterable[EntryRow], facility: Facility) -> list[RoundGroup]:
    """Return the rows by round: each round where its newest entry is, rows of no round between them."""
    groups: list[RoundGroup] = []
    by_round: dict[tuple[int, int], RoundGroup] = {}
    for row in rows:
        entry = row.entry
        if entry.round is None:
            if not groups or groups[-1].label:
                groups.append(RoundGroup("", "", []))
            groups[-1].rows.append(row)
            continue
        key = (entry.stream_id, entry.round)
        if key not in by_round:
            label = f"Round {entry.round} at {row.place}"
            by_round[key] = RoundGroup(label, replay_url(row.place, entry.round, facility), [])
            groups.append(by_round[key])
        by_round[key].rows.append(row)
    return groups


def local_date_and_time(moment: dt.datetime, facility: Facility) -> tuple[str, str]:
    """A moment in local time: `Fri 20 Nov 2026` and `21:17:31`."""
    local = facility.local(moment)
    return f"{local:%a} {day_in_words(local)}", f"{local:%H:%M:%S}"


def place_of(entry: Entry, facility: Facility) -> str:
    """The place of an entry, as a search names it."""
    name = entry.stream.name
    return name if name == INSTALLATION else name.removeprefix(f"{facility.code}/")


def entry_url(stream: str, seq: int, facility: Facility) -> str:
    """The page of an entry, by its stream and number."""
    if stream == INSTALLATION:
        return reverse("record-entry-of-installation", args=[facility.code, seq])
    return reverse("record-entry", args=[facility.code, stream.partition("/")[2], seq])


def replay_url(place: str, round_: int | None, facility: Facility) -> str:
    """The page that replays a round; "" where there is none."""
    if round_ is None or place == INSTALLATION:
        return ""
    try:
        return reverse("replay", args=[facility.code, place, round_])
    except NoReverseMatch:
        return ""


# What an entry about rules changed


def rules_change(entry: Entry, data: dict[str, Any], facility: Facility) -> str:
    """`Total 10: 7 to 1, before 6 to 1; …`: what an entry changes against the version, or the draft, before it.

    Empty for entries of other types, for a first version, and where the data has another shape.
    """
    if entry.type not in RULES_TYPES:
        return ""
    try:
        new, old = _rules(data), _rules_before(entry, data, facility)
    except (*MISSHAPEN, Refusal):
        return ""
    if new is None or old is None:
        return ""
    parts = list(_changes(old, new))
    if not parts:
        return "no odds changed"
    more = f"; and {len(parts) - MAX_CHANGES} more" if len(parts) > MAX_CHANGES else ""
    return "; ".join(parts[:MAX_CHANGES]) + more


def _rules(data: dict[str, Any]) -> Rules | None:
    if "terms" in data:
        return Rules.from_terms(data["terms"])
    return Options(data["edition"], **data["options"]).rules_if_any()


def _rules_before(entry: Entry, data: dict[str, Any], facility: Facility) -> Rules | None:
    """The rules of the draft before a changed draft; otherwise those of the version before."""
    if entry.type == RULES_CHANGED.name:
        drafts = Entry.objects.filter(stream=entry.stream_id, type__in=RULES_DRAFTS, seq__lt=entry.seq)
        for draft in drafts.order_by("-seq")[:MAX_DRAFTS]:
            before = data_of(draft)
            if (before.get("code"), before.get("version")) == (data["code"], data["version"]):
                return _rules(before)
    versions = RulesSubmission.objects.filter(facility=facility, code=data["code"])
    row = versions.filter(version__lt=data["version"]).order_by("-version").first()
    return rules_of(row) if row else None


def _changes(old: Rules, new: Rules) -> Iterator[str]:
    """Each change in words, the odds in the order of the paytable."""
    if old.key != new.key:
        yield f"{edition_title(new)}, before {edition_title(old)}"
    types = {type_.code: type_ for rules in (old, new) for type_ in game_of(rules).wager_types(rules)}
    for row in dict.fromkeys([*new.payouts, *old.payouts]):
        before, after = (rules.payouts[row].odds if row in rules.payouts else None for rules in (old, new))
        if before != after:
            yield f"{row_label(row, types.values())}: {after or 'not dealt'}, before {before or 'not dealt'}"
    if old.payout_limit_cents != new.payout_limit_cents:
        limits = [rules.payout_limit_cents for rules in (new, old)]
        new_limit, old_limit = ("none" if cents is None else dollars(cents) for cents in limits)
        yield f"payout limit: {new_limit}, before {old_limit}"
    if old.odds_word != new.odds_word:
        yield f"odds stated with “{new.odds_word}”, before “{old.odds_word}”"
    if old.increments != new.increments:
        yield "other increments of stakes"
    if old.shakers != new.shakers:
        yield "other shakers or procedures"


# Related entries


@dataclass(frozen=True)
class RelatedEntry:
    """A related entry, and how it is related."""

    text: str
    place: str
    seq: int
    url: str
    detail: str = ""


def related_entries(entry: Entry, data: dict[str, Any], facility: Facility) -> list[RelatedEntry]:
    """Return what this entry corrects and what corrects it, in order of their numbers."""
    place = entry.stream.name.partition("/")[2]
    related = [*_named_entries(entry, data, facility), *_slip_entries(entry, facility)]
    unique = {
        (related_.place, related_.seq, related_.text): related_
        for related_ in related
        if (related_.place, related_.seq) != (place, entry.seq)
    }
    return sorted(unique.values(), key=lambda related_: related_.seq)


def _named_entries(entry: Entry, data: dict[str, Any], facility: Facility) -> list[RelatedEntry]:
    """The entries that its own data names: `corrects` of a slip, or `stream` and `entry` of an act elsewhere."""
    corrects, stream, seq = data.get("corrects"), data.get("stream"), data.get("entry")
    related = []
    if isinstance(corrects, dict) and type(corrects.get("seq")) is int:
        related.append(_related_entry("Corrects", entry.stream.name, corrects["seq"], facility))
    if isinstance(stream, str) and type(seq) is int and stream.startswith(f"{facility.code}/"):
        related.append(_related_entry("Shows what was done in", stream, seq, facility))
    return related


def _slip_entries(entry: Entry, facility: Facility) -> list[RelatedEntry]:
    """The entries of slips of this table that name the entry, or that it belongs to."""
    slips = Slip.objects.filter(table__stream=entry.stream_id).select_related("filed_by", "filed_with")
    name = entry.stream.name
    related = []
    for slip in slips.filter(corrects_seq=entry.seq):
        day, time = local_date_and_time(slip.filed_at, facility)
        detail = f"{slip.code}, {day}, {time}: {slip.reason}"
        related.append(_related_entry("Corrected by", name, slip.filed_seq, facility, detail))
    for slip in slips.filter(filed_seq=entry.seq):
        related.append(_related_entry("Corrects", name, slip.corrects_seq, facility, slip.reason))
        if slip.settled_seq:
            related.append(_related_entry("Its money moved by", name, slip.settled_seq, facility))
        if slip.reviewed_seq:
            related.append(
                _related_entry("Reviewed by", name, slip.reviewed_seq, facility, slip.review_reason)
            )
    related += [
        _related_entry("Moves the money of", name, slip.filed_seq, facility, f"{slip.code}: {slip.reason}")
        for slip in slips.filter(settled_seq=entry.seq)
    ]
    related += [
        _related_entry("Reviews", name, slip.filed_seq, facility, f"{slip.code}: {slip.reason}")
        for slip in slips.filter(reviewed_seq=entry.seq)
    ]
    return related


def _related_entry(text: str, stream: str, seq: int, facility: Facility, detail: str = "") -> RelatedEntry:
    """Link a related entry. An altered body may name an address that does not exist; then there is no link."""
    try:
        url = entry_url(stream, seq, facility)
    except NoReverseMatch:
        url = ""
    return RelatedEntry(text, stream.partition("/")[2], seq, url, detail)


# Its page


@require_GET
@opened_by(DESK)
def entry(request: HttpRequest, person: Person, facility: Facility, place: str, seq: int) -> HttpResponse:
    """Show an entry of this facility, by its stream's place and its number."""
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


def _entry(facility: Facility, place: str, seq: int) -> Entry:
    name = INSTALLATION if place == INSTALLATION else f"{facility.code}/{place}"
    if not 0 < seq <= MAX_NUMBER:
        raise Denied
    entry_ = Entry.objects.filter(stream__name=name, seq=seq).select_related("stream").first()
    if entry_ is None:
        raise Denied
    return entry_


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


# Its proof


@entry_type("proof.taken")
def PROOF_TAKEN(
    *,
    bytes: Annotated[int, "size of the file"],
    first: Annotated[int, "number of the first entry in the file"],
    last: Annotated[int, "number of the last entry in the file"],
    sha256: Annotated[str, "SHA-256 of the file, in hex"],
    stream: str,
) -> str:
    """A person downloaded the proof of one entry."""
    return f"Proof of {stream}, entry {first}, taken"


@desk_act(step_up="always")
def take_proof(
    ctx: DeskContext, *, place: Annotated[str, text(MAX_PLACE)], seq: Annotated[int, whole(1, MAX_NUMBER)]
) -> ActOutcome:
    """Make the proof of one entry for download, and record its range and the SHA-256 of its bytes.

    `place` (or `installation/system`) and `seq` name the entry. Raises `no-such-entry`, `not-sealed-yet`,
    `proof-too-long` or `proof-broken`.
    """
    name = place if place == INSTALLATION else f"{ctx.facility.code}/{place}"
    entry = Entry.objects.filter(stream__name=name, seq=seq).select_related("stream").first()
    if entry is None:
        raise Refusal(NO_SUCH_ENTRY, seq=seq, place=place)
    try:
        proof = proof_of(entry, ctx.facility.code)
    except NotProven:
        raise Refusal(PROOF_BROKEN) from None
    if proof is None:
        raise Refusal(NOT_SEALED_YET, seq=seq)
    if not is_short(proof):
        raise Refusal(PROOF_TOO_LONG, most=MAX_LINES)
    content = proof_file(proof)
    digest = evidence.sha256(content)  # fmt: skip
    return ActOutcome(
        PROOF_TAKEN(stream=name, first=seq, last=proof.head_seq, bytes=len(content), sha256=digest),
        {"sha256": digest},
    )


def is_short(proof: Proof) -> bool:
    """Whether the proof fits in a file of its own."""
    return proof.links < MAX_LINES


def proof_file(proof: Proof) -> bytes:
    """Write the proof as lines, by the cosigned checkpoint if there is one, else by the smallest with the seal.

    The lines are the entries from `proof.entry` to the sealed head, `proof.head_seq`.
    """
    checkpoint, path = _checkpoint_of(proof)
    first = {
        "_format": 1,
        "_type": "proof",
        "checkpoint": checkpoint.cosigned,
        "path": [digest.hex() for digest in path],
        "seal": bytes(proof.seal.body).decode(),
    }
    return b"".join([chain.canonical(first) + b"\n", *_lines(proof)])


def tlog_proof(proof: Proof) -> str:
    """Write the proof of the seal that covers the entry as c2sp.org/tlog-proof@v1, for programs of others.

    `extra` is the seal itself, whose RFC 6962 leaf hash the proof is about. It lists the head of the entry's stream.
    """
    checkpoint, path = _checkpoint_of(proof)
    lines = (
        "c2sp.org/tlog-proof@v1",
        f"extra {notes.base64_of(bytes(proof.seal.body))}",
        f"index {proof.seal.number}",
        *(notes.base64_of(digest) for digest in path),
    )
    return "\n".join(lines) + "\n\n" + checkpoint.cosigned


def _checkpoint_of(proof: Proof) -> tuple[Checkpoint, list[bytes]]:
    """The checkpoint by which a proof is written, and the path to its root."""
    if proof.witnessed:
        return proof.witnessed, proof.witnessed_path
    return proof.checkpoint, proof.path


def _lines(proof: Proof) -> Iterator[bytes]:
    entry = proof.entry
    span = Entry.objects.filter(stream_id=entry.stream_id, seq__gte=entry.seq, seq__lte=proof.head_seq)
    rows = span.order_by("seq").values_list("hash", "prev", "body")
    for digest, prev, body in rows.iterator(BATCH):
        yield export.format_line(bytes(digest), bytes(prev), bytes(body))


@require_GET
@opened_by(EXPORTING)
def proof(request: HttpRequest, person: Person, facility: Facility, place: str, seq: int) -> HttpResponse:
    """Serve the proof of an entry as a file, to the person who has just recorded that they take it."""
    entry_ = _entry(facility, place, seq)
    proven, _checks = evidence.prove_entry(entry_, facility.code)
    if proven is None or not is_short(proven):
        raise Denied
    content = proof_file(proven)
    if not own_recent_entry(person, facility, PROOF_TAKEN.name, {"sha256": evidence.sha256(content)}):
        raise Denied
    name = f"{entry_.stream.name.replace('/', '-')}-{seq}.proof.jsonl"
    return file_response(content, name, "application/jsonl", is_foreign=True)


# Addresses; a place is a `code` too, so that no other text reaches the database

OF_FACILITY = "record/<slug:facility>/entries/<code:place>/<int:seq>/"
# Entries that belong to no facility: keys, incarnations, verifications
OF_INSTALLATION = "record/<slug:facility>/entries/installation/system/<int:seq>/"
urlpatterns = [
    path(OF_INSTALLATION, entry, {"place": INSTALLATION}, name="record-entry-of-installation"),
    path(
        OF_INSTALLATION + "proof.jsonl",
        proof,
        {"place": INSTALLATION},
        name="record-proof-of-installation",
    ),
    path(OF_FACILITY, entry, name="record-entry"),
    path(OF_FACILITY + "proof.jsonl", proof, name="record-proof"),
]
