"""Lines of the record about the handover of a shift."""

from tables.handover.entry_types import HANDOVER_SIGNED, ITEMS_ACCEPTED, HandoverSigned, ItemsAccepted
from tables.words.registry import line, register


def _accepted(data: ItemsAccepted) -> str:
    first, *others = [item["title"] for item in data["items"]]
    more = f" and {len(others)} more" if others else ""
    return f"{data['owner']} takes over: {first}{more}"


def _signed(data: HandoverSigned) -> str:
    shift = f"{data['shift_name']} to {data['next_shift_name']}"
    count = len(data["items"])
    return f"Handover {data['handover']}, {shift}, with {count} open item{'' if count == 1 else 's'}"


register(act_lines=[line(ITEMS_ACCEPTED, _accepted), line(HANDOVER_SIGNED, _signed)])
