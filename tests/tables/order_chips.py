"""A fictitious act, complete: one function and its words. `test_new_act.py` imports it."""

from games.engine import Refusal, RefusalCode
from games.params import MOST_CENTS, Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.runner.table import ActOutcome, act
from tables.words.registry import register
from tables.words.sentences import dollars

MAX_ORDER_CENTS = 500_000
TOO_MANY_CHIPS = RefusalCode("too-many-chips", "Order at most %(max)s at a time.", "Order less")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def order_chips(ctx: TableContext, params: Params) -> ActOutcome:
    """Order chips for this table. Raises `too-many-chips`."""
    cents = params.integer("cents", 1, MOST_CENTS)
    if cents > MAX_ORDER_CENTS:
        raise Refusal(TOO_MANY_CHIPS, max=dollars(MAX_ORDER_CENTS))
    return ActOutcome("chips.ordered", {"cents": cents}, {"cents": cents}, changes="nothing")


register(act_lines={"chips.ordered": lambda data: "Chips ordered: %s" % dollars(data["cents"])})
