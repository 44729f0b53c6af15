"""The shift handover: what is open, who takes it over, the figures of the shift, and the signatures of both sides.

1. Which shift is handed over follows from the shifts of the facility (`shift_to_hand_over`).
2. The draft lists everything that the record holds open (`tables.handover.open_items`), each item with the owner who
   takes it over, and what is still missing (`handover_draft`).
3. Somebody of the next shift takes over what is open (`accept_open_items`).
4. Both sides sign (`sign_handover`). The entry keeps every item with its owner, and the figures of the shift by pit:
   those of the pages of figures (docs/figures.md), up to the newest ended round.

Its pages show the list with times in words, what the button says, and signed handovers.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypedDict

from django.db.models import QuerySet

from audit.clock import format_moment
from audit.columns import AT, FACILITY, SEQ, STREAM, Body, RowFindings, Rows, declare, same
from audit.entry_types import entry_type
from audit.models import Entry, Person
from games.act_forms import prose, text, words
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.params import malformed
from games.separation.signatures import Paper, Step, declare_paper
from tables.cases.case import moment_words
from tables.core.duty import FLOOR, STAFFERS
from tables.core.figure_sums import COLUMNS, Sums, is_outside_band
from tables.figures.rollup import DAY, moment_within, pit_history, tables_behind, uncounted_rounds
from tables.handover.open_items import OpenItem, open_items
from tables.models import Assignment, DayFigures, Handover, ItemAcceptance, Pit, Table
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.runner.signatures import step_signers
from tables.words.entries import data_of

HANDOVER_ITEM_NOT_OPEN = RefusalCode(
    "handover-item-not-open",
    "This is no longer open: %(item)s. Reload the page and read the list again.",
    "No longer open",
)
HANDOVER_OWNER_MAY_NOT = RefusalCode(
    "handover-owner-may-not",
    "%(person)s does not work on the table games floor. A floorperson or a manager takes over what is open.",
    "Not from the floor",
)
HANDOVER_ITEM_WITHOUT_OWNER = RefusalCode(
    "handover-item-without-owner",
    "%(count)s of %(total)s have no owner, first: %(item)s. Somebody from the next shift must take over each.",
    "Open without an owner",
)
HANDOVER_OF_ANOTHER_SHIFT = RefusalCode(
    "handover-of-another-shift",
    "This page shows a different shift from the one to hand over now. Reload it.",
    "Another shift",
)
HANDOVER_SUCCESSOR_MUST_SIGN = RefusalCode(
    "handover-successor-must-sign",
    "A pit or shift manager of the next shift must sign too, with their own PIN.",
    "Second signature missing",
)


# What the record says of a handover


class OpenItemData(TypedDict):
    item: Annotated[str, "what is open: `slip:T-04:ENS-0007`"]
    kind: Annotated[str, "what kind of thing it is, in words"]
    table: Annotated[str | None, "code of its table; null for what belongs to no table"]
    title: Annotated[str, "what it is, in words"]


@entry_type("handover.items_accepted")
def ITEMS_ACCEPTED(
    *,
    shift: Annotated[str, "the shift that ends, by its gaming day and code: `2026-11-20/swing`"],
    owner: Annotated[str, "code of the person who took the items over"],
    items: list[OpenItemData],
) -> str:
    """A person took over open items of a shift that ends, by their own PIN."""
    first, *others = [item["title"] for item in items]
    more = f" and {len(others)} more" if others else ""
    return f"{owner} takes over: {first}{more}"


class HandedItem(OpenItemData):
    due_at: Annotated[str | None, "by when, in UTC; null where no time is set"]
    holder: Annotated[str | None, "code of the person who had it last; null for nobody"]
    owner: Annotated[str, "code of the person who took it over"]


class PitFigures(TypedDict):
    pit: Annotated[str, "code of the pit; empty for the whole floor"]
    rounds: int
    handle_cents: int
    win_cents: int
    expected_cents: Annotated[int | None, "the win that the odds predict; null where it is not known"]
    band_cents: Annotated[int | None, "two standard deviations of the win; null where they are not known"]


class HandoverSigned(TypedDict):
    handover: Annotated[int, "number of the handover, from 1 in each facility"]
    shift: Annotated[str, "the shift that ended, by its gaming day and code: `2026-11-20/swing`"]
    shift_name: str
    next_shift_name: str
    begins_at: str
    ends_at: str
    handed_over_by: Annotated[str, "code of the person who handed the shift over"]
    taken_over_by: Annotated[str, "code of the person who took it over and signed with their own PIN"]
    items: Annotated[list[HandedItem], "everything that was open, each with its owner"]
    pits: Annotated[list[PitFigures], "the figures of the shift up to the signature, by pit"]
    total: PitFigures
    note: Annotated[str, "words to the next shift; empty for none"]


def _signed(data: HandoverSigned) -> str:
    shift = f"{data['shift_name']} to {data['next_shift_name']}"
    count = len(data["items"])
    return f"Handover {data['handover']}, {shift}, with {count} open item{'' if count == 1 else 's'}"


HANDOVER_SIGNED = entry_type(
    "handover.signed",
    HandoverSigned,
    "Two people signed the handover of a shift, with every open item, its owner, and the figures of the shift.",
    _signed,
)


# Which shift is handed over now


LATE = dt.timedelta(hours=2)  # so long after its end a shift that nobody signed is still handed over


@dataclass(frozen=True)
class ShiftToHandOver:
    """A shift that ends, and the name of the next. `key` names it in the record: `2026-11-20/swing`."""

    key: str
    name: str
    next_name: str
    gaming_day: dt.date
    begins: dt.datetime
    ends: dt.datetime

    @property
    def code(self) -> str:
        """The code of the shift, as the rollups of the figures have it."""
        return self.key.partition("/")[2]


def shift_to_hand_over(facility: Facility, now: dt.datetime) -> ShiftToHandOver:
    """Return the shift to hand over: the one before, if it ended just now unsigned; the present; the next if signed."""
    present = _shift(facility, now)
    before = _shift(facility, present.begins - dt.timedelta(seconds=1))
    if now < present.begins + LATE and not _is_signed(facility, before) and _is_used(facility):
        return before
    return _shift(facility, present.ends) if _is_signed(facility, present) else present


def _shift(facility: Facility, moment: dt.datetime) -> ShiftToHandOver:
    shift = facility.shift_of(moment)
    following = facility.shift_of(shift.ends)
    key = f"{shift.day.isoformat()}/{shift.code}"
    return ShiftToHandOver(key, shift.name, following.name, shift.day, shift.begins, shift.ends)


def _is_signed(facility: Facility, shift: ShiftToHandOver) -> bool:
    return Handover.objects.filter(facility=facility, shift=shift.key).exists()


def _is_used(facility: Facility) -> bool:
    """Whether the facility has handed over a shift before. The first handover is that of the present shift."""
    return Handover.objects.filter(facility=facility).exists()


# Its figures by pit


WHOLE_FLOOR = ""


def shift_figures(facility: Facility, shift: ShiftToHandOver) -> tuple[dict[str, Sums], Sums]:
    """Return the sums of each pit with live tables (its code), and of the floor: of the rounds that ended in the shift.

    A round that ended on the other side of a limit of its gaming day belongs to the first or the last shift of the day.
    Rounds that the rollups do not have yet are added.
    """
    live = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE)
    by_pit = {code: Sums() for code in live.values_list("pit__code", flat=True)}
    begins, ends = (facility.day_begins(day) for day in (shift.gaming_day, shift.gaming_day + DAY))
    read_again = set()
    for table in tables_behind():
        if table.facility_id != facility.pk or table.kind != Table.Kind.LIVE:
            continue
        rounds, is_whole_day = uncounted_rounds(table, shift.gaming_day)
        read_again |= {table.pk} if is_whole_day else set()
        pits = pit_history(table)
        for round_ in rounds:
            if facility.shift_of(moment_within(round_, begins, ends)).code == shift.code:
                by_pit.setdefault(pits.pit_at(round_.settled_at), Sums()).add_round(round_, table.seats)
    rows = DayFigures.objects.filter(table__in=live, gaming_day=shift.gaming_day, shift=shift.code)
    for row in rows.exclude(table__in=read_again).values(*COLUMNS):
        by_pit.setdefault(row["pit"], Sums()).add_row(row)
    total = Sums()
    for sums in by_pit.values():
        total.add(sums)
    return dict(sorted(by_pit.items())), total


def pit_figures(code: str, sums: Sums) -> PitFigures:
    """The figures of a pit, or of the whole floor, as the record and the pages have them."""
    return {
        "pit": code,
        "rounds": sums.rounds,
        "handle_cents": sums.handle_cents,
        "win_cents": sums.win_cents,
        "expected_cents": sums.expected_cents if sums.is_known else None,
        "band_cents": sums.band_cents if sums.is_known else None,
    }


# The draft: what is open, who took it over, and what is missing


@dataclass(frozen=True)
class HandoverDraft:
    """The handover of a shift before it is signed."""

    shift: ShiftToHandOver
    items: list[OpenItem]

    @property
    def without_owner(self) -> list[OpenItem]:
        return [item for item in self.items if item.owner is None]


def handover_draft(facility: Facility, now: dt.datetime) -> HandoverDraft:
    """Return what is open at a facility now, with the people who took it over for this handover.

    An acceptance counts while its person is on duty here, and only for the shift for which it was given.
    """
    shift, items = shift_to_hand_over(facility, now), open_items(facility, now)
    accepted: dict[str, ItemAcceptance] = {}
    acceptances = ItemAcceptance.objects.filter(facility=facility, shift=shift.key).select_related("person")
    for acceptance in acceptances.order_by("pk"):
        accepted[acceptance.item] = acceptance
    able = {person.pk for person in floor_on_duty(facility)}
    return HandoverDraft(shift, [replace(item, owner=_owner(item, accepted, able)) for item in items])


def _owner(item: OpenItem, accepted: dict[str, ItemAcceptance], able: set[int]) -> Person | None:
    acceptance = accepted.get(item.key)
    if acceptance is None or acceptance.person_id not in able:
        return None
    arose_later = item.since is not None and acceptance.accepted_at < item.since
    return None if arose_later else acceptance.person


def floor_on_duty(facility: Facility) -> list[Person]:
    """Return the people on duty here who may take over what is open, by name."""
    on_duty = Assignment.objects.at_facility(facility)
    people = Person.objects.filter(assignments__in=on_duty, is_active=True, role__in=FLOOR)
    return list(people.distinct().order_by("name", "pk"))


def successors(people: list[Person], person: Person) -> list[Person]:
    """Return who of these people may take over the shift from this person."""
    return [candidate for candidate in people if candidate.role in STAFFERS and candidate.pk != person.pk]


# The handover as a paper that people sign


class HandoverPaper(Paper[Handover]):
    """A handover: both sides sign it with one act."""

    code, title, place = "handover", "Handover", STAFF

    def rows(self, facility: Facility) -> QuerySet[Handover]:
        rows = Handover.objects.filter(facility=facility)
        return rows.select_related("facility", "stream", "handed_over_by", "taken_over_by")

    def key(self, row: Handover) -> tuple[Facility, str, int]:
        return row.facility, self.place, row.number

    def name(self, row: Handover) -> str:
        return f"Handover {row.number}"

    def day(self, row: Handover) -> dt.date:
        return row.gaming_day

    def steps(self, row: Handover) -> dict[str, Step]:
        return {"signature": Step(row.signed_at, (row.handed_over_by, row.taken_over_by))}


HANDOVERS_PAPER = declare_paper(HandoverPaper())


# Taken over, and signed by both sides


MAX_ITEMS = 500
MAX_NOTE = 1000
MAX_SHIFT = 40


def _draft_of(ctx: FacilityContext, shift: str) -> HandoverDraft:
    """What is open now. Raises `handover-of-another-shift` where the page showed another shift."""
    draft = handover_draft(ctx.facility, ctx.now)
    if draft.shift.key != shift:
        raise Refusal(HANDOVER_OF_ANOTHER_SHIFT)
    return draft


@facility_act(STAFF, roles=STAFFERS, witness=True)
def accept_open_items(
    ctx: FacilityContext,
    *,
    items: Annotated[tuple[str, ...], words(MAX_ITEMS)] = (),
    shift: Annotated[str, text(MAX_SHIFT)],
) -> ActOutcome:
    """Take over open items: the second person does who signs with their PIN, or the actor where nobody signs.

    Raises `handover-item-not-open` for an item that has ended meanwhile, and `handover-owner-may-not`.
    """
    draft = _draft_of(ctx, shift)
    if not items:
        raise malformed("items")
    owner = ctx.witness or ctx.actor
    if owner.role not in FLOOR:
        raise Refusal(HANDOVER_OWNER_MAY_NOT, person=owner.name)
    items_by_key = {item.key: item for item in draft.items}
    for key in items:
        if key not in items_by_key:
            raise Refusal(HANDOVER_ITEM_NOT_OPEN, item=key)
    ItemAcceptance.objects.bulk_create(
        ItemAcceptance(
            facility=ctx.facility,
            shift=draft.shift.key,
            item=key,
            person=owner,
            accepted_at=ctx.now,
            seq=ctx.stream.seq + 1,
        )
        for key in dict.fromkeys(items)
    )
    return ActOutcome(
        ITEMS_ACCEPTED(
            shift=draft.shift.key,
            owner=owner.code,
            items=[item_data(items_by_key[key]) for key in dict.fromkeys(items)],
        ),
        {"owner": owner.code},
        changes="nothing",
    )


@facility_act(STAFF, roles=STAFFERS, witness=True)
def sign_handover(
    ctx: FacilityContext,
    *,
    note: Annotated[str, prose(MAX_NOTE)] = "",
    shift: Annotated[str, text(MAX_SHIFT)],
) -> ActOutcome:
    """Hand the shift over to the second person, who signs with their own PIN.

    Raises `handover-successor-must-sign`, or `handover-item-without-owner` for what nobody has taken over.
    """
    draft = _draft_of(ctx, shift)
    refusal = Refusal(HANDOVER_SUCCESSOR_MUST_SIGN)
    by, successor = step_signers(ctx, HANDOVERS_PAPER.code, "signature", refusal)
    missing = draft.without_owner
    if missing:
        raise Refusal(
            HANDOVER_ITEM_WITHOUT_OWNER,
            count=len(missing),
            total=len(draft.items),
            item=in_words(missing[0]),
        )
    handover = Handover.objects.create(
        facility=ctx.facility,
        number=Handover.objects.filter(facility=ctx.facility).count() + 1,
        shift=draft.shift.key,
        gaming_day=draft.shift.gaming_day,
        handed_over_by=by,
        taken_over_by=successor,
        signed_at=ctx.now,
        stream=ctx.stream,
        seq=ctx.stream.seq + 1,
    )
    data = _signed_data(ctx, handover, draft, note)
    return ActOutcome(HANDOVER_SIGNED(data), {"handover": handover.number}, changes="nothing")


def _signed_data(ctx: FacilityContext, handover: Handover, draft: HandoverDraft, note: str) -> HandoverSigned:
    by_pit, total = shift_figures(ctx.facility, draft.shift)
    return {
        "handover": handover.number,
        "shift": draft.shift.key,
        "shift_name": draft.shift.name,
        "next_shift_name": draft.shift.next_name,
        "begins_at": format_moment(draft.shift.begins),
        "ends_at": format_moment(draft.shift.ends),
        "handed_over_by": handover.handed_over_by.code,
        "taken_over_by": handover.taken_over_by.code,
        "items": [_handed_item(item) for item in draft.items],
        "pits": [pit_figures(code, sums) for code, sums in by_pit.items()],
        "total": pit_figures(WHOLE_FLOOR, total),
        "note": note,
    }


def item_data(item: OpenItem) -> OpenItemData:
    """An open item as entries name it."""
    return {"item": item.key, "kind": item.label, "table": item.table or None, "title": item.title}


def _handed_item(item: OpenItem) -> HandedItem:
    assert item.owner is not None
    return {
        **item_data(item),
        "due_at": format_moment(item.due_at) if item.due_at else None,
        "holder": item.holder.code if item.holder else None,
        "owner": item.owner.code,
    }


def in_words(item: OpenItem) -> str:
    """`T-20, Dispute at seat 5`."""
    return f"{item.table}, {item.title}" if item.table else item.title


# What the entries state of handovers and acceptances


HANDOVERS = RowFindings.declare("handover")
declare(
    Handover,
    "handover",
    key={"facility": FACILITY, "number": "handover"},
    created={
        HANDOVER_SIGNED: {
            **same("shift", "handed_over_by", "taken_over_by"),
            "gaming_day": lambda body: body["data"]["shift"].partition("/")[0],
            "signed_at": AT,
            "stream": STREAM,
            "seq": SEQ,
        }
    },
    findings=HANDOVERS,
)


def accepted(rows: Rows, body: Body) -> None:
    data = body["data"]
    for item in data["items"]:
        key = FACILITY(body), data["shift"], item["item"], body["seq"]
        rows.put(body, *key, person=data["owner"], accepted_at=body["at"])


declare(
    ItemAcceptance,
    "acceptance",
    key={"facility": FACILITY, "shift": "shift", "item": "item", "seq": SEQ},
    folded={ITEMS_ACCEPTED: accepted},
    folded_columns=("person", "accepted_at"),
    findings=HANDOVERS,
)


# The pages


@dataclass(frozen=True)
class ItemRow:
    """An open item as the page shows it. `by` is `now`, a time, or `open`."""

    key: str
    label: str
    level: str
    table: str
    title: str
    text: str
    by: str
    holder: str
    owner: str
    group: str


@dataclass(frozen=True)
class ItemGroup:
    """Open items of one sort, which one person may take over with one signature."""

    name: str
    rows: list[ItemRow]

    @property
    def owner(self) -> str:
        """Who took all of them over; "" while any has nobody. Several owners are named once each."""
        owners = [row.owner for row in self.rows]
        return ", ".join(dict.fromkeys(owners)) if all(owners) else ""

    @property
    def keys(self) -> str:
        """The keys of the items, with spaces between."""
        return " ".join(row.key for row in self.rows)


@dataclass(frozen=True)
class ShiftFiguresRow:
    """The figures of a pit, or of the floor; `deviations` of its win from the expectation, within three."""

    name: str
    rounds: int
    handle_cents: int
    win_cents: int
    expected_cents: int | None
    band_cents: int | None

    @property
    def deviations(self) -> float | None:
        """How many standard deviations the win is from its expectation, to one digit."""
        if self.expected_cents is None or not self.band_cents:
            return None
        return round(2 * (self.win_cents - self.expected_cents) / self.band_cents, 1)

    @property
    def place(self) -> float | None:
        """Where the win is on an axis of three standard deviations to each side."""
        return None if self.deviations is None else max(-3.0, min(3.0, self.deviations))

    @property
    def is_outside(self) -> bool:
        return is_outside_band(self.win_cents, self.expected_cents, self.band_cents)

    @property
    def words(self) -> str:
        """`1.2 standard deviations above expectation`."""
        if self.deviations is None:
            return "no expectation"
        side = "below" if self.deviations < 0 else "above"
        return f"{abs(self.deviations)} standard deviations {side} expectation"


def item_row(item: OpenItem, facility: Facility, now: dt.datetime) -> ItemRow:
    """Return an open item with its times in words of the facility's clock."""
    is_now = item.is_now or (item.due_at is not None and item.due_at <= now)
    return ItemRow(
        item.key,
        item.label,
        item.level,
        item.table,
        item.title,
        item.text,
        "now" if is_now else moment_words(item.due_at, facility, now) if item.due_at else "open",
        item.holder.short_name if item.holder else "",
        item.owner.short_name if item.owner else "",
        item.group or item.label,
    )


def decide_first(rows: list[ItemRow]) -> tuple[list[ItemRow], list[ItemGroup]]:
    """Return what has to be decided now, line by line, and what goes over, in groups in the order of their first."""
    now = [row for row in rows if row.by == "now"]
    groups: dict[str, list[ItemRow]] = {}
    for row in rows:
        if row.by != "now":
            groups.setdefault(row.group, []).append(row)
    return now, [ItemGroup(name, members) for name, members in groups.items()]


def what_is_missing(draft: HandoverDraft) -> tuple[str, str]:
    """Return what the button says while nobody can sign, in two lines; empty once everything has an owner."""
    missing, total = draft.without_owner, len(draft.items)
    if not missing:
        return "", ""
    verb = "has" if len(missing) == 1 else "have"
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"{len(missing)} of {total} {verb} no owner", f"{in_words(missing[0])}{more}"


def signed_handover(handover: Handover) -> dict[str, Any] | None:
    """Return a signed handover as its entry has it, with names for codes; None if the entry cannot be read."""
    entry = Entry.objects.filter(stream=handover.stream_id, seq=handover.seq).first()
    data = data_of(entry) if entry else {}
    try:
        return _signed_page(handover, data)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _signed_page(handover: Handover, data: dict[str, Any]) -> dict[str, Any]:
    facility = handover.facility
    codes = {code for item in data["items"] for code in (item["holder"], item["owner"]) if code}
    names = {person.code: person.short_name for person in Person.objects.filter(code__in=codes)}
    items = [
        {
            "kind": item["kind"],
            "table": item["table"] or "",
            "title": item["title"],
            "due_at": dt.datetime.fromisoformat(item["due_at"]) if item["due_at"] else None,
            "holder": names.get(item["holder"], item["holder"] or ""),
            "owner": names.get(item["owner"], item["owner"]),
        }
        for item in data["items"]
    ]
    return {
        "shift_name": data["shift_name"],
        "next_shift_name": data["next_shift_name"],
        "begins_at": dt.datetime.fromisoformat(data["begins_at"]),
        "ends_at": dt.datetime.fromisoformat(data["ends_at"]),
        "items": items,
        **figure_rows(facility, data["pits"], data["total"]),
        "note": data["note"],
    }


def figure_rows(facility: Facility, pits: Iterable[PitFigures], total: PitFigures) -> dict[str, Any]:
    """Return the figures of a shift, recorded ones too, as the rows `pits` and `total` of a page.

    Raises KeyError or TypeError for recorded figures of another shape.
    """
    names = dict(Pit.objects.filter(facility=facility).values_list("code", "name"))
    return {"pits": [_figures_row(figures, names) for figures in pits], "total": _figures_row(total, names)}


def _figures_row(data: PitFigures, pits: dict[str, str]) -> ShiftFiguresRow:
    return ShiftFiguresRow(
        "Floor" if data["pit"] == WHOLE_FLOOR else pits.get(data["pit"], data["pit"]),
        data["rounds"],
        data["handle_cents"],
        data["win_cents"],
        data["expected_cents"],
        data["band_cents"],
    )
