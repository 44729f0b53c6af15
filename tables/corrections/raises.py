"""Raises: corrections that make a round pay more once its dice may be known.

A correction before money moves is an entry of its own with both values. One that raises what the round pays once its
dice may be known is signed by two, who are both told at the pit, on another device, with surveillance (`tell_signers`):
a person whose PIN was watched learns of it. From the sum of a first review on, what it adds is held back and becomes a
slip at the end of the round (`tables.rounds.settlement`, `tables.corrections.filing`). That sum counts raises of a
round with those that the same people signed in others, and with slips (`tables.corrections.reviews`).
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from django.db.models import Q

from audit.entry_types import entry_type
from audit.models import Entry, Person
from games.engine.wagers import MadeIn
from games.separation import policy
from tables.core.alerts import AlertKind, Level, raise_alert
from tables.core.context import TableContext
from tables.corrections.slips import AfterCents, BeforeCents, Reason
from tables.failures import ROUND_RECORDED_BY_HAND
from tables.models import Round, Table
from tables.models.rounds import FlagOrNone
from tables.rounds.settlement import NewSettlement, ThrowData, freed_stakes
from tables.words.sentences import dice_words, dollars

# What the record says of corrections before money moves


class CorrectedDice(TypedDict):
    after: Annotated[list[int], "the faces that were there"]
    before: Annotated[list[int], "the faces that were recorded"]
    reason: Reason


class DiceCorrected(ThrowData):
    mended: Annotated[CorrectedDice, "what was corrected: the faces before and after, and the reason"]


DICE_CORRECTED = entry_type(
    "dice.corrected",
    DiceCorrected,
    "The dice of the newest throw were corrected before money moved, with the new settlement.",
    lambda data: (
        "Dice corrected to %s, not %s" % (dice_words(data["dice"]), dice_words(data["mended"]["before"]))
    ),
)


class StruckWager(TypedDict):
    after_cents: AfterCents
    before_cents: BeforeCents
    reason: Reason
    seat: int
    wager: str
    play: NotRequired[int]
    uncalled: NotRequired[
        Annotated[bool, "true where dice might be known already, and none that were called decided the wager"]
    ]


class MissedWager(StruckWager):
    flag: FlagOrNone
    made_in: MadeIn


def _seat_and_stakes(wager: StruckWager) -> tuple[int, str, str]:
    """The seat of a corrected wager, and its stake as corrected and before."""
    return wager["seat"], dollars(wager["after_cents"]), dollars(wager["before_cents"])


class WagerMissed(NewSettlement):
    mended: Annotated[MissedWager, "the wager, and the reason"]


WAGER_MISSED = entry_type(
    "wager.missed",
    WagerMissed,
    "A wager that had lain on the layout was recorded after no more bets, with the new settlement.",
    lambda data: "Missed wager, seat %s: %s, not %s" % _seat_and_stakes(data["mended"]),
)


class WagerStruck(NewSettlement):
    mended: Annotated[StruckWager, "the wager, and the reason"]


WAGER_STRUCK = entry_type(
    "wager.struck",
    WagerStruck,
    "A wager that had been entered by mistake was struck, with the new settlement.",
    lambda data: "Wager struck, seat %s: %s, not %s" % _seat_and_stakes(data["mended"]),
)


# What people raised, and what of it was handed over without a review


CORRECTIONS = "corrections"  # the row of the policy
RAISING_TYPES = (DICE_CORRECTED.name, WAGER_MISSED.name, ROUND_RECORDED_BY_HAND.name)
SIGNED_TYPES = (*RAISING_TYPES, WAGER_STRUCK.name)


def raised_unheld(round_: Round) -> int:
    """What of a round was raised and is not held back, and which stakes were freed before their dice, in cents."""
    left = round_.wagers.filter(struck=False)
    unheld = sum(value["cents"] for value in round_.raises.values() if not value["held"])
    return int(unheld) + (freed_stakes(round_, round_.last_throw, left) if round_.late_wagers else 0)


def raised_by(ctx: TableContext, person: Person, *, beside: Round | None = None) -> int:
    """What this person signed that raised rounds and was not held back, within the time of the policy, in cents.

    At any live table of the facility; `beside`: a round that is left out.
    """
    facility = ctx.table.facility
    entries = Entry.objects.filter(
        Q(actor=person.code) | Q(witness=person.code),
        type__in=SIGNED_TYPES,
        at__gt=ctx.now - policy.row_of(facility.law, CORRECTIONS).sum_time,
        stream__name__startswith=f"{facility.code}/",
        stream__real_play=True,
    )
    numbers: dict[int, set[int]] = {}
    for stream_id, number in entries.values_list("stream_id", "round"):
        numbers.setdefault(stream_id, set()).add(number or 0)
    total = 0
    for stream_id, of_stream in numbers.items():
        rounds = Round.objects.filter(
            table__stream_id=stream_id, table__kind=Table.Kind.LIVE, number__in=of_stream
        )
        total += sum(raised_unheld(row) for row in rounds if beside is None or row.pk != beside.pk)
    return total


def signers_of_raises(ctx: TableContext, round_: Round) -> list[Person]:
    """Who signed an act that raised this round, and who signs the act that is being done, lowest id first."""
    entries = Entry.objects.filter(stream=ctx.stream, round=round_.number, type__in=SIGNED_TYPES)
    codes: set[str] = {code for row in entries.values_list("actor", "witness") for code in row}
    codes |= {person.code for person in (ctx.actor, ctx.witness) if person is not None}
    return list(Person.objects.filter(code__in=codes - {""}).order_by("pk"))


# Who is told


RAISING_ACTS = {
    "record_missed_wager": "recorded a missed wager",
    "correct_dice": "corrected the dice",
    "strike_mistaken_wager": "struck a wager",
    "file_slip": "filed a slip",
}


def describe_raise(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the notice to those whose signatures may raise a payout after the dice."""
    seats = ("Seat %s: " if len(params["seats"]) == 1 else "Seats %s: ") % ", ".join(
        map(str, params["seats"])
    )
    what = f"{dollars(params['cents'])} more" if params["cents"] else "a wager"
    act = RAISING_ACTS.get(params["act"], params["act"])
    if params["act"] == "file_slip":
        what = f"a slip about {dollars(params['cents'])}"
    signed = f"Round {params['round']}: {params['person']} {act}, and {params['signed_with']} signed."
    held = " Nothing of it is paid before its slip is reviewed." if params["held"] else ""
    warning = "If that was not you, somebody knows your PIN: call surveillance, and change it."
    return f"{seats}{what}, after the dice", f"{signed}{held} {warning}"


# Both at the pit, not at the table: a person whose PIN was watched is told on another device.
RAISED_AFTER_DICE = AlertKind(
    "raised-after-dice",
    "raised-after-dice:{round}:{cause}",
    Level.INFO,
    "Payout raised after the dice",
    "",
    describe=describe_raise,
    ends_when_acknowledged=True,
    at_the_pit=True,
)
HELD_AFTER_DICE = AlertKind(
    "held-after-dice",
    "held-after-dice:{round}:{cause}",
    Level.WARN,
    "Payout held back after the dice",
    "",
    describe=describe_raise,
    ends_when_acknowledged=True,
    at_the_pit=True,
)


def tell_signers(
    ctx: TableContext, round_number: int, act: str, cents: int, seats: Iterable[int], *, is_held: bool
) -> None:
    """Raise the notice that names both signers, their act, the seats and the sum. Surveillance reads it too.

    `cents`: what is paid more; 0 where later dice of the round may still pay it.
    """
    assert ctx.actor is not None and ctx.witness is not None
    kind = HELD_AFTER_DICE if is_held else RAISED_AFTER_DICE
    alert = kind.expected(
        ctx.table.pk,
        section=ctx.table.facility.law.section("corrections.review"),
        cause=ctx.stream.seq + 1,  # the number of the act's entry
        round=round_number,
        act=act,
        person=ctx.actor.name,
        signed_with=ctx.witness.name,
        cents=cents,
        seats=sorted(seats),
        held=is_held,
    )
    raise_alert(ctx, alert)
