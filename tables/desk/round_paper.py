"""What the printed report of a round says, from the record as it is at one moment.

The same moment gives the same report: entries, seals and cosignatures after it are left out. So a report that was
recorded by its SHA-256 can be made again.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from audit import clock
from audit.models import Person
from audit.sealing.log import Proof
from games.drawing import PaperLayout, paper_layout
from games.engine.odds import in_dollars
from games.engine.wagers import LOSE, RETURN, WIN
from games.models import Facility, RulesSubmission
from tables.core.entries import RecordedEntry, of_round
from tables.corrections.raises import DICE_CORRECTED
from tables.corrections.settlements import key_of
from tables.corrections.slips import SLIP_FILED, SLIP_SETTLED, moved_in_words, owed_in_words
from tables.desk.entries import local_date_and_time
from tables.models import Case, Slip, Table
from tables.replay.evidence import Evidence, evidence_of
from tables.replay.history import DISPUTE, ReplayStep, RoundHistory, WagerRow
from tables.replay.replayed_round import SETTLING_TYPES, WagerKey
from tables.rules import recorded_submission

OUTCOME_WORDS = {
    WIN: "Won",
    LOSE: "Lost",
    RETURN: "Returned",
    "fee": "Fee, kept",
    "struck": "Struck",
    "": "Open",
}


@dataclass(frozen=True, slots=True)
class DiceCall:
    """Dice as they were called. `dice` is in the order of the game; a withdrawn call was corrected later."""

    label: str
    dice: tuple[int, ...]
    detail: str
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class AreaMoney:
    """What lay on an area: the stakes in cents, and how they ended."""

    cents: int
    outcome: str


@dataclass(frozen=True)
class RoundPaper:
    """The report of a round. `seat` None means every seat. `cases` are codes, each with what the case says.

    `entries` are those of the round: when, what each says, who, its number and the beginning of its hash.
    """

    facility: Facility
    table: str
    number: int
    seat: int | None
    printed: str
    played: str
    rules: str
    submission: str
    sentences: list[str]
    calls: list[DiceCall]
    layout: PaperLayout | None
    lit: frozenset[str]
    money: dict[str, AreaMoney]
    wagers: list[WagerRow]
    what_if: list[str]
    slips: list[str]
    cases: list[tuple[str, list[str]]]
    entries: list[list[str]]
    seal: list[str]
    file_name: str
    stream: str
    newest: RecordedEntry
    faults: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The heading of the report."""
        seat = f", seat {self.seat}" if self.seat is not None else ""
        return f"Round {self.number} at table {self.table}{seat}"

    @property
    def totals(self) -> tuple[int, int, int, int]:
        """The number of wagers, and in cents their stakes, what was paid and what was returned."""
        rows = [row for row in self.wagers if row.outcome != "struck"]
        return (
            len(rows),
            sum(row.stake_cents for row in rows),
            sum(row.paid_cents for row in rows),
            sum(row.returned_cents for row in rows),
        )


def round_paper(
    table: Table,
    number: int,
    seat: int | None,
    *,
    moment: dt.datetime,
    printed_by: str,
    last: int | None = None,
) -> RoundPaper | None:
    """Return the report of a round as it is on the record at a moment; None for a round without entries.

    `last` is the newest entry that the report may name, for making a recorded report again.
    """
    entries = [entry for entry in of_round(table.stream, number) if last is None or entry.seq <= last]
    if not entries:
        return None
    facility = table.facility
    history = RoundHistory(facility.code, entries, submission=recorded_submission(table.stream_id))
    evidence = evidence_of(table.stream, entries)
    acts = [step.entry for step in history.steps if step.is_round_act] or entries[:1]
    wagers = [row for row in history.wager_rows if seat is None or row.seat == seat]
    replayed = history.current_round
    return RoundPaper(
        facility=facility,
        table=table.code,
        number=number,
        seat=seat,
        printed=f"Printed {_moment(moment, facility)} by {printed_by}",
        played=_span(acts[0].at, acts[-1].at, facility),
        rules=_rules(history),
        submission=_submission(history, facility, table),
        sentences=list(_sentences(history, wagers, seat, facility)),
        calls=list(_calls(history, facility)),
        layout=paper_layout(replayed.rules) if replayed else None,
        lit=_lit(history),
        money=_money(history, seat),
        wagers=wagers,
        what_if=list(_what_if(history, seat)),
        slips=list(_slips(history, seat, facility)),
        cases=list(_cases(table, number, seat, moment)),
        entries=[_line(step, history, seat, facility) for step in history.steps],
        seal=list(_seal(evidence, table.stream.name, moment, facility)),
        file_name=_bundle_name(table, entries),
        stream=table.stream.name,
        newest=evidence.newest,
        faults=[
            *(fault.text for fault in evidence.faults),
            *(
                f"the chain is broken at entry {chain.broken_at:,}"
                for chain in evidence.chains
                if chain.broken_at
            ),
            *map(str, history.differences),
        ],
    )


def printed_by(person: Person) -> str:
    """Who prints a report, as it says: `Carla Reyes, compliance`."""
    return f"{person.name}, {person.get_role_display().lower()}"


def disputed_seats(history: RoundHistory) -> list[int]:
    """The seats that a dispute about this round names."""
    seats = {entry.data.get("seat") for entry in history.entries if entry.type == DISPUTE}
    return sorted(seat for seat in seats if type(seat) is int)


def _moment(moment: dt.datetime, facility: Facility) -> str:
    """`Fri 20 Nov 2026, 21:17:31 EST`."""
    day, time = local_date_and_time(moment, facility)
    return f"{day}, {time} {facility.local(moment):%Z}"


def _span(first: str, last: str, facility: Facility) -> str:
    begins, ends = dt.datetime.fromisoformat(first), dt.datetime.fromisoformat(last)
    (day, since), (_day, until) = (local_date_and_time(moment, facility) for moment in (begins, ends))
    return f"{day}, {since} to {until} {facility.local(ends):%Z}"


def _time(moment: str, facility: Facility) -> str:
    return local_date_and_time(dt.datetime.fromisoformat(moment), facility)[1]


def _rules(history: RoundHistory) -> str:
    replayed = history.current_round
    if replayed is None:
        return "rules that cannot be found"
    edition = replayed.rules.edition
    paytable = f", paytable {edition.paytable}" if edition.paytable else ""
    return f"{replayed.game.name}, {edition.title}{paytable}"


def _submission(history: RoundHistory, facility: Facility, table: Table) -> str:
    filed = RulesSubmission.objects.filter(facility=facility, terms_sha256=history.terms_sha256)
    row = filed.filter(code=table.submission_code).first() or filed.order_by("code", "version").first()
    return f"{row.code}, version {row.version}" if row else f"terms {history.terms_sha256[:16]}"


def _sentences(
    history: RoundHistory, wagers: Sequence[WagerRow], seat: int | None, facility: Facility
) -> Iterator[str]:
    """What happened, in sentences: the dispute, how its wager ended and why, and the corrections."""
    for entry in history.entries:
        if entry.type == DISPUTE and seat in (None, entry.data.get("seat")):
            about = str(entry.data.get("about") or "").strip().rstrip(".")
            yield (
                f"Seat {entry.data.get('seat')} disputed the round at {_time(entry.at, facility)}"
                f"{f': “{about}”' if about else ''}."
            )
    for row in wagers:
        if row.disputed and row.why:
            yield f"{row.label}: {OUTCOME_WORDS[row.outcome].lower()}. {row.why}."
    for correction in history.corrections:
        if correction.dice:
            before, after = (" ".join(map(str, dice)) for dice in correction.dice)
            yield (
                f"The dice were entered as {before} and corrected to {after} before money moved, signed by"
                f" {correction.signed}{f': {correction.reason}' if correction.reason else ''}."
            )
        else:
            yield f"{correction.title}: {correction.before}, then {correction.after}, signed by {correction.signed}."
    codes = [str(entry.data.get("slip")) for entry in history.entries if entry.type == SLIP_FILED.name]
    if codes:
        yield (
            f"After money had moved, the round was corrected by {' and '.join(codes)}; see the slips below. Dice,"
            " layout and wagers are shown as they were settled at the table."
        )
    replayed = history.current_round
    if replayed is not None and not replayed.has_ended:
        yield "The round is still in play."


def _calls(history: RoundHistory, facility: Facility) -> Iterator[DiceCall]:
    """Each throw as it was called; a call that was corrected is withdrawn."""
    replayed = history.current_round
    if replayed is None:
        return
    named = [
        step for step in history.steps if step.entry.type in SETTLING_TYPES and step.entry.data.get("dice")
    ]
    for place, step in enumerate(named):
        data = step.entry.data
        following = named[place + 1].entry if place + 1 < len(named) else None
        is_withdrawn = (
            following is not None
            and following.type == DICE_CORRECTED.name
            and following.data.get("throw") == data.get("throw")
        )
        is_correction = step.entry.type == DICE_CORRECTED.name
        throws = {entry.entry.data.get("throw") for entry in named}
        number = f"Throw {data.get('throw')}, " if len(throws) > 1 else ""
        word = "first call" if is_withdrawn else "corrected" if is_correction else "called"
        people = [history.people[code].name for code in (step.entry.actor, step.entry.witness) if code]
        label = f"{number}{word}"
        yield DiceCall(
            f"{label[0].upper()}{label[1:]}",
            tuple(replayed.game.arranged(data["dice"])),
            f"{_time(step.entry.at, facility)}, {' with '.join(people) or 'no person'}",
            is_withdrawn,
        )


def _lit(history: RoundHistory) -> frozenset[str]:
    """The areas that the newest settlement lit."""
    lit: Any = next(
        (entry.data.get("lit") for entry in reversed(history.entries) if entry.type in SETTLING_TYPES), []
    )
    return frozenset(code for code in lit or () if isinstance(code, str))


def _money(history: RoundHistory, seat: int | None) -> dict[str, AreaMoney]:
    """What lay on each area at this seat, or at every seat, by wager code."""
    replayed = history.current_round
    stakes: dict[str, int] = {}
    outcomes: dict[str, set[str]] = {}
    for key, entered in replayed.entered.items() if replayed else ():
        if entered.struck or seat not in (None, key[0]):
            continue
        settlement = history.settlements.get(key)
        stakes[key[1]] = stakes.get(key[1], 0) + entered.wager.cents
        outcomes.setdefault(key[1], set()).add(str(settlement.line["outcome"]) if settlement else "")
    return {
        code: AreaMoney(cents, outcomes[code].pop() if len(outcomes[code]) == 1 else "")
        for code, cents in stakes.items()
    }


def _what_if(history: RoundHistory, seat: int | None) -> Iterator[str]:
    """What each disputed wager would have been paid by dice that were withdrawn."""
    disputed = {(row.seat, row.label, row.play) for row in history.wager_rows if row.disputed}
    for step in history.steps:
        if step.entry.type != DICE_CORRECTED.name:
            continue
        before = history.round_after(step.place - 1)
        if before is None or not before.throws:
            continue
        dice = " ".join(map(str, before.game.arranged(before.throws[-1])))
        for settled in before.all_settled:
            label = history.names.get(settled.wager.code, settled.wager.code)
            key = (settled.wager.seat, label, settled.wager.play)
            if key not in disputed or seat not in (None, settled.wager.seat):
                continue
            result = (
                f"been paid {settled.pays}, {in_dollars(settled.paid_cents)}"
                if settled.outcome == WIN
                else "lost"
                if settled.outcome == LOSE
                else "gone back"
            )
            yield f"Had the dice shown {dice}, {label} of seat {settled.wager.seat} would have {result}."


def _slips(history: RoundHistory, seat: int | None, facility: Facility) -> Iterator[str]:
    """Each slip: what it says of the money, how it settles each wager otherwise, why, and its entry."""
    lines = {key: settlement.line for key, settlement in history.settlements.items()}
    for step in history.steps:
        entry = step.entry
        if entry.type not in (SLIP_FILED.name, SLIP_SETTLED.name):
            continue
        code, data = entry.data.get("slip"), entry.data
        about = f"Entry {entry.seq:,}, {_moment(dt.datetime.fromisoformat(entry.at), facility)}."
        if _is_of_other_seats(entry, seat):
            yield f"{code} is about other seats. {about}"
            continue
        reason = f" Reason: {str(data.get('reason')).rstrip('.')}." if data.get("reason") else ""
        if entry.type == SLIP_SETTLED.name:
            yield f"{code} was settled: {moved_in_words(_of_seat(data['moved'], seat))}.{reason} {about}"
            continue
        changed = list(_changed_lines(data, lines, history, seat))
        outcome = f" Settled again: {'; '.join(changed)}." if changed else ""
        yield (
            f"{code}, after money had moved: {_slip_kind(data)}; {owed_in_words(_of_seat(data['due'], seat))}."
            f"{outcome}{reason} {about}"
        )


def _of_seat(amounts: Any, seat: int | None) -> list[Any]:
    return [amount for amount in amounts if seat in (None, amount["seat"])]


def _slip_kind(data: Mapping[str, Any]) -> str:
    """What a slip corrects, in words: `the dice were 2 2 6, not 2 2 5`."""
    mistake = data.get("mended") or {}
    if data.get("kind") == "dice" and "after" in mistake:
        after, before = (" ".join(map(str, mistake[name])) for name in ("after", "before"))
        return f"the dice were {after}, not {before}"
    return str(dict(Slip.Kind.choices).get(data.get("kind", ""), "a correction"))


def _changed_lines(
    data: Mapping[str, Any], lines: dict[WagerKey, Any], history: RoundHistory, seat: int | None
) -> Iterator[str]:
    """How a slip settles each wager otherwise than before it. `lines` are updated to the slip's settlement."""
    for line in data.get("settled", ()):
        key = key_of(line)
        before, lines[key] = lines.get(key), line
        is_same = before is not None and (before["outcome"], before["paid_cents"]) == (
            line["outcome"],
            line["paid_cents"],
        )
        if is_same or seat not in (None, line["seat"]):
            continue
        label = history.names.get(line["wager"], line["wager"])
        paid = f", paid {in_dollars(line['paid_cents'])}" if line["paid_cents"] else ""
        yield f"{label} of seat {line['seat']} {OUTCOME_WORDS[line['outcome']].lower()}{paid}"


def _cases(
    table: Table, number: int, seat: int | None, moment: dt.datetime
) -> Iterator[tuple[str, list[str]]]:
    """The cases about the round, or about this seat of it, as they were at the moment."""
    facility = table.facility
    cases = Case.objects.filter(facility=facility, table=table, round=number, opened_at__lte=moment)
    if seat is not None:
        cases = cases.filter(Q(seat=seat) | Q(seat=None))
    for case in cases.order_by("pk"):
        lines = [f"Opened {_moment(case.opened_at, facility)}."]
        for camera in case.cameras.filter(seen_at__lte=moment).select_related("seen_by"):
            times = f", {camera.begins} to {camera.ends}" if camera.begins else ""
            clip = f", clip {camera.clip}" if camera.clip else ""
            lines.append(
                f"Camera {camera.camera}{clip}{times}: {camera.shows} Seen by {printed_by(camera.seen_by)}."
            )
        signatures = case.signatures.filter(counts=True, signed_at__lte=moment).select_related("person")
        lines += [
            f"Signed by {printed_by(signature.person)}, {_moment(signature.signed_at, facility)},"
            f" entry {signature.seq:,} of {facility.code}/cases."
            for signature in signatures
        ]
        if case.closed_at is not None and case.closed_at <= moment:
            lines.append(
                f"Closed {_moment(case.closed_at, facility)}: {case.reason or 'no reason was given'}"
            )
        else:
            lines.append("Still open when this was printed.")
        yield case.code, lines


def _is_of_other_seats(entry: RecordedEntry, seat: int | None) -> bool:
    """Whether an entry names seats, and not this one: a report of one seat does not say what others won or lost."""
    data = entry.data
    if seat is None:
        return False
    lists = [data.get(name) for name in ("seats", "placed", "due", "moved")]
    named = {data.get("seat")}
    for listed in lists:
        for item in listed if isinstance(listed, list) else ():
            named.add(item.get("seat") if isinstance(item, dict) else item)
    named.discard(None)
    return bool(named) and seat not in named


def _line(step: ReplayStep, history: RoundHistory, seat: int | None, facility: Facility) -> list[str]:
    entry = step.entry
    text = "About other seats" if _is_of_other_seats(entry, seat) else step.text
    people = [history.people[code].name for code in (entry.actor, entry.witness) if code]
    who = " with ".join(people) or "the clock"
    return [_time(entry.at, facility), text, who, f"{entry.seq:,}", entry.digest[:16]]


def _seal(evidence: Evidence, stream: str, moment: dt.datetime, facility: Facility) -> Iterator[str]:
    """How the entries are sealed, as far as it was known at this moment."""
    proof: Proof | None = evidence.sealed
    for chain in evidence.chains:
        state = f"broken at entry {chain.broken_at:,}" if chain.broken_at else "intact"
        yield f"Entries {chain.first:,} to {chain.last:,} of {stream}: chain {state}."
    if proof is None or proof.checkpoint.at > moment:
        yield f"Entry {evidence.newest.seq:,} was not sealed yet when this was printed."
        return
    yield (
        f"Sealed at checkpoint {proof.checkpoint.size:,} of {proof.checkpoint.at:%Y-%m-%d %H:%M:%S} UTC"
        f" ({_moment(proof.checkpoint.at, facility)})."
    )
    names = [cosignature.name for cosignature in proof.cosignatures if cosignature.at <= moment]
    if names:
        yield f"Cosigned by {' and '.join(names)}."
    elif proof.witnessed is not None and proof.witnessed.at <= moment:
        yield f"Cosigned at checkpoint {proof.witnessed.size:,}."
    else:
        yield "No witness had cosigned it when this was printed."


def _bundle_name(table: Table, entries: Sequence[RecordedEntry]) -> str:
    """The name of the evidence bundle of a round (audit/exporting/output.py)."""
    days = [
        str(clock.gaming_day(table.facility.code, dt.datetime.fromisoformat(entry.at)))
        for entry in (entries[0], entries[-1])
    ]
    training = [] if table.kind == "live" else ["training"]
    parts = [table.facility.code, table.code, *training, "-to-".join(dict.fromkeys(days)), "evidence"]
    return f"{'-'.join(parts)}.zip"
