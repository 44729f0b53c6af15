"""Error Notification Slips of a round for its page and on paper: the list, the dialogs, the preview, and the PDF.

`slip_panel` is the context `slips` of `tables/slips/panel.html` and `tables/slips/dialogs.html`.
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from typing import Any, NotRequired, TypedDict

from django.urls import reverse
from reportlab.platypus import Flowable

from audit import clock
from audit.days import day_in_words
from audit.models import Entry, Person
from games import submissions
from games.engine import Refusal, Rules
from games.engine.odds import in_dollars
from games.kit import paper as pdf
from games.office.pdf import moment
from games.registry import game_by_code, game_of
from tables.core.duty import AT_THE_TABLE, FLOOR, STAFFERS, has_work_for, is_on_duty
from tables.core.entries import COLUMNS, RecordedEntry, read, read_or_none
from tables.corrections.reviews import may_review, review_rule, reviewer_names
from tables.corrections.settlements import Correction, RoundOutcome, by_seat, key_of, outcome_of, totals
from tables.corrections.slips import (
    VERDICTS,
    SeatAmount,
    SlipMistake,
    SlipPayment,
    SlipWager,
    moved_in_words,
    owed_in_words,
)
from tables.models import Assignment, Round, Slip, Table
from tables.rounds.live_round import labels
from tables.rounds.settlement import SettledWager, Totals
from tables.words.sentences import say

# Words


KIND_WORDS = {
    "dice": "Dice",
    "wager": "Wager",
    "payment": "Payment",
    "void": "Void",
}
CHIPS_WORDS = {
    "recorded": "went as recorded",
    "player": "are with the player",
    "house": "were taken by the casino",
}
OUTCOME_WORDS = {
    "": "nothing",
    "win": "won %(paid)s on %(stake)s",
    "lose": "lost %(stake)s",
    "fee": "fee %(stake)s",
    "return": "%(stake)s returned",
}
FIGURE_WORDS = {
    "taken": "taken",
    "paid": "paid",
    "returned": "returned",
    "win": "win",
}


# What the templates read


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


class SlipRow(TypedDict):
    """One slip of the list. `corrections` is None where the slip's own entry cannot be read.

    `waits` says why its money has not moved.
    """

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
    return [_slip_row(table, rules, slip, entries, now, reviewer) for slip in slips_]


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


def _slip_row(
    table: Table,
    rules: Rules,
    slip: Slip,
    entries: dict[int, RecordedEntry],
    now: dt.datetime,
    reviewer: Person | None,
) -> SlipRow:
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
        "label": str(KIND_WORDS[slip.kind]),
        "at": _moment(table, slip.filed_at),
        "corrects_seq": slip.corrects_seq,
        "seq": slip.filed_seq,
        "reason": slip.reason,
        "signed": _signed(slip.filed_by, slip.filed_with),
        "corrections": read_or_none(lambda: _mistake_rows(rules, slip.kind, filing_entry.data["mended"]))
        if filing_entry
        else None,
        "figures": _figures(slip.before, slip.after),
        "owed": owed_in_words(slip.due),
        "due": json.dumps(slip.due),
        "open": slip.status == Slip.Status.FILED,
        "settled": settlement,
        "review": _review(table, slip, now),
        "may_review": reviewer is not None and may_review(reviewer, slip, table.facility),
        "waits": _waits_for(slip),
        "pdf": reverse("slip-pdf", args=[table.facility.code, table.code, slip.number]),
    }


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
        "chips": "" if wager["chips"] == "recorded" else str(CHIPS_WORDS[wager["chips"]]),
    }


def _payment_rows(payment: SlipPayment) -> Iterable[MistakeRow]:
    for name, settled, handed in (
        ("paid", payment["settled_paid_cents"], payment["handed_paid_cents"]),
        ("taken", payment["settled_taken_cents"], payment["handed_taken_cents"]),
    ):
        if settled != handed:
            yield {
                "what": f"Seat {payment['seat']}",
                "before": f"{in_dollars(settled)} {FIGURE_WORDS[name]}",
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
            "label": str(FIGURE_WORDS[name]).capitalize(),
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
        "kinds": [{"code": code, "label": str(label)} for code, label in KIND_WORDS.items()],
        "chips": [{"code": code, "label": str(label)} for code, label in CHIPS_WORDS.items()],
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
    settled, no_totals = by_seat(outcome.lines), totals(())
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
    before = {key_of(line): line for line in correction.lines_before}
    after = {key_of(line): line for line in correction.lines}
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
        return str(OUTCOME_WORDS[""])
    figures = {"paid": in_dollars(line["paid_cents"]), "stake": in_dollars(line["cents"])}
    return str(OUTCOME_WORDS[line["outcome"]]) % figures


# The slip as a PDF: what was wrong, what each seat is owed, who signed, and who reviewed it


UNREADABLE = "The entry of this slip was altered and cannot be read."
# The four entries of a slip, in order: what each one did, and the slip's field that has its number.
STEPS = (
    ("Corrected by the slip", "corrects_seq"),
    ("Filed the slip", "filed_seq"),
    ("Moved its money", "settled_seq"),
    ("Reviewed it", "reviewed_seq"),
)


def slip_pdf(slip: Slip) -> bytes:
    """Return the PDF of a slip as it is now. The caller has loaded its table, round and people."""
    look, facility = pdf.styles(), slip.table.facility
    rules = submissions.rules_of(slip.round.submission)
    (row,) = slip_rows(slip.table, rules, [slip])
    title = f"Error Notification Slip {slip.table.code} {slip.code}"
    story: list[Flowable] = [
        pdf.text(title, look["title"]),
        pdf.table(list(_facts_of_slip(slip)), (1, 3), head=0),
        pdf.text("What was wrong", look["heading"]),
        *_mistake(row),
        pdf.text(f"Reason: {slip.reason}", look["body"]),
        pdf.text("Money", look["heading"]),
        *_money(slip, row),
        pdf.text("Signatures and review", look["heading"]),
        pdf.table(list(_signatures(slip)), (1.1, 2.4, 1.5)),
        pdf.text("Each person signed with their own PIN at an enrolled device.", look["small"]),
        pdf.text("On the record", look["heading"]),
        pdf.table(list(_entries_of_slip(slip)), (1.3, 0.6, 4), numbers=(1,)),
    ]
    return pdf.render(story, title=title, facility_name=facility.name, approved=_state(slip))


def _state(slip: Slip) -> str:
    """The line at the foot of each page: what has happened to the slip so far."""
    facility = slip.table.facility
    parts = [f"Filed {moment(slip.filed_at, facility)}"]
    if slip.settled_at is not None:
        parts.append(f"settled {moment(slip.settled_at, facility)}")
    else:
        parts.append("money not moved")
    if slip.reviewed_at is not None:
        parts.append(f"reviewed {moment(slip.reviewed_at, facility)}: {VERDICTS[slip.review_verdict]}")
    elif slip.review_due_at is not None:
        parts.append(f"not reviewed, due {moment(slip.review_due_at, facility)}")
    return ", ".join(parts)


def _facts_of_slip(slip: Slip) -> Iterator[tuple[pdf.Cell, pdf.Cell]]:
    facility = slip.table.facility
    yield "Casino", facility.name
    yield "Table", f"{slip.table.code}, {game_by_code(slip.table.game).name}"
    yield "Round", f"{slip.round.number:,}, of the gaming day {day_in_words(slip.round.gaming_day)}"
    yield "Filed", f"{moment(slip.filed_at, facility)}, gaming day {day_in_words(slip.gaming_day)}"
    yield "What was wrong", KIND_WORDS[slip.kind]


def _mistake(row: SlipRow) -> Iterator[Flowable]:
    look = pdf.styles()
    if row["corrections"] is None:
        yield pdf.text(UNREADABLE, look["body"])
    elif row["corrections"]:
        lines = [_mistake_line(mistake) for mistake in row["corrections"]]
        yield pdf.table([("", "Recorded", "In fact"), *lines], (2, 2, 2))
    else:
        yield pdf.text("The settled round is void: every wager is returned.", look["body"])
    if row["figures"]:
        figures = [
            (figure["label"], in_dollars(figure["before"]), in_dollars(figure["after"]))
            for figure in row["figures"]
        ]
        yield pdf.table([("Totals of the round", "Before", "After"), *figures], (3, 1, 1), numbers=(1, 2))


def _mistake_line(mistake: MistakeRow) -> tuple[str, str, str]:
    what = mistake["what"] or "Dice"
    if chips := mistake.get("chips"):
        what += f"; its chips {chips}"
    return what, _value(mistake["before"]), _value(mistake["after"])


def _value(value: list[int] | str) -> str:
    return value if isinstance(value, str) else " ".join(map(str, value))


def _money(slip: Slip, row: SlipRow) -> Iterator[Flowable]:
    look = pdf.styles()
    if not slip.due:
        yield pdf.text("No money had to move.", look["body"])
        return
    moved = {amount["seat"]: amount["cents"] for amount in slip.handed_over}
    has_settled = slip.settled_at is not None
    lines = [
        (
            f"Seat {amount['seat']}",
            "gets" if amount["cents"] > 0 else "owes",
            in_dollars(abs(amount["cents"])),
            in_dollars(abs(moved.get(amount["seat"], 0))) if has_settled else "not yet",
        )
        for amount in slip.due
    ]
    yield pdf.table([("Seat", "", "Due", "Moved"), *lines], (2, 2, 1, 1), numbers=(2, 3))
    if not has_settled:
        yield pdf.text(row["waits"], look["body"])
    elif row["settled"] and row["settled"]["reason"]:
        yield pdf.text(f"Why less moved than was due: {row['settled']['reason']}", look["body"])


def _signatures(slip: Slip) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell]]:
    facility = slip.table.facility
    yield "", "Who", "When"
    for person in (slip.filed_by, slip.filed_with):
        yield "Filed", _person(person), moment(slip.filed_at, facility)
    if slip.settled_at is not None and slip.settled_seq != slip.filed_seq:
        for signer in (slip.settled_by, slip.settled_with):
            yield "Settled", _person(signer), moment(slip.settled_at, facility)
    if slip.review_due_at is None:
        yield "Review", "not needed", ""
    elif slip.reviewed_at is None:
        yield (
            "Review",
            f"awaited from {reviewer_names(facility)}",
            f"due {moment(slip.review_due_at, facility)}",
        )
    else:
        late = (
            f"; late, due {moment(slip.review_due_at, facility)}"
            if slip.reviewed_at > slip.review_due_at
            else ""
        )
        verdict = VERDICTS[slip.review_verdict] + (f": {slip.review_reason}" if slip.review_reason else "")
        yield (
            "Reviewed",
            f"{_person(slip.reviewed_by)}; {verdict}",
            f"{moment(slip.reviewed_at, facility)}{late}",
        )


def _person(person: Person | None) -> str:
    """`Kate Mills, floorperson, license 1234` of somebody who signed."""
    if person is None:
        return ""
    license_ = f", license {person.licence}" if person.licence else ""
    return f"{person.name}, {person.get_role_display().lower()}{license_}"


def _entries_of_slip(slip: Slip) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell]]:
    """The entries of the slip on the stream of its table, with their hashes."""
    seqs = {seq: what for what, name in reversed(STEPS) if (seq := getattr(slip, name)) is not None}
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq__in=seqs)
    hashes = {seq: bytes(digest).hex() for seq, digest in rows.values_list("seq", "hash")}
    yield "What it did", "Entry", "SHA-256"
    for seq, what in sorted(seqs.items()):
        yield what, f"{seq:,}", hashes.get(seq, "not on the record")
