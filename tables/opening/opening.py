"""A table made, inspected, opened and closed (docs/pit.md).

1. The floorperson of the table inspects it: the lines of its edition, cameras, the test runs of an automated shaker,
   the lights (`inspect_table`). After a failure the inspection lets gaming continue (`tables.failures`).
2. The floor opens it within `INSPECTION_HOLDS` of that, with every approval on file, every post staffed, and new dice
   where the edition asks for them (`open_table`). Who supervises the table has inspected it.
3. The floor closes it between rounds (`close_table`): no dispute is undecided, no fill or credit under way, the drop
   box is off, the closer is there, and the shaker is secured. Its dice stay, or leave play. The next opening needs a
   new inspection.

`tables.opening.steps` shows the steps; `tables.opening.open_time` reads from the entries when a table was open.

A new table gets its row, its stream and the first entry there (`make_table`). Two people close a stream where the
record needs it (`audit.sealing.declarations`); the table that continues it begins on a stream of its own
(`continue_table`).
"""

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Annotated, Any, NotRequired, TypedDict, Unpack, cast

from django.db.models import QuerySet

from audit import clock, record
from audit.columns import AT, FACILITY, PLACE, Reading, declare, plain, same
from audit.entry_types import entry_type
from audit.models import Device, Person, Stream
from games.act_forms import OptionalDice, Words, whole
from games.engine import Refusal, RefusalCode
from games.engine.editions import edition
from games.engine.refusals import refusal_of
from games.models import Facility, RulesSubmission
from games.office.signs import recorded_sign_keys
from games.params import malformed
from games.snapshot_types import DiceAtClosing, EquipmentKind, TableKind
from tables.core.alerts import end_alert, held, standing_disputes
from tables.core.context import GAMING_CEASED, ROUND_IN_PLAY, TABLE_IS_CLOSED, TableContext
from tables.core.duty import AT_THE_TABLE, lock_duty_of
from tables.core.posts import holder_ids, unattended_shaker_section, verify_staffed
from tables.dice.at_tables import remove_dice
from tables.equipment.approvals import Equipment, verify_tosses
from tables.failures import resume_gaming
from tables.models import Alert, Inspection, Pit, Table
from tables.money.drops import verify_drop_box_off
from tables.money.transfers import verify_nothing_under_way
from tables.money.tray import verify_closer_signed, verify_opener_signed
from tables.players.ratings import end_with_seats
from tables.rules import NEW_RULES, current_rules, verify_game_not_suspended
from tables.runner.facility import STREAMS
from tables.runner.signatures import floor_signer, verify_signed_by_floor
from tables.runner.table import ActOutcome, act
from tables.staffing.dealers import pause_work, resume_work
from tables.staffing.supervision import current_supervisor, supervisor_at_opening
from tables.words.sentences import dice_words, dollars

TABLE_NOT_CLOSED = RefusalCode("table-not-closed", "%(table)s is open already.")
INSPECT_BEFORE_OPENING = RefusalCode(
    "inspect-before-opening",
    "The inspection is made while the table is closed.",
)
LIGHTS_DO_NOT_AGREE = RefusalCode(
    "lights-do-not-agree",
    "The combinations you saw lit are not those of these dice: %(wrong)s. Do not open the table.",
)
NOT_INSPECTED = RefusalCode(
    "not-inspected",
    "The table has not been inspected since it closed. Inspect it first.",
)
INSPECTION_TOO_OLD = RefusalCode(
    "inspection-too-old",
    "The inspection was made at %(at)s. It holds for %(hours)s hours. Inspect the table again.",
    "Inspect again",
)
INSPECTOR_NOT_ASSIGNED = RefusalCode(
    "inspector-not-assigned",
    "%(assigned)s is assigned to %(table)s and inspects it. If %(by)s takes the table over, assign it first.",
    "Another floorperson",
)
INSPECTED_BY_ANOTHER = RefusalCode(
    "inspected-by-another",
    "%(by)s inspected %(table)s, and %(supervisor)s supervises it now. %(supervisor)s must inspect it.",
    "Inspect again",
)
EDITION_LAPSED = RefusalCode(
    "edition-lapsed",
    "This edition lapsed on %(on)s. Acknowledge that to open the table under it.",
)
NEW_DICE_AT_OPENING = RefusalCode(
    "new-dice-at-opening",
    "Dice lot %(lot)s was at this table before it closed. Put a new set in first.",
)
PAYOUT_LIMIT_TOO_LOW = RefusalCode(
    "payout-limit-too-low",
    "The filed payout limit of %(limit)s is under %(least)s, the least at this table's minimum. Do "
    "not open it.",
)
DISPUTE_UNDECIDED = RefusalCode(
    "dispute-undecided",
    "The dispute%(where)s is not decided. Decide it, then close %(table)s.",
    "Decide the dispute",
)
SECURE_THE_SHAKER = RefusalCode(
    "secure-the-shaker",
    "Shaker %(shaker)s must not be left unattended. Lock it away, and confirm it.",
    "Lock the shaker away",
)


# What the record says


class TableMade(TypedDict):
    game: str
    kind: Annotated[TableKind, "kind of table"]
    max_cents: Annotated[int, "the maximum wager"]
    min_cents: Annotated[int, "the minimum wager"]
    pit: str
    seats: Annotated[int, "how many seats it has"]
    submission: str


TABLE_MADE = entry_type("table.made", TableMade, "The table was made. Its kind never changes.")


@entry_type("table.inspected")
def TABLE_INSPECTED(
    *,
    after_repair_of: Annotated[
        EquipmentKind | None, "what had failed before this inspection; null at an opening"
    ],
    by: Annotated[str, "code of the floorperson who inspected the table"],
    cameras: list[str],
    dice: Annotated[
        list[int], "faces that were entered as a test of the lit layout; empty where nothing is lit"
    ],
    lines: Annotated[list[str], "codes of the inspection lines that were confirmed"],
    lit: Annotated[list[str], "codes of the wagers whose areas were lit for these faces"],
    shaker: str,
    tosses: Annotated[int, "test runs of the shaker; an automated one has at least three"],
) -> str:
    """The floorperson inspected the table and its equipment."""
    return "Inspected with %s" % dice_words(dice)


class TermsData(TypedDict):
    """The rules and limits of an opening."""

    edition: str
    max_cents: Annotated[int, "the maximum wager"]
    min_cents: Annotated[int, "the minimum wager"]
    stopped: NotRequired[Annotated[list[str], "codes of the wagers that are suspended; absent without any"]]
    submission: str
    submission_version: Annotated[int, "version of the rules submission"]
    terms_sha256: str


@entry_type("table.opened")
def TABLE_OPENED(
    *,
    floorperson: str,
    inspected_by: str,
    lapsed_acknowledged: bool,
    lot: str,
    shaker: str,
    takes_supervision: bool,
    **data: Unpack[TermsData],
) -> str:
    """The table was opened for gaming under these rules and limits."""
    return "Opened"


@entry_type("table.closed")
def TABLE_CLOSED(
    *,
    last_round: Annotated[int, "number of the last round at this table; 0 before the first"],
    removed: Annotated[str | None, "code of the lot that was taken out of play; null without one"],
    secured: bool,
    shaker: Annotated[str | None, "code of the shaker; null without one"],
    stays: Annotated[str | None, "code of the lot that stays in the shaker; null without one"],
) -> str:
    """The table was closed."""
    return "Closed"


# The inspection


@act(roles=AT_THE_TABLE, witness=True)
def inspect_table(
    ctx: TableContext,
    *,
    dice: OptionalDice = None,
    lit: Words = (),
    tosses: Annotated[int, whole(0, 99)] = 0,
    lines: Words = (),
    cameras: Words = (),
) -> ActOutcome:
    """Record the inspection before an opening or after a repair, by the floorperson assigned to the table.

    If an electrical device lights the layout: the dice entered, and exactly their winning combinations lit. An
    automated shaker has three test runs. Each line of the edition is confirmed, with its signs and boxes. After a
    repair the inspection lets gaming continue.
    """
    by = floor_signer(ctx)
    _, shaker = ctx.verify_dice_for_a_round()
    verify_inspection_is_due(ctx)
    verify_inspector(ctx, by)
    if ctx.rules.section("inspection-device"):
        verify_lights(ctx, dice or (), lit)
    elif dice or lit:
        raise malformed("dice")
    verify_tosses(ctx, ctx.shaker_kind, tosses)
    equipment = Equipment(ctx)
    equipment.verify_lines(lines)
    equipment.verify_cameras(cameras)
    inspection = Inspection.objects.create(
        table=ctx.table,
        by=by,
        inspected_at=ctx.now,
        shaker=ctx.shaker,
        terms_sha256=ctx.submission.terms_sha256,
        dice=list(dice or ()),
        lit=sorted(lit),
        tosses=tosses,
        lines=sorted(lines),
        cameras=list(cameras),
    )
    resumed = ctx.table.ceased_what
    if resumed:
        resume_gaming(ctx)
    return ActOutcome(
        TABLE_INSPECTED(
            dice=inspection.dice,
            lit=inspection.lit,
            tosses=tosses,
            shaker=shaker.code,
            lines=inspection.lines,
            cameras=inspection.cameras,
            by=by.code,
            after_repair_of=resumed or None,
        ),
    )


def verify_inspection_is_due(ctx: TableContext) -> None:
    """Raises `gaming-ceased` without a repair, or `inspect-before-opening` at an open table."""
    table = ctx.table
    if table.ceased_what and table.repaired_at is None:
        raise Refusal(GAMING_CEASED, table.ceased_section, what=table.ceased_what)
    if table.status == Table.Status.OPEN:
        raise Refusal(INSPECT_BEFORE_OPENING)


def verify_inspector(ctx: TableContext, person: Person) -> None:
    """Raises `inspector-not-assigned` unless this is the floorperson assigned to the table (§ 625a.5(a)).

    Where nobody on duty is assigned, the inspector is assigned at the opening.
    """
    assigned = current_supervisor(ctx)
    if assigned is not None and assigned != person:
        names = {"assigned": assigned.name, "table": ctx.table.code, "by": person.name}
        raise Refusal(INSPECTOR_NOT_ASSIGNED, ctx.rules.section("inspection-device"), **names)


def verify_lights(ctx: TableContext, dice: tuple[int, ...], lit: tuple[str, ...]) -> None:
    """Raises `lights-do-not-agree` unless exactly the winning combinations of these dice were lit."""
    wins = ctx.game.winning_codes(ctx.rules, [ctx.game.verify_dice(ctx.rules, dice)])
    if set(lit) != set(wins):
        section = ctx.rules.section("inspection-device")
        raise Refusal(LIGHTS_DO_NOT_AGREE, section, wrong=_differing(ctx, lit, wins))


def _differing(ctx: TableContext, lit: tuple[str, ...], wins: tuple[str, ...]) -> str:
    labels = {type_.code: type_.label for type_ in ctx.game.wager_types(ctx.rules)}
    return ", ".join(sorted(str(labels.get(code, code)) for code in set(lit) ^ set(wins))[:3])


# The texts say that the inspection comes before the opening, and not by how much: it holds for a shift.
INSPECTION_HOLDS = dt.timedelta(hours=8)


def last_inspection(ctx: TableContext) -> Inspection | None:
    """The newest inspection since the table last closed that is not too old, if any.

    Only of the current shaker under the rules in force now: another shaker or other rules need another inspection.
    """
    inspection = _inspections(ctx).first()
    return None if inspection is None or _is_too_old(ctx, inspection) else inspection


def _inspections(ctx: TableContext) -> QuerySet[Inspection]:
    inspections = Inspection.objects.filter(
        table=ctx.table, shaker=ctx.shaker, terms_sha256=ctx.submission.terms_sha256
    ).select_related("by")
    closed_at = ctx.table.closed_at
    since = inspections.filter(inspected_at__gt=closed_at) if closed_at else inspections
    return since.order_by("-inspected_at")


def _is_too_old(ctx: TableContext, inspection: Inspection) -> bool:
    return ctx.now - inspection.inspected_at > INSPECTION_HOLDS


# The opening


@act(roles=AT_THE_TABLE, witness=True)
def open_table(ctx: TableContext, *, acknowledge_lapsed: bool = False) -> ActOutcome:
    """Open the table for gaming, after an inspection since it last closed and any repair. The floor signs.

    The floorperson who signs supervises the table unless a supervisor is on duty there. That supervisor has
    inspected it, not longer ago than `INSPECTION_HOLDS`. Every approval must be on file and every post staffed. A
    lapsed edition must be acknowledged.
    """
    verify_signed_by_floor(ctx)
    if ctx.table.status != Table.Status.CLOSED:
        raise Refusal(TABLE_NOT_CLOSED, table=ctx.table.code)
    if ctx.table.ceased_what:
        raise Refusal(GAMING_CEASED, ctx.table.ceased_section, what=ctx.table.ceased_what)
    verify_opener_signed(ctx)
    lot, shaker = ctx.verify_dice_in_time()
    verify_dice_new_enough(ctx)
    verify_payout_limit(ctx)
    verify_game_not_suspended(ctx)
    ctx.verify_shaker_filed()
    Equipment(ctx).verify_approved()
    lock_duty_of(holder_ids(ctx.table))
    verify_staffed(ctx)
    before, floorperson = ctx.table.floorperson_id, supervisor_at_opening(ctx)
    inspection = verify_inspected(ctx, floorperson)
    edition = ctx.rules.edition
    lapsed = edition.lapses_on is not None and edition.lapses_on <= ctx.gaming_day
    if lapsed and not acknowledge_lapsed:
        raise Refusal(EDITION_LAPSED, edition.source, on=edition.lapses_on)
    rules = current_rules(ctx)
    ctx.change_table(
        status=Table.Status.OPEN,
        floorperson=floorperson,
        recorded_rules_key=rules.key,
        acknowledged_terms=rules.terms_key,
        closer_signed_at=None,
    )
    end_alert(ctx, NEW_RULES.key_prefix)
    hand_over_shaker(ctx)
    resume_work(ctx)
    return ActOutcome(
        TABLE_OPENED(
            **terms_data(ctx),
            inspected_by=inspection.by.code,
            floorperson=floorperson.code,
            takes_supervision=floorperson.pk != before,
            lapsed_acknowledged=lapsed,
            lot=lot.code,
            shaker=shaker.code,
        ),
    )


def terms_data(ctx: TableContext) -> TermsData:
    """The rules and limits of an opening, as the record stores them."""
    data: TermsData = {
        "submission": ctx.submission.code,
        "submission_version": ctx.submission.version,
        "edition": ctx.submission.edition,
        "terms_sha256": ctx.submission.terms_sha256,
        "min_cents": ctx.table.min_cents,
        "max_cents": ctx.table.max_cents,
    }
    if ctx.stops:
        data["stopped"] = sorted(ctx.stops)
    return data


def verify_inspected(ctx: TableContext, supervisor: Person) -> Inspection:
    """The inspection under which the table opens, by the person who supervises it from now on.

    Raises `not-inspected`, `inspection-too-old` or `inspected-by-another`.
    """
    section = ctx.rules.section("inspection-device")
    inspection = _inspections(ctx).first()
    if inspection is None:
        raise Refusal(NOT_INSPECTED, section)
    if _is_too_old(ctx, inspection):
        hours = INSPECTION_HOLDS // dt.timedelta(hours=1)
        raise Refusal(INSPECTION_TOO_OLD, section, at=ctx.local(inspection.inspected_at), hours=hours)
    if inspection.by != supervisor:
        names = {"by": inspection.by.name, "supervisor": supervisor.name, "table": ctx.table.code}
        raise Refusal(INSPECTED_BY_ANOTHER, section, **names)
    return inspection


def verify_dice_new_enough(ctx: TableContext) -> None:
    """Raises `new-dice-at-opening` if the edition requires new dice and these were here before (§ 577.4(d))."""
    section, closed_at, lot = ctx.rules.section("new-dice-at-opening"), ctx.table.closed_at, ctx.lot
    if section and closed_at and lot and lot.placed_at and lot.placed_at <= closed_at:
        raise Refusal(NEW_DICE_AT_OPENING, section, lot=lot.code)


def verify_payout_limit(ctx: TableContext) -> None:
    """Raises `payout-limit-too-low` if a player could win more at this table's minimum (A30)."""
    limit = ctx.rules.payout_limit_cents
    if limit is None:
        return
    least = ctx.rules.least_payout_limit_cents(ctx.table.min_cents)
    if limit < least:
        section = ctx.rules.section("payout-limit")
        raise Refusal(PAYOUT_LIMIT_TOO_LOW, section, limit=dollars(limit), least=dollars(least))


# The closing, and the shaker in other hands


@act(roles=AT_THE_TABLE, witness=True)
def close_table(ctx: TableContext, *, dice: DiceAtClosing = "stay", secured: bool = False) -> ActOutcome:
    """Close the table between rounds. The floor signs. The next opening needs a new inspection.

    Refused while a dispute is not decided, a fill or a credit is under way, the drop box is on, or the closer is
    missing.

    `dice`: they `stay` in the shaker, where their clock runs on, or are `removed`. If the edition requires new dice
    at each opening they are always removed. A shaker that may not be left alone must be locked away (`secured`).
    """
    verify_signed_by_floor(ctx)
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    refusals = closing_refusals(ctx, held(ctx.table.pk) if ctx.play.calls else ())
    if refusals:
        raise refusals[0]
    shaker, lot = ctx.shaker, ctx.lot
    verify_secured(ctx, secured)
    if ctx.deals and ctx.rules.section("new-dice-at-opening"):
        dice = "removed"
    removed_lot = remove_dice(ctx, shaker, "table-closed") if shaker and dice == "removed" else None
    ctx.change_table(status=Table.Status.CLOSED, closed_at=ctx.now)
    lock_duty_of(holder_ids(ctx.table))
    pause_work(ctx)
    end_with_seats(ctx, by="close")
    if ctx.table.quarterback or ctx.table.offered or ctx.table.seated:
        ctx.change_table(quarterback=None, offered=None, seated=[], seat_marks={})
    if shaker is not None:
        shaker.secured = True
        shaker.save(update_fields=["secured"])
    stays = lot if lot and not removed_lot else None
    if stays is not None:
        ctx.lots.append(stays)
    return ActOutcome(
        TABLE_CLOSED(
            last_round=ctx.table.last_round,
            shaker=shaker.code if shaker else None,
            removed=removed_lot,
            stays=stays.code if stays else None,
            secured=secured,
        )
    )


def verify_no_round(ctx: TableContext) -> None:
    """Raises `round-in-play` while a round is in play."""
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)


def verify_nothing_disputed(ctx: TableContext, alerts: Iterable[Alert]) -> None:
    """Raises `dispute-undecided` while a dispute stands among the alerts of this table."""
    for dispute in standing_disputes(alerts):
        seat = dispute.params.get("seat")
        where = f" at seat {seat}" if seat else ""
        raise Refusal(DISPUTE_UNDECIDED, dispute.section, where=where, table=ctx.table.code)


def closing_refusals(ctx: TableContext, alerts: Iterable[Alert]) -> list[Refusal]:
    """Return what refuses the closing of this table now, in the order in which people do it.

    `alerts`: those that its screens show. Where the shaker goes is asked when the table is closed.
    """
    checks: tuple[Callable[[], object], ...] = (
        lambda: verify_no_round(ctx),
        lambda: verify_nothing_disputed(ctx, alerts),
        lambda: verify_nothing_under_way(ctx),
        lambda: verify_drop_box_off(ctx),
        lambda: verify_closer_signed(ctx),
    )
    return [refusal for check in checks if (refusal := refusal_of(check)) is not None]


def verify_secured(ctx: TableContext, secured: bool) -> None:
    """Raises `secure-the-shaker` if a shaker that may not be left alone would stay at a closed table.

    Without rules in force no shaker may be left alone.
    """
    section = None if secured else unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal(SECURE_THE_SHAKER, section, shaker=ctx.shaker.code)


def hand_over_shaker(ctx: TableContext) -> None:
    """Put the shaker in its keeper's charge."""
    if ctx.shaker is not None and ctx.shaker.secured:
        ctx.shaker.secured = False
        ctx.shaker.save(update_fields=["secured"])


# What the entries state of inspections


declare(
    Inspection,
    "inspection",
    key={"facility": FACILITY, "table": PLACE, "inspected_at": AT},
    created={
        TABLE_INSPECTED: {
            **same("by", "shaker", "dice", "lit", "tosses", "lines", "cameras"),
            "terms_sha256": lambda body: body["terms"],
        }
    },
    readings={"facility": Reading(("table__facility__code",), plain, ("table",))},
)


# New tables


# Names of streams and URLs that no table may have.
RESERVED_CODES = frozenset(
    {
        *STREAMS,
        *(
            "access",
            "acts",
            "advice",
            "cage",
            "dice-control",
            "dice-watch",
            "devices",
            "exports",
            "figure-reports",
            "figures",
            "handover",
            "people",
            "rotation",
            "rules",
            "sign-in",
            "system",
            "systems",
            "webhooks",
        ),
        *("tiles", "locked-tiles", "wall", "wall-tables"),
    }
)


def make_table(
    facility: Facility,
    *,
    code: str,
    pit: Pit,
    submission: str,
    kind: str,
    by: Person | None = None,
    device: Device | None = None,
    **limits: Any,
) -> Table:
    """Create a table with its stream and first entry. Its kind, and so whether it is real play, never changes.

    Raises ValueError for a code that names another stream, and for more seats than the edition allows.
    """
    if code.lower() in RESERVED_CODES:
        raise ValueError(f"{code} is no code of a table.")
    newest = newest_submission(facility, submission)
    max_seats = edition(newest.edition).places
    if max_seats and limits["seats"] > max_seats:
        raise ValueError(f"{newest.edition} has places for {max_seats} players.")
    stream = record.open_stream(f"{facility.code}/{code}", real_play=kind == Table.Kind.LIVE)
    table = Table.objects.create(
        facility=facility,
        pit=pit,
        stream=stream,
        code=code,
        game=newest.game,
        kind=kind,
        submission_code=submission,
        recorded_sign_ids=recorded_sign_keys([(facility.pk, newest.game)])[facility.pk, newest.game],
        **limits,
    )
    now = clock.now()
    data: TableMade = {
        "kind": cast(TableKind, str(kind)),
        "game": table.game,
        "seats": table.seats,
        "submission": submission,
        "pit": pit.code,
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
    }
    record.append(
        stream,
        entry=TABLE_MADE(data),
        moment=now,
        gaming_day=facility.gaming_day(now),
        actor=by,
        device=device,
    )
    return table


def newest_submission(facility: Facility, code: str) -> RulesSubmission:
    """Return the newest version of a rules submission. Raises `RulesSubmission.DoesNotExist`."""
    return RulesSubmission.objects.filter(facility=facility, code=code).order_by("-version")[:1].get()


# The table that continues one whose stream two people closed (`audit.sealing.declarations`)


def continue_table(sender: Any, closed: Stream, stream: Stream, **_declared: Any) -> None:
    """Make a closed table on the new stream, in the transaction of the declaration (`stream_continued`).

    It has the pit, game, seats, submission and limits of the former one, and its code and a number: T-04-2. The former
    table keeps its rounds and takes no act any more, so its posts are left here. Tablets, people, dice and shakers come
    to the new one by the usual acts, and it opens by them.
    """
    former = Table.objects.select_related("facility", "pit").filter(stream=closed).first()
    if former is None:
        return
    roles = ("dealer", "dealer_left", "stickperson")
    moments = (f"{role}_{name}" for role in roles for name in ("since", "works_since"))
    Table.objects.filter(pk=former.pk).update(**dict.fromkeys((*roles, "floorperson", *moments)))
    make_table(
        former.facility,
        code=stream.name.partition("/")[2],
        pit=former.pit,
        submission=former.submission_code,
        kind=former.kind,
        seats=former.seats,
        min_cents=former.min_cents,
        max_cents=former.max_cents,
    )
