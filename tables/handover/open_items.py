"""Everything that the record holds open on a floor, in one list that nobody writes.

Each source reads the tables of play, without locks. Training and simulated tables have nothing to hand over.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db.models import Q

from audit.models import Person
from games.engine.odds import in_dollars
from games.models import Facility, PreparedChange
from games.separation import policy
from games.separation.signatures import unsigned_papers
from tables.alerts.calls import CALLS, DISPUTE, alert_words
from tables.cases.inbox import cases_of
from tables.cases.kinds import kind_of as case_kind_of
from tables.core.alerts import AlertKind, kind_of
from tables.corrections.reviews import reviewer_names
from tables.corrections.slips import AWAITED_REVIEW, UNSETTLED_SLIP
from tables.dice.at_tables import DICE_EXPIRED, DICE_ONE_HOUR, DICE_ONE_MINUTE, DICE_TEN_MINUTES
from tables.dice.room import LATE_COUNT, LATE_DESTRUCTION, TO_DESTROY, count_due_at
from tables.failures import DEVICE_FAILURE, SHAKER_FAILURE, ceased_text
from tables.limits import section_of
from tables.models import Alert, Case, ChipTransfer, DiceLot, DropBox, LimitsChange, PlannedMove, Slip, Table
from tables.models.money import slip_of
from tables.money.transfers import transfers_of
from tables.words.entries import words_of

DICE_NEAR = dt.timedelta(hours=2)  # their time ends soon after the handover
COUNT_NEAR = dt.timedelta(days=1)
MOST_CODES = 6
# Alerts whose cause is an item of its own while it lasts.
COVERED = {
    kind.code
    for kind in (
        *(DEVICE_FAILURE, SHAKER_FAILURE, UNSETTLED_SLIP, AWAITED_REVIEW, LATE_COUNT, LATE_DESTRUCTION),
        *(DICE_ONE_HOUR, DICE_TEN_MINUTES, DICE_ONE_MINUTE, DICE_EXPIRED),
    )
}
ItemLevel = Literal["stop", "warn", "info", ""]


@dataclass(frozen=True)
class OpenItem:
    """Something that is open. `key` names it, in entries too.

    `table` is empty for what belongs to no table, `due_at` None where no time is set. `holder` had it last. An
    acceptance before `since` does not count: the item arose, or grew, after it. `group` names what the page lists
    together; "" for its label. `owner` took it over for a handover; None while nobody did.
    """

    key: str
    label: str
    title: str
    text: str
    level: ItemLevel = ""
    table: str = ""
    due_at: dt.datetime | None = None
    is_now: bool = False
    since: dt.datetime | None = None
    holder: Person | None = None
    group: str = ""
    owner: Person | None = None


Source = Callable[[Facility, dt.datetime], Iterable[OpenItem]]


def open_items(facility: Facility, now: dt.datetime) -> list[OpenItem]:
    """Return what is open at a facility: stops, then what is due now, then by time, then what has no time."""
    items = [item for source in SOURCES for item in source(facility, now)]
    return sorted(items, key=_rank)


def _rank(item: OpenItem) -> tuple[bool, bool, bool, float, str]:
    moment = item.due_at or item.since
    return (
        item.level != "stop",
        not item.is_now,
        item.due_at is None,
        moment.timestamp() if moment else 0.0,
        item.key,
    )


def stopped_tables(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Tables where gaming has ceased, and tables that the record halted."""
    stopped = Q(status=Table.Status.CEASED) | Q(halted_at__isnull=False)
    tables = Table.objects.filter(stopped, facility=facility, kind=Table.Kind.LIVE, stream__closed_at=None)
    for table in tables.select_related("floorperson").order_by("code"):
        stopped_at = table.halted_at or table.ceased_since
        title, text = f"Gaming ceased at {_time(facility, stopped_at, now)}", ceased_text(table.ceased_what)
        if table.repaired_at is not None:
            text = f"Repaired at {_time(facility, table.repaired_at, now)}. The inspection is due."
        if table.halted_at is not None:
            title, text = "The record went back", "No act until two people declare it."
        yield OpenItem(
            f"stop:{table.code}",
            "Stop",
            title,
            text,
            "stop",
            table.code,
            is_now=True,
            since=stopped_at,
            holder=table.floorperson,
        )


def held_alerts(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Alerts that have not ended or that nobody has acknowledged, as many of a kind on one line as screens show."""
    alerts = Alert.objects.filter(table__facility=facility, table__kind=Table.Kind.LIVE)
    alerts = alerts.filter(Q(ended_at=None) | Q(acknowledged_at=None))
    alerts = alerts.select_related("table__floorperson", "acknowledged_by", "coming_by").order_by("pk")
    lines: dict[tuple[str, str], list[Alert]] = defaultdict(list)
    for alert in alerts:
        if alert.ended_at is None and alert.kind in COVERED:
            continue
        is_grouped = kind_of(alert.kind, alert.key).describe_group is not None
        lines[alert.table.code, alert.kind if is_grouped else alert.key].append(alert)
    for (table, name), line in lines.items():
        yield _alert_item(facility, f"alert:{table}:{name}", line, now)


def _alert_item(facility: Facility, key: str, line: list[Alert], now: dt.datetime) -> OpenItem:
    alert = line[-1]
    kind = kind_of(alert.kind, alert.key)
    title, text = alert_words(alert.kind, alert.key, alert.params)
    if kind.describe_group is not None and len(line) > 1:
        title, text = kind.describe_group([member.params for member in line])
    has_ended = all(member.ended_at is not None for member in line)
    holder = alert.acknowledged_by or alert.coming_by
    if has_ended:
        text = "It has ended, and nobody has acknowledged it."
    elif alert.acknowledged_by is not None:
        name, moment = alert.acknowledged_by.short_name, _time(facility, alert.acknowledged_at, now)
        text = f"Acknowledged by {name} at {moment}. {text}"
    elif alert.coming_by is not None:
        text = f"{alert.coming_by.short_name} is coming. {text}"
    else:
        text = f"Nobody has it, since {_time(facility, alert.raised_at, now)}. {text}"
    return OpenItem(
        key,
        _alert_label(kind, alert.level),
        title,
        text,
        alert.level,
        alert.table.code,
        is_now=not has_ended
        and (kind.needs_note or alert.level == "stop" or (holder is None and alert.level == "warn")),
        since=max(member.raised_at for member in line),
        holder=holder or alert.table.floorperson,
        group=kind.name,
    )


def _alert_label(kind: AlertKind, level: str) -> str:
    if kind is DISPUTE:
        return "Dispute"
    if kind in CALLS.values():
        return "Call"
    return {"stop": "Stop", "warn": "Alert"}.get(level, "Notice")


def limits_notices(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Changes of limits whose notice runs, or whose sign or announcement is still missing."""
    changes = LimitsChange.objects.filter(table__facility=facility, status=LimitsChange.Status.PENDING)
    changes = changes.filter(table__kind=Table.Kind.LIVE).order_by("pk")
    for change in changes.select_related("table__facility", "announced_by", "asked_by"):
        missing = [
            words
            for moment, words in (
                (change.posted_at, "post the sign"),
                (change.announced_at, "announce the change"),
            )
            if moment is None
        ]
        text = f"Still to do: {' and '.join(missing)}."
        if not missing:
            text = f"Announced at {_time(facility, change.announced_at, now)}, with the sign posted."
        section = section_of(change.table, "limits.notice")
        yield OpenItem(
            f"limits:{change.table.code}:{change.number}",
            "Notice",
            f"Limits go to {in_dollars(change.min_cents)}–{in_dollars(change.max_cents)}",
            f"{text} {section}".strip(),
            "info",
            change.table.code,
            due_at=change.effective_at,
            is_now=bool(missing),
            since=change.asked_at,
            holder=change.announced_by or change.asked_by,
        )


def dice_near_their_time(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Lots in use whose time ends within two hours, or has ended."""
    lots = DiceLot.objects.filter(
        facility=facility,
        status=DiceLot.Status.PLACED,
        expires_at__lte=now + DICE_NEAR,
        shaker__table__kind=Table.Kind.LIVE,
    )
    lots = lots.select_related("shaker__table__floorperson").order_by("expires_at", "pk")
    issued: dict[int | None, list[str]] = defaultdict(list)
    ready = DiceLot.objects.filter(facility=facility, status=DiceLot.Status.ISSUED).order_by("code")
    for table_id, code in ready.values_list("table_id", "code"):
        issued[table_id].append(code)
    for lot in lots:
        assert lot.shaker is not None and lot.shaker.table is not None and lot.expires_at is not None
        table = lot.shaker.table
        codes = issued[table.pk]
        is_past = lot.expires_at <= now
        yield OpenItem(
            f"dice:{lot.code}",
            "Dice",
            f"{lot.code} {'is past its time' if is_past else 'reaches the end of its time'}",
            f"{_listed(codes)} is issued to the table." if codes else "No other lot is issued to the table.",
            "stop" if is_past and table.status == Table.Status.OPEN else "warn",
            table.code,
            due_at=lot.expires_at,
            since=lot.placed_at,
            holder=table.floorperson,
        )


def transfers_under_way(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Fills and credits that are requested, prepared or carried."""
    for transfer in transfers_of(facility):
        if transfer.table.kind != Table.Kind.LIVE:
            continue
        is_fill = transfer.kind == ChipTransfer.Kind.FILL
        slip = slip_of(transfer.kind, transfer.slip_number) or "no slip yet"
        moment = transfer.handed_at or transfer.prepared_at or transfer.requested_at
        yield OpenItem(
            f"transfer:{transfer.table.code}:{transfer.number}",
            "Fill" if is_fill else "Credit",
            f"{in_dollars(transfer.cents)}, {slip}",
            f"{transfer.get_status_display().capitalize()} since {_time(facility, moment, now)}.",
            table=transfer.table.code,
            is_now=transfer.status == ChipTransfer.Status.ON_THE_WAY,
            since=transfer.requested_at,
            holder=transfer.carrier or transfer.prepared_by or transfer.requested_by,
        )


def slips_in_work(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Slips whose money has not moved yet, and slips that wait for their review."""
    slips = Slip.objects.filter(table__facility=facility, table__kind=Table.Kind.LIVE)
    in_work = Q(status=Slip.Status.FILED) & ~Q(review_verdict=Slip.Verdict.DIFFERS)
    in_work |= Q(review_due_at__isnull=False, reviewed_at=None)
    slips = slips.filter(in_work).select_related("table", "round", "filed_by").order_by("pk")
    who = reviewer_names(facility).capitalize()
    for slip in slips:
        review = f"{who} reviews it." if slip.waits_for_review else ""
        is_settled = slip.status == Slip.Status.SETTLED
        money = "The money has moved." if is_settled else "The money that is due has not moved."
        yield OpenItem(
            f"slip:{slip.table.code}:{slip.code}",
            "Review" if is_settled else "Slip",
            f"{slip.code}, round {slip.round.number}: {in_dollars(slip.due_cents)}",
            f"{money} {review}".strip(),
            table=slip.table.code,
            due_at=slip.review_due_at if slip.waits_for_review else None,
            since=slip.filed_at,
            holder=slip.filed_by,
        )


def dice_room(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Lots to destroy, as one item that grows, and the physical count of the dice once it is near."""
    lots = DiceLot.objects.filter(facility=facility, status__in=TO_DESTROY, training=False)
    lots = lots.exclude(table__kind=Table.Kind.SIMULATED).order_by("to_destroy_since", "code")
    since = [lot.to_destroy_since for lot in lots if lot.to_destroy_since is not None]
    if lots:
        hours, count = facility.law.custody.destruction_hours, len(lots)
        yield OpenItem(
            "dice-room:destroy",
            "Dice room",
            f"{count} lot{'' if count == 1 else 's'} of dice to destroy",
            _listed([lot.code for lot in lots]),
            due_at=min(since) + dt.timedelta(hours=hours) if hours and since else None,
            since=max(since, default=None),
        )
    counted_by = count_due_at(facility)
    if counted_by is not None and counted_by <= now + COUNT_NEAR:
        yield OpenItem(
            "dice-room:count", "Dice room", "Physical count of the dice", "", due_at=counted_by, since=None
        )


def open_cases(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Cases of compliance, those of one kind at a table on one line that grows.

    By their kind and what they add up to: what each says is for those who work on it.
    """
    lines: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases_of(facility).filter(status="open"):
        lines[case.table.code if case.table else "", case.kind].append(case)
    for (table, kind), cases in lines.items():
        yield _cases_item(f"cases:{table}:{kind}", table, sorted(cases, key=lambda case: case.pk))


def _cases_item(key: str, table: str, cases: list[Case]) -> OpenItem:
    kind, first = case_kind_of(cases[0]), cases[0]
    owners = {case.owner.pk: case.owner for case in cases if case.owner}
    without_owner = sum(case.owner is None for case in cases)
    is_one = len(cases) == 1
    title, text = f"{len(cases)} cases: {kind.label}", ""
    if is_one:
        title = f"{first.code}: {kind.label}"
    if kind.sum_up is not None:
        title, text = kind.sum_up([case.params for case in cases])
    codes = first.code if is_one else f"{len(cases)} cases, {first.code} to {cases[-1].code}"
    owned = f"Owned by {_listed([owner.short_name for owner in owners.values()])}."
    if without_owner:
        nobody = "Nobody owns it yet." if is_one else "Nobody owns them yet."
        owned = f"{owned[:-1]}, {without_owner} by nobody." if owners else nobody
    about = ", ".join(filter(None, [text, codes if kind.sum_up or not is_one else ""]))
    return OpenItem(
        key,
        "Case",
        title,
        f"{about}. {owned}" if about else owned,
        table=table,
        due_at=min(case.due_at for case in cases),
        since=max(case.opened_at for case in cases),
        holder=next(iter(owners.values())) if len(owners) == 1 and not without_owner else None,
        group=kind.label,
    )


def changes_to_approve(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Changes that one person prepared, and that wait for the second one."""
    changes = PreparedChange.objects.filter(facility=facility, status=PreparedChange.Status.WAITING)
    for change in changes.select_related("prepared_by").order_by("pk"):
        who = policy.approved_in_words(policy.row_of(facility.law, change.subject)).capitalize()
        prepared_at = _time(facility, change.prepared_at, now)
        yield OpenItem(
            f"change:{change.code}",
            "Approval",
            f"{change.code}: {words_of(change.entry_type, change.entry_data)}",
            f"Prepared by {change.prepared_by.short_name} at {prepared_at}. {who} approves it.",
            "warn" if change.due_at < now else "",
            due_at=change.due_at,
            since=change.prepared_at,
            holder=change.prepared_by,
        )


def planned_moves(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """The planned moves of dealers, as one item that grows."""
    moves = list(PlannedMove.objects.open_moves(facility).select_related("person", "table", "planned_by"))
    if not moves:
        return
    names = [
        f"{move.person.short_name} to {move.table.code} at {_time(facility, move.planned_for, now)}"
        for move in moves
    ]
    newest = max(moves, key=lambda move: move.planned_at)
    yield OpenItem(
        "rotation:planned",
        "Rotation",
        f"{len(moves)} planned move{'' if len(moves) == 1 else 's'} of dealers",
        _listed(names),
        due_at=moves[0].planned_for,
        since=newest.planned_at,
        holder=newest.planned_by,
    )


def drop_boxes_to_count(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """The drop boxes that were taken off and have no figure of the count room, on one line."""
    boxes = DropBox.objects.filter(table__facility=facility, table__kind=Table.Kind.LIVE, counted_at=None)
    boxes = boxes.filter(taken_off_at__isnull=False).select_related("table", "taken_off_by")
    waiting = list(boxes.order_by("taken_off_at", "pk"))
    if not waiting:
        return
    newest, sold_cents = waiting[-1], sum(box.sold_cents for box in waiting)
    names = [f"{box.box} of {box.table.code}" for box in waiting]
    yield OpenItem(
        "drop-boxes",
        "Drop",
        f"{len(waiting)} drop box{'' if len(waiting) == 1 else 'es'} to count",
        f"{_listed(names)}, with {in_dollars(sold_cents)} by the record.",
        since=newest.taken_off_at,
        holder=newest.taken_off_by,
    )


def papers_to_sign(facility: Facility, now: dt.datetime) -> Iterator[OpenItem]:
    """Papers that somebody signs next by themselves, because the jurisdiction adds a signer."""
    codes = set(Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).values_list("code", flat=True))
    for paper in unsigned_papers(facility):
        if paper.place in codes or paper.paper.place:
            yield OpenItem(
                f"signature:{paper.place}:{paper.paper.code}-{paper.number}:{paper.next.row.post}",
                "Signature",
                f"{paper.name}: {paper.next.post} to sign",
                f"Signed next by {paper.who}, with their own PIN.",
                table=paper.place if paper.place in codes else "",
                since=max((place.moment for place in paper.signatures if place.moment), default=None),
                holder=next((place.person for place in reversed(paper.signatures) if place.person), None),
            )


SOURCES: tuple[Source, ...] = (
    stopped_tables,
    held_alerts,
    limits_notices,
    dice_near_their_time,
    transfers_under_way,
    drop_boxes_to_count,
    slips_in_work,
    papers_to_sign,
    planned_moves,
    dice_room,
    changes_to_approve,
    open_cases,
)


def _listed(codes: Sequence[str]) -> str:
    """`L-0031, L-0038 and 3 more`."""
    more = len(codes) - MOST_CODES
    return ", ".join(codes[:MOST_CODES]) + (f" and {more} more" if more > 0 else "")


def _time(facility: Facility, moment: dt.datetime | None, now: dt.datetime) -> str:
    """`21:37` on this day, otherwise `20 Nov 21:37`."""
    if moment is None:
        return ""
    local = facility.local(moment)
    is_today = local.date() == facility.local(now).date()
    return f"{local:%H:%M}" if is_today else f"{local.day} {local:%b %H:%M}"
