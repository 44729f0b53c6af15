"""The test runs of an automated shaker."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.equipment.refusals import TOO_FEW_TOSSES

TOSSES = 3  # test runs of an automated shaker before gaming


def verify_tosses(ctx: TableContext, kind: str, tosses: int) -> None:
    """Raises `too-few-tosses` if an automated shaker had fewer test runs than `TOSSES`."""
    if ctx.rules.shaker(kind).automated and tosses < TOSSES:
        raise Refusal(TOO_FEW_TOSSES, ctx.rules.section("inspection-shaker"), tosses=tosses)
