"""What dice readers and automated shakers read, beside what the dealer calls.

1. A reader posts a reading (`post_reading` in `tables.rounds.play`): the faces, the moment, its own number, how sure it
   is, and its firmware. It enters no dice. Each reading is a row and an entry, once. Where an approval of the shaker
   names versions, a reading of another firmware is for the record alone, and raises an alert.
2. While the dice are to be called, the round keeps the newest reading (`Round.reading`), and the console shows it under
   *Enter the dice*: one press calls what was read.
3. Other dice than were read are not taken: both are on record, and an alert is raised. A floorperson looks at the dice
   and signs the call with their PIN, which decides (`refuse_if_differing`). Until then a further reading is on record,
   and changes neither what is compared nor that the floor signs. Before that a newer reading takes the place of one.
4. A reading that comes after the call, or of an earlier throw, is late: it is on record, and changes nothing. If it
   differs from what was called, the alert says so, and the dice can be corrected until the first payment.
5. Where a text approves automatic results (`[readings]` in the file of the jurisdiction) a reading is the call, unless
   the reading before it that waits for the call has other dice, or a call waits for the floor.

While wagers may be placed nobody may know the dice, by whatever firmware and clock they were read. So every reading is
refused then, a late one between two rounds of an open table, too, and the reader sends it again. A reader that
is silent raises an alert, and its end is on record as of any other.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from django.db.models import Exists, OuterRef

from audit.clock import format_moment
from audit.columns import AT, DEVICE, PLACE, declare, moment, same
from audit.entry_types import ABSENT, EntryBody, entry_type
from audit.models import Device, Entry, Station
from games.engine import Refusal, RefusalCode
from games.params import malformed
from games.registry import game_by_code
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    end_alert,
    live_tables,
    raise_alert,
)
from tables.core.context import TableContext
from tables.core.duty import FLOOR, verify_of_one_table
from tables.equipment.approvals import SHAKER_SUBJECTS, Equipment
from tables.models import DiceReading, Table
from tables.models.dice import PendingReading
from tables.runner.table import ActOutcome, refuse_on_record
from tables.words.sentences import dice_words

DICE_SHAKEN = "dice.shaken"  # tables/rounds/play.py
AHEAD_OF_CLOCK = dt.timedelta(seconds=5)  # that the clock of a reader may be ahead of the server's
SILENT_AFTER = dt.timedelta(seconds=30)
READER_TICKS = 5
Outcome = Literal["pending", "late", "automatic", "unapproved"]
SAYS_OF_READING: dict[str, str] = {
    "pending": "It waits for the call of the dice.",
    "late": "It came after its throw, so it is on record and changes nothing.",
    "automatic": "It is the call: the wagers are settled by it.",
    "unapproved": "This firmware is not approved, so the reading is on record and changes nothing.",
}

READING_KNOWN = RefusalCode(
    "reading-known",
    "Reading %(number)s of %(device)s is on record already. Nothing was added.",
    "Already on record",
)
READING_NUMBER_USED = RefusalCode(
    "reading-number-used",
    "%(device)s has posted another reading with the number %(number)s. A reader counts each throw once.",
    "Number used twice",
)
READING_WHILE_BETS_ARE_OPEN = RefusalCode(
    "reading-while-bets-are-open",
    "Bets are open at %(table)s, so nobody may know the dice yet. Send the reading again after no more bets.",
    "Too early",
)
READING_AHEAD_OF_CLOCK = RefusalCode(
    "reading-ahead-of-clock",
    "The clock of %(device)s is %(seconds)s seconds ahead. Set it by the server's time, then send the reading again.",
    "Clock ahead",
)
READING_DIFFERS = RefusalCode(
    "reading-differs",
    "%(device)s read %(read)s, and %(entered)s was entered. Leave the dice as they lie. A floorperson looks at them "
    "and signs what they show.",
    "The dice differ",
)


# What the record says of readings


ReaderName = Annotated[str, "name of the reader"]
ReadingNumber = Annotated[int, "the reader's own number of the reading"]
ReadFaces = Annotated[list[int], "the faces as the reader read them, in its order"]


class ReadingOfThrow(TypedDict):
    """What a reader read of a throw that was called."""

    device: ReaderName
    number: ReadingNumber
    dice: ReadFaces
    entered: NotRequired[
        Annotated[
            list[int], "the dice that were entered first, where they differed; the floor signed the call"
        ]
    ]


@entry_type("dice.read")
def DICE_READ(
    *,
    confidence: Annotated[int, "how sure the reader is, in percent"],
    device: ReaderName,
    dice: ReadFaces,
    firmware: Annotated[str, "version of the reader's software"],
    number: ReadingNumber,
    outcome: Annotated[
        Outcome,
        "pending: the dealer calls; late, unapproved: for the record alone; automatic: it is the call",
    ],
    read_at: Annotated[str, "when the dice were read, by the clock of the reader"],
    round: Annotated[int | None, "number of the round; null where it belongs to none in play"],
    throw: Annotated[int | None, "number of the throw in the round; null where it belongs to none in play"],
    called: Annotated[
        list[int], "what had been called of this throw; absent unless the reading was late"
    ] = ABSENT,
) -> str:
    """A dice reader or an automated shaker posted what it read. It enters no dice unless `outcome` is automatic."""
    late = ", late" if outcome == "late" else ""
    return f"{device} read {dice_words(dice)}{late}"


@entry_type("dice.differ")
def DICE_DIFFER(
    *,
    device: ReaderName,
    entered: Annotated[list[int], "the dice that were entered"],
    number: ReadingNumber,
    read: ReadFaces,
    round: int,
    throw: Annotated[int, "number of the throw in the round"],
) -> str:
    """Other dice were entered than a reader had read. Neither counts until a floorperson has signed the call."""
    return f"{device} read {dice_words(read)}, and {dice_words(entered)} was entered"


declare(
    DiceReading,
    "reading",
    key={"device": DEVICE, "number": "number"},
    created={
        DICE_READ: {
            "table": PLACE,
            **same("dice", "confidence", "firmware", "round", "throw", "outcome"),
            "read_at": moment("read_at"),
            "received_at": AT,
        }
    },
)


# A reading is taken


def take_reading(
    ctx: TableContext,
    *,
    number: int,
    dice: Sequence[int],
    read_at: dt.datetime,
    confidence: int,
    firmware: str,
) -> tuple[DiceReading, EntryBody]:
    """Keep a reading as a row, and return it with its entry, which the caller writes.

    Of a throw that is to be called the round keeps it, too. Raises `machine-without-table`,
    `reading-while-bets-are-open`, `malformed` for a face that no die has, `reading-known`, `reading-number-used`,
    `reading-ahead-of-clock`, or what the call of such dice raises.
    """
    device = ctx.device
    assert device is not None
    verify_of_one_table(device)
    _verify_bets_are_closed(ctx)
    faces = game_by_code(ctx.table.game).faces
    if not all(1 <= face <= faces for face in dice):
        raise malformed("dice", f"Input should be faces from 1 to {faces}")
    _verify_new(device, number, dice, read_at)
    if read_at - ctx.now > AHEAD_OF_CLOCK:
        seconds = round((read_at - ctx.now).total_seconds())
        raise Refusal(READING_AHEAD_OF_CLOCK, device=device.name, seconds=seconds)
    reading = DiceReading(
        table=ctx.table,
        device=device,
        number=number,
        dice=list(dice),
        read_at=read_at,
        received_at=ctx.now,
        confidence=confidence,
        firmware=firmware,
        outcome="late",
    )
    called = _place(ctx, reading) if _is_approved(ctx, reading) else None
    reading.save(force_insert=True)
    entry = DICE_READ(
        device=device.name,
        number=number,
        dice=list(dice),
        read_at=format_moment(read_at),
        confidence=confidence,
        firmware=firmware,
        round=reading.round,
        throw=reading.throw,
        outcome=cast(Outcome, reading.outcome),
        called=ABSENT if called is None else list(called),
    )
    return reading, entry


def _verify_bets_are_closed(ctx: TableContext) -> None:
    """Refuse while a wager may be placed: in a round, or by opening one at an open table.

    What the reader says of itself and of the moment does not count, for both may be wrong.
    """
    are_open = (
        ctx.table.status == Table.Status.OPEN
        if ctx.round is None
        else "place_wagers" in ctx.game.legal_acts(ctx.state)
    )
    if are_open:
        raise Refusal(READING_WHILE_BETS_ARE_OPEN, table=ctx.table.code)


def _verify_new(device: Device, number: int, dice: Sequence[int], read_at: dt.datetime) -> None:
    known = DiceReading.objects.filter(device=device, number=number).first()
    if known is None:
        return
    is_same = (known.dice, known.read_at) == (list(dice), read_at)
    raise Refusal(READING_KNOWN if is_same else READING_NUMBER_USED, device=device.name, number=number)


def _is_approved(ctx: TableContext, reading: DiceReading) -> bool:
    """Whether no approval of the shaker names versions, or one names this firmware. Raises the alert otherwise."""
    if not ctx.deals:
        return True
    approvals = [row for row in Equipment(ctx).approvals_in_effect if row.subject in SHAKER_SUBJECTS]
    versions = [version for approval in approvals for version in approval.versions]
    if not versions or reading.firmware in versions:
        return True
    reading.outcome = "unapproved"
    alert = READER_FIRMWARE.expected(
        ctx.table.pk, cause=reading.device_id, device=reading.device.name, firmware=reading.firmware
    )
    raise_alert(ctx, alert)
    return False


def _place(ctx: TableContext, reading: DiceReading) -> Sequence[int] | None:
    """Say to which throw a reading belongs, by when it was read. Returns what was called of it, for a late one.

    A throw is read after the call of the one before, after its round opened, and after the dice were shaken: what a
    reader read of them before may reach the table only once the bets are closed.
    """
    round_ = ctx.round
    if round_ is None:
        return None
    throws = ctx.throws
    before = throws[-1].called_at if throws else round_.opened_at
    shaken_at = _newest_shake(ctx)
    if reading.read_at >= max(before, shaken_at or before) and "call_dice" in ctx.game.legal_acts(ctx.state):
        ctx.game.verify_call_dice(ctx.state, reading.dice)
        reading.round, reading.throw = round_.number, round_.last_throw + 1
        reading.outcome = "automatic" if _is_call(ctx, reading, round_.reading) else "pending"
        if not _waits_for_floor(round_.reading):
            ctx.change_round(reading=_beside(ctx, _pending(reading), round_.reading))
        return None
    for position, throw in enumerate(reversed(throws)):
        earlier = throws[-position - 2].called_at if position + 1 < len(throws) else round_.opened_at
        if earlier <= reading.read_at and throw.dice:
            reading.round, reading.throw = round_.number, throw.number
            called: Sequence[int] = throw.dice
            _compare_late(ctx, reading, called)
            return called
    return None


def _newest_shake(ctx: TableContext) -> dt.datetime | None:
    """When the dice were last shaken in this round; None if they were not, as where players throw them."""
    assert ctx.round is not None
    shakes = Entry.objects.filter(stream=ctx.table.stream, round=ctx.round.number, type=DICE_SHAKEN)
    return shakes.order_by("-seq").values_list("at", flat=True).first()


def _waits_for_floor(pending: PendingReading | None) -> bool:
    """Whether a call differed from this reading, so that only a floorperson's signature decides."""
    return pending is not None and "entered" in pending


def _is_call(ctx: TableContext, reading: DiceReading, before: PendingReading | None) -> bool:
    """Whether a text approves that this reading is the call, and nothing differs: neither a call nor a reading."""
    if before is not None and (
        _waits_for_floor(before)
        or "other" in before
        or ctx.game.arranged(before["dice"]) != ctx.game.arranged(reading.dice)
    ):
        return False
    rules = ctx.table.facility.law.readings
    return rules.automatic and reading.confidence >= rules.least_confidence


def _beside(ctx: TableContext, newer: PendingReading, before: PendingReading | None) -> PendingReading:
    """A reading with the one before of the same throw, if its faces are others. Raises the alert about both then."""
    if before is None:
        return newer
    if ctx.game.arranged(before["dice"]) == ctx.game.arranged(newer["dice"]):
        return {**newer, "other": before["other"]} if "other" in before else newer
    assert ctx.round is not None
    alert = CONTRADICTING.expected(
        ctx.table.pk,
        section=ctx.rules.edition.no_rolls.get("disputed", ""),
        round=ctx.round.number,
        throw=ctx.round.last_throw + 1,
        device=newer["device"],
        read=newer["dice"],
        other_device=before["device"],
        other=before["dice"],
    )
    raise_alert(ctx, alert)
    return {
        **newer,
        "other": {"device": before["device"], "number": before["number"], "dice": before["dice"]},
    }


def _pending(reading: DiceReading) -> PendingReading:
    return {
        "device": reading.device.name,
        "number": reading.number,
        "dice": reading.dice,
        "read_at": format_moment(reading.read_at),
        "confidence": reading.confidence,
    }


def _compare_late(ctx: TableContext, reading: DiceReading, called: Sequence[int]) -> None:
    """Raise the alert where other dice were called than a late reading has."""
    if ctx.game.arranged(called) != ctx.game.arranged(reading.dice):
        _raise_differing(ctx, reading.throw or 0, reading.device.name, reading.dice, called)


# The call beside it


def refuse_if_differing(ctx: TableContext, dice: Sequence[int]) -> ActOutcome | None:
    """Refuse dice on the record that differ from what was read, unless a floorperson acts or signs.

    Once they differed, every call needs the floor's signature; without it nothing more is recorded. Raises
    `reading-differs` then.
    """
    reading = ctx.round.reading if ctx.round is not None else None
    is_signed = any(person is not None and person.role in FLOOR for person in (ctx.actor, ctx.witness))
    if reading is None or is_signed:
        return None
    entered = reading.get("entered")
    if entered is None and ctx.game.arranged(reading["dice"]) == ctx.game.arranged(dice):
        return None
    refusal = Refusal(
        READING_DIFFERS,
        ctx.rules.edition.no_rolls.get("disputed", ""),
        device=reading["device"],
        read=dice_words(reading["dice"]),
        entered=dice_words(entered or dice),
    )
    if entered is not None:
        raise refusal
    return _record_differing(ctx, reading, dice, refusal)


def _record_differing(
    ctx: TableContext, reading: PendingReading, dice: Sequence[int], refusal: Refusal
) -> ActOutcome:
    assert ctx.round is not None
    throw = ctx.round.last_throw + 1
    ctx.change_round(reading={**reading, "entered": list(dice)})
    _raise_differing(ctx, throw, reading["device"], reading["dice"], dice)
    entry = DICE_DIFFER(
        device=reading["device"],
        number=reading["number"],
        read=reading["dice"],
        entered=list(dice),
        round=ctx.round.number,
        throw=throw,
    )
    return refuse_on_record(entry, refusal)


def reading_of_call(ctx: TableContext, dice: Sequence[int]) -> ReadingOfThrow | None:
    """What the entry of a call says of the reading of its throw, if there is one. Ends the alert that they differed."""
    reading = ctx.round.reading if ctx.round is not None else None
    if reading is None:
        return None
    read: ReadingOfThrow = {"device": reading["device"], "number": reading["number"], "dice": reading["dice"]}
    if "other" in reading:
        end_alert(ctx, CONTRADICTING.key_prefix)
    if "entered" in reading:
        read["entered"] = reading["entered"]
        end_alert(ctx, DIFFERING.key_prefix)
    elif ctx.game.arranged(reading["dice"]) != ctx.game.arranged(dice):
        read["entered"] = list(dice)
    return read


# Alerts


def _describe_differing(params: Mapping[str, Any]) -> tuple[str, str]:
    read, entered = dice_words(params["read"]), dice_words(params["entered"])
    what = f"Round {params['round']}: {params['device']} read {read}, and {entered} was entered."
    return "The dice differ", f"{what} Go to the table, look at the dice and sign what they show."


DIFFERING = AlertKind(
    "reading-differs",
    "reading:{round}:{throw}",
    Level.WARN,
    "Dice differ from their reading",
    "The dice differ",
    describe=_describe_differing,
    ends_when_acknowledged=True,
)


def _describe_contradicting(params: Mapping[str, Any]) -> tuple[str, str]:
    newer, before = dice_words(params["read"]), dice_words(params["other"])
    both = f"{params['other_device']} read {before}, and then {params['device']} read {newer}."
    return (
        "Two readings differ",
        f"Round {params['round']}: {both} The dealer enters the dice. Look at them, too.",
    )


CONTRADICTING = AlertKind(
    "readings-differ",
    "readings:{round}:{throw}",
    Level.WARN,
    "Two readings differ",
    "Two readings differ",
    describe=_describe_contradicting,
)
READER_FIRMWARE = AlertKind(
    "reader-firmware",
    "firmware:{cause}",
    Level.WARN,
    "Reader not approved",
    "A dice reader runs another firmware",
    "%(device)s runs firmware %(firmware)s, which no approval of the shaker names. What it reads is for the record "
    "alone, and the dealer enters the dice. Call the office.",
    ends_when_acknowledged=True,
)
READER_SILENT = AlertKind(
    "reader-silent",
    "reader:{cause}",
    Level.WARN,
    "Dice reader lost",
    "Lost communication with a dice reader",
    "%(device)s has been silent for half a minute. The dealer goes on and enters the dice. Check the reader, its "
    "power and the network.",
)


def _raise_differing(
    ctx: TableContext, throw: int, device: str, read: Sequence[int], entered: Sequence[int]
) -> None:
    assert ctx.round is not None
    alert = DIFFERING.expected(
        ctx.table.pk,
        section=ctx.rules.edition.no_rolls.get("disputed", ""),
        round=ctx.round.number,
        throw=throw,
        device=device,
        read=list(read),
        entered=list(entered),
    )
    raise_alert(ctx, alert)


def silent_readers(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables with a dice reader that was heard before and has been silent for half a minute.

    A machine is a reader once it has posted a reading.
    """
    tables = {
        table.stream.name: table
        for table in live_tables(table_id).filter(status=Table.Status.OPEN).select_related("stream")
    }
    silent = Device.objects.filter(
        Exists(
            DiceReading.objects.filter(device=OuterRef("pk"))
        ),  # by the index of its numbers, however many it has
        station=Station.MACHINE,
        revoked_at=None,
        place__in=tables,
        heard_at__lte=now - SILENT_AFTER,
    )
    return [
        READER_SILENT.expected(tables[device.place].pk, cause=device.pk, device=device.name)
        for device in silent.order_by("name")
    ]


alert_rule(AlertRule((READER_SILENT,), silent_readers, READER_TICKS, settle_seconds=30))
