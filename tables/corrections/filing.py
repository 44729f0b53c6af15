"""Error Notification Slips filed and settled: what was wrong, what each seat is owed, and what was handed over.

Two people sign each slip, one of them a floorperson or above; a void needs a pit manager or a shift manager. Neither
act needs an open table, and neither affects the round in play.

1. `file_slip`: `tables.corrections.settlements` computes the correction, the same for the preview and the act. A slip
   with nothing due is settled when it is filed. One that is reviewed first tells its signers at the pit.
2. `settle_slip`: exactly the seats due, and no more than due; less needs a reason. Before a review that comes first,
   nothing ends the slip.

What was held back of a round becomes a slip of payments as soon as the entry that ends the round is on the stream
(`file_what_is_held`). It is signed by those whose act raised the payout, as its entry says; its review, its money and
its tray are those of every slip.
"""

from functools import partial
from typing import Annotated

from audit.clock import format_moment
from audit.models import Entry, Person
from games import submissions
from games.act_forms import objects, text
from games.engine import Refusal, RefusalCode
from games.params import MOST_CENTS, Params
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, STAFFERS, has_work_for
from tables.core.entries import COLUMNS, RecordedEntry, read
from tables.core.held_back import held_amounts
from tables.corrections.raises import RAISING_TYPES, tell_signers
from tables.corrections.reviews import (
    ReviewDue,
    review_due,
    verify_may_correct,
    verify_reviewed,
    verify_reviewer_signs_not,
)
from tables.corrections.settlements import (
    MAX_REASON,
    Correction,
    SeatPayment,
    SlipCase,
    by_seat,
    filed_entry,
    outcome_of,
    payment_correction,
    read_correction,
    totals,
)
from tables.corrections.slips import (
    AWAITED_REVIEW,
    NO_SUCH_ROUND,
    SLIP_FILED,
    SLIP_SETTLED,
    UNSETTLED_SLIP,
    HeldBack,
    SlipFiled,
    chips_elsewhere_cents,
    end_alert_of,
    find_slip,
    settled_slips,
    withheld_of_round,
)
from tables.models import Round, Slip
from tables.money.tray import add_filed_slip, add_settled_slip
from tables.rounds.settlement import settled_data
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act, act_without_post

SLIP_NEEDS_TWO = RefusalCode(
    "slip-needs-two",
    "Two people must sign a slip, each with their own PIN. Ask a second person to sign.",
    "Second person needed",
)
SLIP_SIGNER_ELSEWHERE = RefusalCode(
    "slip-signer-elsewhere",
    "%(witness)s does not work at this table. Ask someone who deals or supervises here.",
)
SLIP_MANAGER_MUST_SIGN = RefusalCode(
    "slip-manager-must-sign",
    "A pit manager or a shift manager must be one of the two who sign a void round. Ask one to sign.",
    "Manager needed",
)
SLIP_STANDS_OTHERWISE = RefusalCode(
    "slip-stands-otherwise",
    "Someone else corrected round %(round)s in the meantime. Check the figures again, then sign.",
    "Already corrected",
)
SLIP_SETTLED_ALREADY = RefusalCode(
    "slip-settled-already",
    "Slip %(slip)s is already settled. To correct it, file another slip.",
)
SLIP_OTHER_SEATS = RefusalCode(
    "slip-other-seats",
    "Slip %(slip)s has amounts due at seats %(seats)s. Enter what each of them received or gave back.",
)
SLIP_MOVED_MORE = RefusalCode(
    "slip-moved-more",
    "This is more than slip %(slip)s has due at seat %(seat)s. Enter no more than the amount due.",
)
SLIP_SAY_WHY_LESS = RefusalCode(
    "slip-say-why-less",
    "Slip %(slip)s would be settled with less than is due. Enter the reason, and sign again.",
    "Reason needed",
)


# 1. Filed


MAX_NUMBER = 2**31 - 1
MAX_SEQ = 2**53 - 1


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing", step_up="office")
@act_without_post
def file_slip(ctx: TableContext, params: Params) -> ActOutcome:
    """File a slip about a round that has ended: its whole settlement again, and what each seat is owed.

    `corrects` is the number of the entry that the preview named. A slip with nothing due is settled when it is filed.
    """
    round_ = read_round(ctx, params)
    corrects_seq, reason = (
        params.integer("corrects", 1, MAX_SEQ),
        params.text("reason", max_length=MAX_REASON),
    )
    correction = read_correction(ctx, round_, params, reason, settled_data)
    verify_two_sign(ctx, correction.kind)
    verify_may_correct(ctx)
    if corrects_seq != correction.corrects.seq:
        raise Refusal(SLIP_STANDS_OTHERWISE, round=round_.number)
    ctx.submission = round_.submission  # the entry names the terms that the round pinned
    ctx.change_table(last_slip=ctx.table.last_slip + 1)
    seats = {payment["seat"] for payment in correction.mistake.get("payments", ())}
    elsewhere_cents = chips_elsewhere_cents(
        correction.before, correction.after, correction.due, seats, settled_slips(round_) if seats else ()
    )
    assert ctx.actor is not None and ctx.witness is not None
    signers = (ctx.actor, ctx.witness)
    slip, review = create_slip(
        ctx, round_, correction, reason, signers=signers, elsewhere_cents=elsewhere_cents
    )
    if slip.review_comes_first:
        changed = {line["seat"] for line in correction.mistake.get("wagers", ())}
        told_seats = {amount["seat"] for amount in slip.due} or changed
        cents = max(slip.due_cents, abs(elsewhere_cents), abs(slip.elsewhere_cents))
        tell_signers(ctx, round_.number, "file_slip", cents, told_seats, is_held=True)
    if slip.review_comes_first or slip.status == Slip.Status.FILED:
        kind = AWAITED_REVIEW if slip.review_comes_first else UNSETTLED_SLIP
        raise_alert(ctx, kind.expected(ctx.table.pk, slip=slip.code, round=round_.number))
    data = filed_data(round_, correction, slip, review)
    return ActOutcome(SLIP_FILED(data), {"slip": slip.code}, changes="nothing")


def read_round(ctx: TableContext, params: Params) -> Round:
    """Return the round of this table that a slip is about. Raises `no-such-round`."""
    number = params.integer("round", 1, MAX_NUMBER)
    round_ = (
        Round.objects.filter(table=ctx.table, number=number).select_related("table", "submission").first()
    )
    if round_ is None:
        raise Refusal(NO_SUCH_ROUND, round=number, table=ctx.table.code)
    return round_


def verify_two_sign(ctx: TableContext, kind: str) -> None:
    """Verify that two people who work here sign, one of them of the floor; a void needs a manager. Raises `Refusal`."""
    actor, witness = ctx.actor, ctx.witness
    if actor is None or witness is None or actor.pk == witness.pk:
        raise Refusal(SLIP_NEEDS_TWO)
    if witness.role not in AT_THE_TABLE or not has_work_for(witness, ctx.table):
        raise Refusal(SLIP_SIGNER_ELSEWHERE, witness=witness.name)
    verify_signed_by_floor(ctx)
    if kind == Slip.Kind.VOID and not {actor.role, witness.role} & STAFFERS:
        raise Refusal(SLIP_MANAGER_MUST_SIGN)


def create_slip(
    ctx: TableContext,
    round_: Round,
    correction: Correction,
    reason: str,
    *,
    signers: tuple[Person, Person],
    elsewhere_cents: int,
    is_held: bool = False,
) -> tuple[Slip, ReviewDue | None]:
    """Save a slip whose entry is the next one on the stream. A slip with nothing due is settled when it is filed.

    `elsewhere_cents`: chips that by the slip are not where the settlement says; those that its review must agree to
    first stay in the tray until then. What the round's slip before this withheld, this slip takes over. `is_held`: its
    money was held back for a review, which comes first whatever the sum.
    """
    withheld_cents = withheld_of_round(round_)
    slip = Slip(
        table=ctx.table,
        number=ctx.table.last_slip,
        round=round_,
        gaming_day=ctx.gaming_day,
        kind=correction.kind,
        reason=reason,
        corrects_seq=correction.corrects.seq,
        before=correction.before,
        after=correction.after,
        due=correction.due,
        elsewhere_cents=elsewhere_cents + withheld_cents,
        filed_seq=ctx.stream.seq + 1,
        filed_at=ctx.now,
        filed_by=signers[0],
        filed_with=signers[1],
    )
    review = review_due(ctx, slip, max(abs(elsewhere_cents), abs(slip.elsewhere_cents)))
    if review is not None:
        review = review._replace(comes_first=review.comes_first or is_held)
        slip.review_due_at, slip.review_comes_first = review.due_at, review.comes_first
    if not correction.due:
        mark_settled(ctx, slip)
    slip.save()
    if not slip.withheld_cents:
        add_filed_slip(ctx, round_.number, slip.elsewhere_cents)
    return slip, review


def mark_settled(ctx: TableContext, slip: Slip) -> None:
    """Mark a slip as settled by the next entry on the stream. The caller saves it."""
    slip.status = Slip.Status.SETTLED
    slip.settled_seq, slip.settled_at = ctx.stream.seq + 1, ctx.now
    slip.settled_by, slip.settled_with = ctx.actor, ctx.witness


def filed_data(round_: Round, correction: Correction, slip: Slip, review: ReviewDue | None) -> SlipFiled:
    """The data of the entry that files a slip."""
    data: SlipFiled = {
        "slip": slip.code,
        "kind": correction.kind,
        "round": round_.number,
        "played_on": round_.gaming_day.isoformat(),
        "corrects": correction.corrects.as_data,
        "reason": slip.reason,
        "mended": correction.mistake,
        "ending": correction.ending,
        "throws": correction.throws,
        "before": correction.before,
        "settled": [{**line} for line in correction.lines],
        "taken_cents": correction.after["taken_cents"],
        "paid_cents": correction.after["paid_cents"],
        "returned_cents": correction.after["returned_cents"],
        "due": correction.due,
    }
    if slip.elsewhere_cents:
        data["elsewhere_cents"] = slip.elsewhere_cents
    if review is not None:
        data["review"] = {
            "due_at": format_moment(review.due_at),
            "before_money": review.comes_first,
            "sum_cents": review.sum_cents,
        }
    return data


# 2. Settled


def _read_moved(item: Params) -> tuple[int, int]:
    return item.integer("seat", 1, 64), item.integer("cents", -MOST_CENTS, MOST_CENTS)


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing", step_up="office")
@act_without_post
def settle_slip(
    ctx: TableContext,
    *,
    slip_code: Annotated[str, text(20)],
    reason: Annotated[str, text(MAX_REASON)] = "",
    moved: Annotated[tuple[tuple[int, int], ...], objects(_read_moved, 64)],
) -> ActOutcome:
    """Settle a slip: what each seat due in fact received or gave back. Less than due needs a reason.

    Before a review that comes first, nothing ends the slip, $0 neither: the slip is how the review learns of it.
    """
    moved_cents_by_seat = dict(moved)
    slip = find_slip(ctx, slip_code)
    verify_two_sign(ctx, slip.kind)
    if slip.status != Slip.Status.FILED:
        raise Refusal(SLIP_SETTLED_ALREADY, slip=slip.code)
    verify_reviewer_signs_not(ctx, slip)
    filing_entry = filed_entry(slip)
    _verify_moved(slip, moved_cents_by_seat, reason)
    has_moved = any(moved_cents_by_seat.values())
    verify_reviewed(slip, has_moved=has_moved)
    slip.handed_over = [
        {"seat": amount["seat"], "cents": moved_cents_by_seat[amount["seat"]]} for amount in slip.due
    ]
    mark_settled(ctx, slip)
    slip.save()
    add_settled_slip(ctx, sum(amount["cents"] for amount in slip.handed_over))
    _end_alert(ctx, slip)
    ctx.submission = slip.round.submission
    entry = SLIP_SETTLED(
        slip=slip.code,
        round=slip.round.number,
        corrects=filing_entry.as_data,
        due=slip.due,
        moved=slip.handed_over,
        reason=reason,
    )
    return ActOutcome(entry, {"slip": slip.code}, changes="nothing")


def _verify_moved(slip: Slip, moved_by_seat: dict[int, int], reason: str) -> None:
    """Verify that exactly the seats due are named, and that no more than due moves; less needs a reason."""
    due: dict[int, int] = {amount["seat"]: amount["cents"] for amount in slip.due}
    if moved_by_seat.keys() != due.keys():
        raise Refusal(SLIP_OTHER_SEATS, slip=slip.code, seats=", ".join(map(str, sorted(due))))
    for seat, cents in moved_by_seat.items():
        low, high = sorted((0, due[seat]))
        if not low <= cents <= high:
            raise Refusal(SLIP_MOVED_MORE, seat=seat, slip=slip.code)
    if moved_by_seat != due and not reason:
        raise Refusal(SLIP_SAY_WHY_LESS, slip=slip.code)


def _end_alert(ctx: TableContext, slip: Slip) -> None:
    """End the alerts that settling a slip deals with, so no other tap is needed.

    A review that nobody did is still awaited, and one that differs is known once somebody acknowledges it.
    """
    end_alert_of(ctx, UNSETTLED_SLIP, slip)
    if not slip.waits_for_review:
        end_alert_of(ctx, AWAITED_REVIEW, slip)


# The slip about what was held back, which follows from the end of the round


HELD_REASON = "Held back for a review: it was added once the dice were known"


def file_what_is_held(ctx: TableContext) -> None:
    """File the slip as soon as the entry that ends the round is on the stream."""
    assert ctx.round is not None
    if held_amounts(ctx.round):
        ctx.follow_ups.append(partial(_file_held, ctx, ctx.round))


def _file_held(ctx: TableContext, round_: Round) -> None:
    """File the slip, before any other entry that follows. Its review comes before any money moves."""
    raising = _raising_entry(ctx, round_)
    correction = _held_correction(ctx, round_)
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
        HELD_REASON,
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


def _held_correction(ctx: TableContext, round_: Round) -> Correction:
    outcome = outcome_of(round_)
    assert outcome is not None
    settled, nothing = by_seat(outcome.lines), totals(())
    payments = []
    for amount in held_amounts(round_):
        seat, cents = amount["seat"], amount["cents"]
        seat_totals = settled.get(seat, nothing)
        winnings = min(cents, seat_totals["paid_cents"])
        payments.append(
            SeatPayment(
                seat, seat_totals["paid_cents"] - winnings, seat_totals["taken_cents"] + cents - winnings
            )
        )
    case = SlipCase(ctx, round_, submissions.rules_of(round_.submission), outcome, settled_data)
    return payment_correction(case, tuple(payments))
