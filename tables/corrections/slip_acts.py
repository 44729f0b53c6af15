"""Error Notification Slips: a mistake found after money moved is a new entry that names the old one.

Two people sign each slip, one of them a floorperson or above; a void needs a pit manager or a shift manager. Neither
act needs an open table, and neither affects the round in play. `tables/corrections/correction.py` computes the
correction.
"""

from typing import Annotated

from games.act_forms import objects, text
from games.engine import Refusal
from games.params import MOST_CENTS, Params
from tables.core.alert_kinds import AlertKind
from tables.core.alerts import acknowledge, end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_ACKNOWLEDGED
from tables.core.permissions import AT_THE_TABLE, STAFFERS, has_work_for
from tables.corrections.alert_rules import AWAITED_REVIEW, UNSETTLED_SLIP
from tables.corrections.chips_elsewhere import chips_elsewhere_cents, settled_slips
from tables.corrections.correction import MAX_REASON, read_correction
from tables.corrections.entry_types import SLIP_FILED, SLIP_SETTLED, SlipSettled
from tables.corrections.filing import create_slip, filed_data, mark_settled
from tables.corrections.outcomes import filed_entry
from tables.corrections.raises import tell_signers
from tables.corrections.refusals import (
    NO_SUCH_ROUND,
    NO_SUCH_SLIP,
    SLIP_MANAGER_MUST_SIGN,
    SLIP_MOVED_MORE,
    SLIP_NEEDS_TWO,
    SLIP_OTHER_SEATS,
    SLIP_SAY_WHY_LESS,
    SLIP_SETTLED_ALREADY,
    SLIP_SIGNER_ELSEWHERE,
    SLIP_STANDS_OTHERWISE,
)
from tables.corrections.reviews import (
    verify_may_correct,
    verify_reviewed,
    verify_reviewer_signs_not,
)
from tables.models import Alert, Round, Slip
from tables.money.tray import add_settled_slip
from tables.rounds.settlement import settled_data
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act, act_without_post

MAX_NUMBER = 2**31 - 1
MAX_SEQ = 2**53 - 1


def _read_moved(item: Params) -> tuple[int, int]:
    return item.integer("seat", 1, 64), item.integer("cents", -MOST_CENTS, MOST_CENTS)


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
    data: SlipSettled = {
        "slip": slip.code,
        "round": slip.round.number,
        "corrects": filing_entry.as_data,
        "due": slip.due,
        "moved": slip.handed_over,
        "reason": reason,
    }
    return ActOutcome(SLIP_SETTLED(data), {"slip": slip.code}, changes="nothing")


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


def find_slip(ctx: TableContext, code: str) -> Slip:
    """Return the slip of this table with its round and who reviewed it. Raises `no-such-slip`."""
    number = code.removeprefix("ENS-")
    slip = None
    if number.isascii() and number.isdigit() and len(number) < 10:
        slips = Slip.objects.filter(table=ctx.table, number=int(number))
        slip = slips.select_related("round__submission", "reviewed_by").first()
    if slip is None or slip.code != code:
        raise Refusal(NO_SUCH_SLIP, slip=code, table=ctx.table.code)
    return slip


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


def end_alert_of(ctx: TableContext, kind: AlertKind, slip: Slip) -> None:
    """End and acknowledge the slip's alert of this kind, if it is open: the act deals with its cause."""
    assert ctx.actor is not None
    key = kind.key.format(slip=slip.code)
    for alert in Alert.objects.filter(table=ctx.table, key=key, ended_at=None, acknowledged_at=None):
        acknowledge(ctx, alert, ctx.actor, "")
        ctx.extra_entries.append(ALERT_ACKNOWLEDGED({"kind": alert.kind, "key": alert.key, "note": ""}))
    end_alert(ctx, key)
