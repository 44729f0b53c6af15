"""The PDF of an Error Notification Slip: what was wrong, what each seat is owed, who signed, and who reviewed it."""

from collections.abc import Iterator

from reportlab.platypus import Flowable

from audit.models import Entry, Person
from games import submissions
from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from games.office.pdf.approval import moment
from games.registry import game_by_code
from tables.corrections.reviews import reviewer_names
from tables.corrections.slip_view import MistakeRow, SlipRow, slip_rows
from tables.corrections.words import KINDS, VERDICTS
from tables.models import Slip

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
    look, facility = styles(), slip.table.facility
    rules = submissions.rules_of(slip.round.submission)
    (row,) = slip_rows(slip.table, rules, [slip])
    title = f"Error Notification Slip {slip.table.code} {slip.code}"
    story: list[Flowable] = [
        text(title, look["title"]),
        table(list(_facts(slip)), (1, 3), head=0),
        text("What was wrong", look["heading"]),
        *_mistake(row),
        text(f"Reason: {slip.reason}", look["body"]),
        text("Money", look["heading"]),
        *_money(slip, row),
        text("Signatures and review", look["heading"]),
        table(list(_signatures(slip)), (1.1, 2.4, 1.5)),
        text("Each person signed with their own PIN at an enrolled device.", look["small"]),
        text("On the record", look["heading"]),
        table(list(_entries(slip)), (1.3, 0.6, 4), numbers=(1,)),
    ]
    return render(story, title=title, facility_name=facility.name, approved=_state(slip))


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


def _facts(slip: Slip) -> Iterator[tuple[Cell, Cell]]:
    facility = slip.table.facility
    yield "Casino", facility.name
    yield "Table", f"{slip.table.code}, {game_by_code(slip.table.game).name}"
    yield "Round", f"{slip.round.number:,}, of the gaming day {_date(slip.round.gaming_day)}"
    yield "Filed", f"{moment(slip.filed_at, facility)}, gaming day {_date(slip.gaming_day)}"
    yield "What was wrong", KINDS[slip.kind]


def _date(value: object) -> str:
    return f"{value:%-d %b %Y}"


def _mistake(row: SlipRow) -> Iterator[Flowable]:
    look = styles()
    if row["corrections"] is None:
        yield text(UNREADABLE, look["body"])
    elif row["corrections"]:
        lines = [_mistake_line(mistake) for mistake in row["corrections"]]
        yield table([("", "Recorded", "In fact"), *lines], (2, 2, 2))
    else:
        yield text("The settled round is void: every wager is returned.", look["body"])
    if row["figures"]:
        figures = [
            (figure["label"], in_dollars(figure["before"]), in_dollars(figure["after"]))
            for figure in row["figures"]
        ]
        yield table([("Totals of the round", "Before", "After"), *figures], (3, 1, 1), numbers=(1, 2))


def _mistake_line(mistake: MistakeRow) -> tuple[str, str, str]:
    what = mistake["what"] or "Dice"
    if chips := mistake.get("chips"):
        what += f"; its chips {chips}"
    return what, _value(mistake["before"]), _value(mistake["after"])


def _value(value: list[int] | str) -> str:
    return value if isinstance(value, str) else " ".join(map(str, value))


def _money(slip: Slip, row: SlipRow) -> Iterator[Flowable]:
    look = styles()
    if not slip.due:
        yield text("No money had to move.", look["body"])
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
    yield table([("Seat", "", "Due", "Moved"), *lines], (2, 2, 1, 1), numbers=(2, 3))
    if not has_settled:
        yield text(row["waits"], look["body"])
    elif row["settled"] and row["settled"]["reason"]:
        yield text(f"Why less moved than was due: {row['settled']['reason']}", look["body"])


def _signatures(slip: Slip) -> Iterator[tuple[Cell, Cell, Cell]]:
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


def _entries(slip: Slip) -> Iterator[tuple[Cell, Cell, Cell]]:
    """The entries of the slip on the stream of its table, with their hashes."""
    seqs = {seq: what for what, name in reversed(STEPS) if (seq := getattr(slip, name)) is not None}
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq__in=seqs)
    hashes = {seq: bytes(digest).hex() for seq, digest in rows.values_list("seq", "hash")}
    yield "What it did", "Entry", "SHA-256"
    for seq, what in sorted(seqs.items()):
        yield what, f"{seq:,}", hashes.get(seq, "not on the record")
