"""The slip about what was held back of a round, which follows from the end of the round.

It is a slip of payments: the round is settled in full, and some seats were paid less than that. So its review, its
money and its tray are those of every slip. It is signed by those whose act raised the payout, as its entry says.
"""

from functools import partial

from audit.models import Entry, Person
from games import submissions
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.entries import COLUMNS, RecordedEntry, read
from tables.core.held_back import held_amounts
from tables.corrections import slips
from tables.corrections.alert_rules import AWAITED_REVIEW
from tables.corrections.chips_elsewhere import chips_elsewhere_cents
from tables.corrections.correction import Correction, SlipCase, payment_correction
from tables.corrections.entry_types import SLIP_FILED, HeldBack
from tables.corrections.filing import create_slip, filed_data
from tables.corrections.outcomes import outcome_of
from tables.corrections.recent_raises import RAISING_TYPES
from tables.corrections.slips import SeatPayment
from tables.models import Round
from tables.rounds.settlement import settled_data

REASON = "Held back for a review: it was added once the dice were known"


def file_what_is_held(ctx: TableContext) -> None:
    """File the slip as soon as the entry that ends the round is on the stream."""
    assert ctx.round is not None
    if held_amounts(ctx.round):
        ctx.follow_ups.append(partial(_file, ctx, ctx.round))


def _file(ctx: TableContext, round_: Round) -> None:
    """File the slip, before any other entry that follows. Its review comes before any money moves."""
    raising = _raising_entry(ctx, round_)
    correction = _correction(ctx, round_)
    people = {
        person.code: person for person in Person.objects.filter(code__in=(raising.actor, raising.witness))
    }
    ctx.change_table(last_slip=ctx.table.last_slip + 1)
    seats = {payment["seat"] for payment in correction.mistake["payments"]}
    elsewhere_cents = chips_elsewhere_cents(correction.before, correction.after, correction.due, seats, ())
    slip, review = create_slip(
        ctx,
        round_,
        correction,
        REASON,
        signers=(people[raising.actor], people[raising.witness]),
        elsewhere_cents=elsewhere_cents,
        is_held=True,
    )
    data = filed_data(round_, correction, slip, review)
    held: HeldBack = {
        "seq": raising.seq,
        "hash": raising.digest,
        "actor": raising.actor,
        "witness": raising.witness,
    }
    data["held"] = held
    ctx.extra_entries.insert(0, SLIP_FILED(data))
    raise_alert(ctx, AWAITED_REVIEW.expected(ctx.table.pk, slip=slip.code, round=round_.number))


def _raising_entry(ctx: TableContext, round_: Round) -> RecordedEntry:
    """The newest entry by which two people raised what the round pays."""
    rows = Entry.objects.filter(stream=ctx.stream, round=round_.number, type__in=RAISING_TYPES)
    entries = map(read, rows.exclude(witness="").order_by("-seq").values_list(*COLUMNS))
    return next(entry for entry in entries)


def _correction(ctx: TableContext, round_: Round) -> Correction:
    outcome = outcome_of(round_)
    assert outcome is not None
    settled, nothing = slips.by_seat(outcome.lines), slips.totals(())
    payments = []
    for amount in held_amounts(round_):
        seat, cents = amount["seat"], amount["cents"]
        totals = settled.get(seat, nothing)
        winnings = min(cents, totals["paid_cents"])
        payments.append(
            SeatPayment(seat, totals["paid_cents"] - winnings, totals["taken_cents"] + cents - winnings)
        )
    case = SlipCase(ctx, round_, submissions.rules_of(round_.submission), outcome, settled_data)
    return payment_correction(case, tuple(payments))
