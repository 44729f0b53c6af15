"""A fictitious act, complete: one function with its entry, and its words. `test_new_act.py` imports it."""

from typing import TypedDict

from audit.entry_types import entry_type
from games.engine import Refusal, RefusalCode
from games.params import MOST_CENTS, Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.runner.table import ActOutcome, act
from tables.words.registry import line, register
from tables.words.sentences import dollars

MAX_ORDER_CENTS = 500_000
TOO_MANY_CHIPS = RefusalCode("too-many-chips", "Order at most %(max)s at a time.", "Order less")


class ChipsOrdered(TypedDict):
    cents: int


CHIPS_ORDERED = entry_type("chips.ordered", ChipsOrdered, "Chips were ordered for the table.")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def order_chips(ctx: TableContext, params: Params) -> ActOutcome:
    """Order chips for this table. Raises `too-many-chips`."""
    cents = params.integer("cents", 1, MOST_CENTS)
    if cents > MAX_ORDER_CENTS:
        raise Refusal(TOO_MANY_CHIPS, max=dollars(MAX_ORDER_CENTS))
    return ActOutcome(CHIPS_ORDERED({"cents": cents}), {"cents": cents}, changes="nothing")


register(act_lines=[line(CHIPS_ORDERED, lambda data: "Chips ordered: %s" % dollars(data["cents"]))])
