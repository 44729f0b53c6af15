"""The slips of a round for its page: the list, what the dialogs offer, and the preview before anyone signs.

`slip_panel` is the context `slips` of `tables/slips/panel.html` and `tables/slips/dialogs.html`.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterable
from typing import Any, NotRequired, TypedDict

from django.urls import reverse

from audit import clock
from audit.models import Entry, Person
from games import submissions
from games.engine import Refusal, Rules
from games.engine.odds import in_dollars
from games.registry import game_of
from tables.core.duty import is_on_duty
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.permissions import AT_THE_TABLE, FLOOR, STAFFERS, has_work_for
from tables.corrections import slips
from tables.corrections.correction import Correction
from tables.corrections.entry_types import (
    SeatAmount,
    SlipMistake,
    SlipPayment,
    SlipWager,
)
from tables.corrections.outcomes import RoundOutcome, outcome_of
from tables.corrections.reviews import may_review, review_rule, reviewer_names
from tables.corrections.words import (
    CHIPS,
    FIGURES,
    KINDS,
    OUTCOMES,
    VERDICTS,
    moved_in_words,
    owed_in_words,
)
from tables.models import Assignment, Round, Slip, Table
from tables.rounds.settlement import SettledWager, Totals
from tables.rounds.views import labels
from tables.words.sentences import say

PLAYS = range(1, 7)


class Signature(TypedDict):
    """Who signed, and in which role."""

    name: str
    role: str


class MistakeRow(TypedDict):
    """A value before and after: dice, or words."""

    what: str
    before: list[int] | str
    after: list[int] | str
    chips: NotRequired[str]
    dice: NotRequired[bool]


class FigureRow(TypedDict):
    """A total in cents, before and after."""

    label: str
    before: int
    after: int
    changed: bool


class SlipSettlement(TypedDict):
    """How the money of a slip was handed over."""

    at: str
    seq: int | None
    signed: list[Signature]
    moved: str
    reason: str


class SlipReview(TypedDict):
    """The review of a slip: `done` has the moment and the verdict; otherwise it is due, or `late`."""

    who: str
    due: str
    late: bool
    first: bool
    done: str
    seq: int | None
    differs: bool
    verdict: str
    reason: str
    signed: list[Signature]


class FiledSlipRow(TypedDict):
    """One slip as filed and settled. `corrections` is None where the slip's own entry cannot be read."""

    code: str
    kind: str
    label: str
    at: str
    corrects_seq: int
    seq: int
    reason: str
    signed: list[Signature]
    corrections: list[MistakeRow] | None
    figures: list[FigureRow]
    owed: str
    due: str
    open: bool
    settled: SlipSettlement | None


class SlipRow(FiledSlipRow):
    """One slip of the list, with its review. `waits` says why its money has not moved."""

    review: SlipReview | None
    may_review: bool
    waits: str
    pdf: str


class Choice(TypedDict):
    """An option of a dialog."""

    code: str
    label: str


class Signer(TypedDict):
    """Who may sign as the second person."""

    code: str
    name: str
    role: str
    manages: bool


class ThrowRow(TypedDict):
    """A throw that may be corrected."""

    number: int
    place: int
    dice: list[int]


class WagerLine(TypedDict):
    """A settled wager that may be corrected."""

    seat: int
    wager: str
    play: int | str
    label: str
    cents: int
    said: str


class TypeRow(TypedDict):
    """A wager of the layout; `single` wagers need their play."""

    code: str
    label: str
    single: bool


class SeatTotals(Totals):
    """What was settled with a seat."""

    seat: int


class SlipDialogs(TypedDict, total=False):
    """What the dialogs offer for a round with an outcome."""

    kinds: list[Choice]
    chips: list[Choice]
    throws: list[ThrowRow]
    lines: list[WagerLine]
    types: list[TypeRow]
    plays: list[int]
    seats: list[SeatTotals]


class SlipForm(SlipDialogs):
    """Who may sign, where the dialogs post, and what they offer."""

    signers: list[Signer]
    review_rule: str
    is_manager: bool
    file: str
    settle: str
    preview: str


class SlipPanel(TypedDict):
    """The slips of a round, and what may be done about it."""

    round: int
    game: str
    ended: bool
    filed: list[SlipRow]
    damaged: str
    may_file: bool
    settles: bool
    form: SlipForm | None
    reviews: bool
    review: str


class AmountDue(SeatAmount):
    """What a seat is owed, with the sum in words."""

    sum: str


class SlipPreview(TypedDict):
    """What a slip would change."""

    corrects: int
    due: list[AmountDue]
    figures: list[FigureRow]
    changed: list[MistakeRow]


def slip_panel(table: Table, round_: Round, person: Person) -> SlipPanel:
    """Return every slip of a round, oldest first, and what the dialogs offer to those who may file one.

    `filed` is the list; `form` is None where this person may not file; `may_file` says whether a slip can be filed
    now, because the round has ended and is settled. `damaged` is a sentence where the round's record was altered.
    """
    rules = submissions.rules_of(round_.submission)
    slips_of_round = Slip.objects.filter(round=round_).order_by("number")
    filed = list(
        slips_of_round.select_related("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")
    )
    on_duty = is_on_duty(person, table)
    rows = slip_rows(table, rules, filed, person if on_duty else None)
    may_work = person.role in AT_THE_TABLE and has_work_for(person, table) and on_duty
    outcome, damaged = _readable_outcome(round_) if round_.ended_at is not None else (None, "")
    return {
        "round": round_.number,
        "game": table.game,
        "ended": round_.ended_at is not None,
        "filed": rows,
        "damaged": damaged,
        "may_file": may_work and outcome is not None,
        "settles": may_work and not damaged,
        "form": _form(table, round_, rules, outcome, person) if may_work else None,
        "reviews": any(row["may_review"] for row in rows),
        "review": reverse("act", args=[table.facility.code, table.code, "review_slip"]),
    }


def _readable_outcome(round_: Round) -> tuple[RoundOutcome | None, str]:
    """Return the round's outcome, or the sentence that says why it cannot be read."""
    try:
        return outcome_of(round_), ""
    except Refusal as refusal:
        return None, say(refusal)


# The list


def slip_rows(
    table: Table, rules: Rules, slips_: Iterable[Slip], reviewer: Person | None = None
) -> list[SlipRow]:
    """The context of each slip; `reviewer` is the reader, if they are on duty here."""
    slips_ = list(slips_)
    seqs = {seq for slip in slips_ for seq in (slip.filed_seq, slip.settled_seq) if seq}
    rows = Entry.objects.filter(stream=table.stream_id, seq__in=seqs).values_list(*COLUMNS)
    entries = {entry.seq: entry for entry in map(read, rows)}
    now = clock.now()
    return [
        {
            **_slip_context(table, rules, slip, entries),
            "review": _review(table, slip, now),
            "may_review": reviewer is not None and may_review(reviewer, slip, table.facility),
            "waits": _waits_for(slip),
            "pdf": reverse("slip-pdf", args=[table.facility.code, table.code, slip.number]),
        }
        for slip in slips_
    ]


def _waits_for(slip: Slip) -> str:
    """Why the money of a slip has not moved."""
    if slip.review_comes_first and slip.waits_for_review:
        return "No money moves before the review."
    if slip.review_verdict == Slip.Verdict.DIFFERS:
        return "The review differs, so no money moves on this slip. Settle it with $0."
    return "The money has not moved."


def _review(table: Table, slip: Slip, now: dt.datetime) -> SlipReview | None:
    if slip.review_due_at is None:
        return None
    who = [slip.reviewed_by] if slip.reviewed_by else []
    return {
        "who": reviewer_names(table.facility),
        "due": _moment(table, slip.review_due_at),
        "late": (slip.reviewed_at or now) > slip.review_due_at,
        "first": slip.review_comes_first,
        "done": _moment(table, slip.reviewed_at) if slip.reviewed_at else "",
        "seq": slip.reviewed_seq,
        "differs": slip.review_verdict == Slip.Verdict.DIFFERS,
        "verdict": VERDICTS.get(slip.review_verdict, ""),
        "reason": slip.review_reason,
        "signed": _signed(*who),
    }


def _slip_context(table: Table, rules: Rules, slip: Slip, entries: dict[int, RecordedEntry]) -> FiledSlipRow:
    """The context of one slip. `corrections` is None where the slip's own entry cannot be read."""
    filing_entry = entries.get(slip.filed_seq)
    settlement: SlipSettlement | None = None
    if slip.settled_at is not None and slip.settled_seq != slip.filed_seq:
        settling_entry = entries.get(slip.settled_seq or 0)
        settlement = {
            "at": _moment(table, slip.settled_at),
            "seq": slip.settled_seq,
            "signed": _signed(slip.settled_by, slip.settled_with),
            "moved": moved_in_words(slip.handed_over),
            "reason": str(settling_entry.data.get("reason", "")) if settling_entry else "",
        }
    return {
        "code": slip.code,
        "kind": slip.kind,
        "label": str(KINDS[slip.kind]),
        "at": _moment(table, slip.filed_at),
        "corrects_seq": slip.corrects_seq,
        "seq": slip.filed_seq,
        "reason": slip.reason,
        "signed": _signed(slip.filed_by, slip.filed_with),
        "corrections": _read_or_none(lambda: _mistake_rows(rules, slip.kind, filing_entry.data["mended"]))
        if filing_entry
        else None,
        "figures": _figures(slip.before, slip.after),
        "owed": owed_in_words(slip.due),
        "due": json.dumps(slip.due),
        "open": slip.status == Slip.Status.FILED,
        "settled": settlement,
    }


def _read_or_none(words: Callable[[], list[MistakeRow]]) -> list[MistakeRow] | None:
    """Return what `words` reads; None where the entry's data is malformed."""
    try:
        return words()
    except MISSHAPEN:
        return None


def _moment(table: Table, moment: dt.datetime) -> str:
    """`22 Nov, 21:49`, local time."""
    return table.facility.local(moment).strftime("%-d %b, %H:%M")


def _signed(*people: Person | None) -> list[Signature]:
    return [
        {"name": person.short_name, "role": person.get_role_display().lower()} for person in people if person
    ]


def _mistake_rows(rules: Rules, kind: str, mistake: SlipMistake) -> list[MistakeRow]:
    """What was recorded and what was true: dice, or words for each item."""
    if kind == Slip.Kind.DICE:
        arranged = game_of(rules).arranged
        before, after = list(arranged(mistake["before"])), list(arranged(mistake["after"]))
        return [{"dice": True, "what": "", "before": before, "after": after}]
    if kind == Slip.Kind.WAGER:
        return [_wager_row(rules, wager) for wager in mistake["wagers"]]
    if kind == Slip.Kind.PAYMENT:
        return [row for payment in mistake["payments"] for row in _payment_rows(payment)]
    return []


def _wager_row(rules: Rules, wager: SlipWager) -> MistakeRow:
    return {
        "what": _wager_label(rules, wager),
        "before": _stake_text(wager["before_cents"]),
        "after": _stake_text(wager["after_cents"]),
        "chips": "" if wager["chips"] == "recorded" else str(CHIPS[wager["chips"]]),
    }


def _payment_rows(payment: SlipPayment) -> Iterable[MistakeRow]:
    for name, settled, handed in (
        ("paid", payment["settled_paid_cents"], payment["handed_paid_cents"]),
        ("taken", payment["settled_taken_cents"], payment["handed_taken_cents"]),
    ):
        if settled != handed:
            yield {
                "what": f"Seat {payment['seat']}",
                "before": f"{in_dollars(settled)} {FIGURES[name]}",
                "after": f"{in_dollars(handed)} in fact",
            }


def _wager_label(rules: Rules, wager: SettledWager | SlipWager) -> str:
    """`Seat 3, Total 9`, with the play of a single play wager."""
    play = f", play {wager['play']}" if wager.get("play") else ""
    return f"Seat {wager['seat']}, {labels(rules).get(wager['wager'], wager['wager'])}{play}"


def _stake_text(cents: int) -> str:
    return in_dollars(cents) if cents else "nothing"


def _figures(before: Totals, after: Totals) -> list[FigureRow]:
    """Both values of each total and of the casino's win; empty where the settlement did not change."""
    if before == after:
        return []
    win_before, win_after = (totals["taken_cents"] - totals["paid_cents"] for totals in (before, after))
    both = (
        ("taken", before["taken_cents"], after["taken_cents"]),
        ("paid", before["paid_cents"], after["paid_cents"]),
        ("returned", before["returned_cents"], after["returned_cents"]),
        ("win", win_before, win_after),
    )
    return [
        {
            "label": str(FIGURES[name]).capitalize(),
            "before": cents_before,
            "after": cents_after,
            "changed": cents_before != cents_after,
        }
        for name, cents_before, cents_after in both
    ]


# The dialogs


def _form(
    table: Table, round_: Round, rules: Rules, outcome: RoundOutcome | None, person: Person
) -> SlipForm:
    """What the dialogs offer: throws, wagers and seats, and who may sign as the second person."""
    place = [table.facility.code, table.code]
    form: SlipForm = {
        "signers": _signers(table, person),
        "review_rule": review_rule(table),
        "is_manager": person.role in STAFFERS,
        "file": reverse("act", args=[*place, "file_slip"]),
        "settle": reverse("act", args=[*place, "settle_slip"]),
        "preview": reverse("slip-preview", args=[*place, round_.number]),
    }
    if outcome is None:
        return form
    plays = "play" in game_of(rules).wager_keys
    dialogs: SlipDialogs = {
        "kinds": [{"code": code, "label": str(label)} for code, label in KINDS.items()],
        "chips": [{"code": code, "label": str(label)} for code, label in CHIPS.items()],
        "throws": _throws(rules, outcome),
        "lines": [_line(rules, line) for line in sorted(outcome.lines, key=lambda line: line["seat"])],
        "types": [_type(rules, code, label) for code, label in labels(rules).items()],
        "plays": list(PLAYS) if plays else [],
        "seats": _seats(table, outcome),
    }
    return {**form, **dialogs}


def _signers(table: Table, person: Person) -> list[Signer]:
    """Who may sign as the second person: only the floor, unless the actor is of the floor."""
    roles = AT_THE_TABLE if person.role in FLOOR else FLOOR
    assignments = Assignment.objects.at(table).filter(person__role__in=roles, person__is_active=True)
    people = {assignment.person_id: assignment.person for assignment in assignments.select_related("person")}
    return [
        {
            "code": signer.code,
            "name": signer.name,
            "role": signer.get_role_display().lower(),
            "manages": signer.role in STAFFERS,
        }
        for signer in sorted(people.values(), key=lambda signer: (signer.role not in FLOOR, signer.name))
        if signer.pk != person.pk and has_work_for(signer, table)
    ]


def _throws(rules: Rules, outcome: RoundOutcome) -> list[ThrowRow]:
    return [
        {"number": throw.number, "place": place, "dice": list(game_of(rules).arranged(throw.dice))}
        for place, throw in enumerate(outcome.throws, start=1)
    ]


def _line(rules: Rules, line: SettledWager) -> WagerLine:
    return {
        "seat": line["seat"],
        "wager": line["wager"],
        "play": line.get("play") or "",
        "label": labels(rules).get(line["wager"], line["wager"]),
        "cents": line["cents"],
        "said": _outcome_text(line),
    }


def _type(rules: Rules, code: str, label: str) -> TypeRow:
    try:
        game_of(rules).verify_play(rules, code, None)
    except Refusal:
        return {"code": code, "label": label, "single": True}
    return {"code": code, "label": label, "single": False}


def _seats(table: Table, outcome: RoundOutcome) -> list[SeatTotals]:
    settled, no_totals = slips.by_seat(outcome.lines), slips.totals(())
    return [{"seat": seat, **settled.get(seat, no_totals)} for seat in range(1, table.seats + 1)]


# The preview


def slip_preview(table: Table, round_: Round, correction: Correction) -> SlipPreview:
    """What a slip would change, and what each seat is owed, for the preview."""
    rules = submissions.rules_of(round_.submission)
    return {
        "corrects": correction.corrects.seq,
        "due": [{**amount, "sum": in_dollars(abs(amount["cents"]))} for amount in correction.due],
        "figures": _figures(correction.before, correction.after),
        "changed": _changed_wagers(rules, correction),
    }


def _changed_wagers(rules: Rules, correction: Correction) -> list[MistakeRow]:
    """The wagers whose outcome changes, by seat."""
    before = {slips.key_of(line): line for line in correction.lines_before}
    after = {slips.key_of(line): line for line in correction.lines}
    changed: list[MistakeRow] = []
    for key in sorted({**before, **after}, key=lambda key: (key[0], key[1], key[2] or 0)):
        line_before, line_after = before.get(key), after.get(key)
        if _comparable(line_before) != _comparable(line_after):
            line = line_before or line_after
            changed.append(
                {
                    "what": _wager_label(rules, line) if line else "",
                    "before": _outcome_text(line_before),
                    "after": _outcome_text(line_after),
                }
            )
    return changed


def _comparable(line: SettledWager | None) -> tuple[Any, ...]:
    return (
        (line["outcome"], line["cents"], line["paid_cents"], line["returned_cents"])
        if line
        else ("", 0, 0, 0)
    )


def _outcome_text(line: SettledWager | None) -> str:
    """`won $120 on $20`, `lost $20`, `$20 returned`; `nothing` for a wager that is not there."""
    if line is None:
        return str(OUTCOMES[""])
    figures = {"paid": in_dollars(line["paid_cents"]), "stake": in_dollars(line["cents"])}
    return str(OUTCOMES[line["outcome"]]) % figures
