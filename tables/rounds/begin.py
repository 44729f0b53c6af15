"""Begin the round in play, or go on with it, when an act asks for one."""

from games.office.gate import verify_minimum
from tables.core.context import AtTable
from tables.limits.rules import apply_when_due
from tables.models import Round, Table
from tables.rules.notice import tell
from tables.rules.suspensions import verify_game_dealt
from tables.staffing import posts


def live_round(at: AtTable, *, though_ceased: bool = False) -> Round:
    """Return the round in play, opened now if this is its first act. Refuses at a table that is not open.

    Play begins and continues only with somebody at every post. A round played before gaming ceased
    (`though_ceased`) is only written down, so its posts are not checked.
    """
    if at.round is None:
        if not (though_ceased and at.table.status == Table.Status.CEASED):
            at.verify_open()
        at.verify_dice_for_a_round()
        at.verify_shaker_filed()
    if not though_ceased:
        posts.verify_staffed(at)
    if at.round is None:
        if not though_ceased:
            verify_game_dealt(at)
        at.round = _open_round(at, though_ceased=though_ceased)
    return at.round


def _open_round(at: AtTable, *, though_ceased: bool) -> Round:
    """Open the next round under the limits and rules that hold from now on.

    The payout limit's floor (A30) is checked once more: a minimum raised at the table and a limit approved in the
    office at the same moment would each have passed without the other.
    """
    apply_when_due(at)
    tell(at)
    if not though_ceased:
        verify_minimum(at.rules, at.table.min_cents)
    number = at.table.last_round + 1
    at.change_table(last_round=number)
    submission, state = at.submission, at.state
    return Round.objects.create(
        table=at.table,
        submission=submission,
        number=number,
        gaming_day=at.gaming_day,
        shaker_kind=at.shaker_kind,
        phase=state.phase,
        quarterback=state.quarterback,
        offered=state.offered,
        opened_at=at.now,
    )
