"""What the loser of two screens is told: who did what on the other one that left nothing to do for this act.

A refusal by the rules is the same sentence whether the act was wrong or only late. `OVERTAKEN_BY` names the refusals of
acts that come too late, each with the entry types that left nothing to do for them; a game's own are `OVERTAKEN_BY` in
the `words.py` of its folder.
"""

from typing import Any

from audit.entry_types import EntryType
from audit.models import Entry
from games import registry
from games.engine import refusals as engine
from games.engine.refusals import Refusal
from games.snapshot_types import ActLine
from tables.alerts.entry_types import FLOOR_CALLED
from tables.alerts.refusals import ALREADY_CALLED, NO_SUCH_ALERT
from tables.core.entry_types import ALERT_ACKNOWLEDGED, ALERT_ENDED
from tables.models import Table
from tables.money import slips
from tables.money.inventories import CLOSER_COUNTED, OPENER_COUNTED, OPENER_IS_SIGNED
from tables.money.tray import CLOSER_IS_SIGNED
from tables.players.entry_types import RATING_ENDED, SEAT_ALLOWED, SEAT_REFUSED
from tables.players.refusals import SEAT_NOT_RATED, SEAT_NOT_REFUSED, SEAT_REFUSED_ALREADY
from tables.rounds.play import BETS_CLOSED, SEATS_SETTLED, WINNERS_PAID
from tables.rounds.returns import NOTHING_TO_RETURN, WAGERS_RETURNED
from tables.rounds.wagers import SEAT_FREED, SEAT_IS_OPEN, SEAT_IS_TAKEN, SEAT_TAKEN
from tables.screens import selectors
from tables.views.refusals import SOMEBODY_WAS_FIRST
from tables.words.entries import device_of

TRANSFER_STEPS = (
    slips.TRANSFER_PREPARED,
    slips.TRANSFER_CARRIER_SIGNED,
    slips.TRANSFER_HANDED_OVER,
    slips.TRANSFER_RECEIVED,
    slips.TRANSFER_VOIDED,
    slips.TRANSFER_CANCELED,
)
OVERTAKEN_BY: dict[str, tuple[EntryType[Any], ...]] = {
    engine.BETS_CLOSED: (BETS_CLOSED,),
    engine.SEAT_PAID_ALREADY: (WINNERS_PAID,),
    engine.NOTHING_TO_PAY: (WINNERS_PAID,),
    engine.SEAT_SETTLED_ALREADY: (SEATS_SETTLED,),
    engine.NOTHING_TO_SETTLE: (SEATS_SETTLED,),
    NOTHING_TO_RETURN: (WAGERS_RETURNED,),
    SEAT_IS_TAKEN: (SEAT_TAKEN,),
    SEAT_IS_OPEN: (SEAT_FREED,),
    SEAT_REFUSED_ALREADY: (SEAT_REFUSED,),
    SEAT_NOT_REFUSED: (SEAT_ALLOWED,),
    SEAT_NOT_RATED: (RATING_ENDED,),
    NO_SUCH_ALERT: (ALERT_ACKNOWLEDGED, ALERT_ENDED),
    ALREADY_CALLED: (FLOOR_CALLED,),
    OPENER_IS_SIGNED: (OPENER_COUNTED,),
    CLOSER_IS_SIGNED: (CLOSER_COUNTED,),
    slips.TRANSFER_NOT_AT_THIS_STEP: TRANSFER_STEPS,
}


def who_was_first(table: Table, seen_version: int, device: str, entry: int | None) -> str:
    """Return the sentence for a stale act: who did what since the screen was drawn.

    `entry`: the number of the entry that made it stale; without it, the newest act of the table is named. `device`: the
    id of the device of the act.
    """
    since = [line for line in selectors.acts(table) if line["seq"] > seen_version]
    acts = [line for line in since if not line["type"].startswith("alert.")]
    line = next((line for line in since if line["seq"] == entry), acts[0] if acts else None)
    return _sentence(table, line, device) if line else SOMEBODY_WAS_FIRST


def who_left_nothing(table: Table, refusal: Refusal, seen_version: int, device: str) -> str:
    """Return who did on another screen what the refused act came too late for, as a sentence; "" if nobody did."""
    types = {type_.name for type_ in OVERTAKEN_BY.get(refusal.code, ())} | _types_of_games(refusal.code)
    since = (line for line in selectors.acts(table) if line["seq"] > seen_version)
    line = next((line for line in since if line["type"] in types), None)
    if line is None or _is_of(table, line["seq"], device):
        return ""
    return _sentence(table, line, device)


def _types_of_games(code: str) -> set[str]:
    modules = registry.parts("words").values()
    return {name for module in modules for name in getattr(module, "OVERTAKEN_BY", {}).get(code, ())}


def _sentence(table: Table, line: ActLine, device: str) -> str:
    if _is_of(table, line["seq"], device):
        return f"This tablet recorded it before: {line['text']}."
    return f"{line['who']} was first on another screen: {line['text']}."


def _is_of(table: Table, number: int, device: str) -> bool:
    """Whether an entry of the table was made at this device."""
    entry = Entry.objects.filter(stream=table.stream_id, seq=number).first()
    return entry is not None and device_of(entry) == device
