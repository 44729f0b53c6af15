"""A fictitious act, complete: its refusal, its entry and one function. `test_new_act.py` imports it."""

from audit.entry_types import entry_type
from games.act_forms import Cents
from games.engine import Refusal, RefusalCode
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

MAX_ORDER_CENTS = 500_000
TOO_MANY_CHIPS = RefusalCode("too-many-chips", "Order at most %(max)s at a time.", "Order less")


@entry_type("chips.ordered")
def CHIPS_ORDERED(*, cents: int) -> str:
    """Chips were ordered for the table."""
    return f"Chips ordered: {dollars(cents)}"


@act(roles=AT_THE_TABLE, depends_on="nothing")
def order_chips(ctx: TableContext, *, cents: Cents) -> ActOutcome:
    """Order chips for this table. Raises `too-many-chips`."""
    if cents > MAX_ORDER_CENTS:
        raise Refusal(TOO_MANY_CHIPS, max=dollars(MAX_ORDER_CENTS))
    return ActOutcome(CHIPS_ORDERED(cents=cents), {"cents": cents}, changes="nothing")
