"""The declared reasons for ending a round without a result: what each may do, and which act owns it.

A reason is a code. What somebody notes beside it goes on the record and decides nothing. A reason that another act owns
leads there: a round that is voided because the device failed would go on without the repair, and with the wagers back
although the dice were tossed.
"""

from dataclasses import dataclass

from games.engine import Refusal
from games.engine.refusals import NO_SUCH_REASON
from games.wording import no_roll_text
from tables.core.context import TableContext
from tables.rounds.refusals import NO_SUCH_VOID_REASON, REASON_OF_ANOTHER_ACT


@dataclass(frozen=True)
class EndReason:
    """A reason with its words.

    `act`: the act of the engine that owns it, "" for none; `duty`: the duty of that act's section, which an edition
    without the equipment lacks; `instead`: the act as the console names it, and `leads_to`: its name there.
    `voids_before`: while that act is not possible yet, the round is voided for this reason.
    """

    code: str
    words: str
    act: str = ""
    duty: str = ""
    instead: str = ""
    leads_to: str = ""
    voids_before: bool = False


VOID_REASONS = (
    EndReason("dice-seen-early", "Dice seen before bets closed"),
    EndReason("uncovered-early", "Shaker uncovered too soon"),
    EndReason("dispute", "Dispute settled by the floor"),
    EndReason("accident", "Accident at the table"),
    EndReason("emergency", "Emergency or evacuation"),
    EndReason("no-wagers", "Nobody wagers"),
    EndReason(
        "device-failed",
        "Device or layout failed",
        "report_device_failure",
        "device-failure",
        "Device failed",
        "report_device_failure",
    ),
    EndReason(
        "shaker-failed",
        "Shaker failed",
        "report_shaker_failure",
        "shaker-failure",
        "Device failed, Shaker",
        "report_device_failure",
        voids_before=True,
    ),
    EndReason(
        "dice-not-flat", "A die does not lie flat", "call_no_roll", "no-roll", "No roll", "call_no_roll"
    ),
    EndReason(
        "missed-wager",
        "Wager not entered",
        "record_missed_wager",
        "position",
        "Missed wager",
        "record_missed_wager",
    ),
    EndReason(
        "mistaken-wager",
        "Wager entered wrongly",
        "strike_mistaken_wager",
        "position",
        "Strike a wager",
        "strike_mistaken_wager",
    ),
)
# Of a no roll where the edition lists none. The words of the other codes are in games/wording.py.
NO_ROLL_REASONS = (
    EndReason("on-another", "A die rests on another"),
    EndReason("leans", "A die leans"),
    EndReason("cocked", "A die does not lie flat"),
    EndReason("off-table", "A die left the shaker"),
)
WORDS = {reason.code: reason.words for reason in (*VOID_REASONS, *NO_ROLL_REASONS)}


def end_reason_text(reason: str) -> str:
    """Return why a throw or a round is without a result, in words.

    What people entered in their own words, before the reasons were declared, stays as it is.
    """
    text = no_roll_text(reason)
    return WORDS.get(reason, reason) if text == reason else text


def verify_void_reason(ctx: TableContext, code: str) -> EndReason:
    """Return the reason of a void. Raises `no-such-void-reason`, or `reason-of-another-act`
    with the name of that act.
    """
    reason = next((declared for declared in VOID_REASONS if declared.code == code), None)
    if reason is None or not _is_of_this_table(ctx, reason):
        raise Refusal(NO_SUCH_VOID_REASON, ctx.rules.section("void"), reason=code[:40])
    if reason.act and not (reason.voids_before and reason.act not in ctx.game.legal_acts(ctx.state)):
        raise Refusal(REASON_OF_ANOTHER_ACT, ctx.rules.section(reason.duty), instead=reason.instead)
    return reason


def verify_no_roll_reason(ctx: TableContext, code: str) -> None:
    """Check the reason of a no roll where the edition lists none. Raises `no-such-reason`."""
    if not ctx.rules.edition.no_rolls and code not in {reason.code for reason in NO_ROLL_REASONS}:
        raise Refusal(NO_SUCH_REASON, ctx.rules.section("no-roll"), reason=code[:40])


def _is_of_this_table(ctx: TableContext, reason: EndReason) -> bool:
    """Whether the table has what the reason is about. An automated shaker alone can fail as one."""
    if reason.act == "report_shaker_failure":
        return ctx.rules.shaker(ctx.state.shaker).automated
    return not reason.act or any(act == reason.act for _, act in ctx.state.procedure.moves)
