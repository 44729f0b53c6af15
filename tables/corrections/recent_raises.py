"""What people raised once dice might be known, and what of it was handed over without a review.

A sum of a first review counts raises of a round with those that the same people signed in others, and with slips.
"""

from django.db.models import Q

from audit.models import Entry, Person
from games.separation import policy
from tables.core.context import TableContext
from tables.corrections.entry_types import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.failures.entry_types import ROUND_RECORDED_BY_HAND
from tables.models import Round, Table
from tables.rounds.settlement import freed_stakes

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
    """Whoever signed an act that raised this round, and whoever signs the act that is being done, lowest id first."""
    entries = Entry.objects.filter(stream=ctx.stream, round=round_.number, type__in=SIGNED_TYPES)
    codes: set[str] = {code for row in entries.values_list("actor", "witness") for code in row}
    codes |= {person.code for person in (ctx.actor, ctx.witness) if person is not None}
    return list(Person.objects.filter(code__in=codes - {""}).order_by("pk"))
