"""What to order for a tray: the fill or credit that brings it back to its par. Pure; nothing is ordered by it.

By denomination a tray is known only when it is counted. What moved since then without being entered by denomination
(wagers, sales without denominations, slips, equal exchanges) is spread over the denominations as the par's value is.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from games.chips import KNOWN_CHIPS_CENTS
from tables.money.tray import ChipCounts, value_cents

TUBE = 50  # chips in a full tube of the tray
HALF_RACK = 5  # step of a denomination of which the par has less than two tubes


@dataclass(frozen=True)
class OrderProposal:
    """Chips to order and chips to send back, with what is assumed to be in the tray now, and the sum behind it.

    `unknown_cents` is what moved since the count without its denominations being known.
    """

    fill: dict[str, int]
    credit: dict[str, int]
    assumed: dict[str, int]
    unknown_cents: int


def propose(
    par: ChipCounts,
    counted: ChipCounts,
    now_cents: int,
    *,
    transferred: Mapping[str, int] | None = None,
    coming: ChipCounts | None = None,
) -> OrderProposal:
    """Propose what restores the par from the last count.

    `now_cents`: the exact value of the tray. `transferred`: chips of the transfers since the count, less those of
    credits. `coming`: chips of fills under way, less those of credits, which are not ordered again. Only whole tubes
    are ordered, or steps of five of a denomination of which the par has few. A denomination without a par is left
    alone.
    """
    known_chips = {
        str(chip): counted.get(str(chip), 0) + (transferred or {}).get(str(chip), 0)
        for chip in KNOWN_CHIPS_CENTS
    }
    unknown_cents = now_cents - value_cents(known_chips)
    par_cents = value_cents(par)
    fill: dict[str, int] = {}
    credit: dict[str, int] = {}
    assumed: dict[str, int] = {}
    for chip in map(str, KNOWN_CHIPS_CENTS):
        target = par.get(chip, 0)
        spread = round(unknown_cents * target / par_cents) if par_cents else 0
        assumed[chip] = max(known_chips[chip] + spread, 0)
        if not target:
            continue
        step = TUBE if target >= 2 * TUBE else HALF_RACK
        missing = target - assumed[chip] - (coming or {}).get(chip, 0)
        whole_steps = abs(missing) // step * step
        if whole_steps:
            (fill if missing > 0 else credit)[chip] = whole_steps
    return OrderProposal(
        fill, credit, {chip: number for chip, number in assumed.items() if number}, unknown_cents
    )
