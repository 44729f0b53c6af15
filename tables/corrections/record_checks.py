"""What a full verification checks of slips and the tray: what slips changed there follows from the entries."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from tables.core.entries import entry_bodies
from tables.corrections.slips import (
    SLIP_FILED,
    SLIP_REVIEWED,
    SLIP_SETTLED,
    SettledSlip,
    chips_elsewhere_cents,
)
from tables.models import Table, TableInventory
from tables.money.inventories import CLOSER_COUNTED, OPENER_COUNTED

TRAY_CORRECTION_DIFFERS = declare_finding(
    "tray-correction-differs",
    "%(stream)s: by the slips on record the tray of inventory %(inventory)s was corrected by %(expected_cents)s cents, "
    "not by %(stored_cents)s.",
)
TYPES = (OPENER_COUNTED.name, CLOSER_COUNTED.name, SLIP_FILED.name, SLIP_REVIEWED.name, SLIP_SETTLED.name)


@dataclass
class CorrectedTrays:
    """What slips changed in the tray of a table, by the number of its inventory.

    `rounds_before` is the last round before each opener; the entries are applied in their order. `settled` are the
    slips whose money has moved, by round. `withheld` are the chips, as negative sums, that the newest slip of a round
    says are gone and no review has agreed to; a later slip of the round takes them over.
    """

    rounds_before: dict[int, int]
    cents: dict[int, int] = field(default_factory=dict)
    open_inventory: int | None = None
    filed: dict[str, dict[str, Any]] = field(default_factory=dict)
    settled: dict[int, dict[str, SettledSlip]] = field(default_factory=lambda: defaultdict(dict))
    withheld: dict[int, tuple[str, int]] = field(default_factory=dict)

    def apply(self, type_: str, data: Any) -> None:
        """Apply one entry. Raises KeyError or TypeError for one that is not as it was written."""
        if type_ == OPENER_COUNTED.name:
            self.open_inventory = data["inventory"]
            self.cents[data["inventory"]] = 0
        elif type_ == CLOSER_COUNTED.name:
            self.open_inventory = None
        elif type_ == SLIP_FILED.name:
            self._file(data)
        elif type_ == SLIP_REVIEWED.name:
            self._review(data)
        else:
            self._settle(data)

    def _file(self, data: Any) -> None:
        number = data["round"]
        self.filed[data["slip"]] = data
        slips = [
            slip
            for _code, slip in sorted(self.settled[number].items(), key=lambda item: (len(item[0]), item[0]))
        ]
        _slip, withheld_cents = self.withheld.pop(number, ("", 0))
        cents = withheld_cents + chips_elsewhere_cents(
            data["before"],
            data,
            data["due"],
            {payment["seat"] for payment in data["mended"].get("payments", ())},
            slips,
        )
        is_first = "review" in data and data["review"]["before_money"]
        if cents < 0 and is_first and "elsewhere_cents" in data:
            self.withheld[number] = data["slip"], cents
        else:
            self._add(number, cents)

    def _review(self, data: Any) -> None:
        slip, cents = self.withheld.get(data["round"], ("", 0))
        if data["verdict"] == "agrees" and slip == data["slip"]:
            del self.withheld[data["round"]]
            self._add(data["round"], cents)

    def _add(self, round_number: int, cents: int) -> None:
        """Add chips of a round since the opener; those of an earlier one were counted since."""
        inventory = self.open_inventory
        if inventory is not None and round_number > self.rounds_before.get(inventory, 0):
            self.cents[inventory] += cents

    def _settle(self, data: Any) -> None:
        slip = SettledSlip(self.filed[data["slip"]]["kind"], data["due"], data["moved"])
        self.settled[data["round"]][data["slip"]] = slip
        if self.open_inventory is not None:
            self.cents[self.open_inventory] -= sum(amount["cents"] for amount in data["moved"])


@record_check
def check_tray_corrections(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare what slips changed in each tray with their entries."""
    for table in Table.objects.select_related("stream").order_by("pk"):
        tick()
        inventories = list(TableInventory.objects.filter(table=table).order_by("number"))
        if not inventories:
            continue
        trays = CorrectedTrays({inventory.number: inventory.rounds_before for inventory in inventories})
        for body in entry_bodies(Entry.objects.filter(stream=table.stream_id, type__in=TYPES)):
            try:
                trays.apply(body["_type"], body["data"])
            except (KeyError, TypeError):
                continue  # the verification of the chain names it
        for inventory in inventories:
            is_open = inventory.closed_at is None
            stored_cents = table.tray_corrected_cents if is_open else inventory.corrected_cents
            expected_cents = trays.cents.get(inventory.number, 0)
            if stored_cents != expected_cents:
                where = {"stream": table.stream.name, "inventory": inventory.number}
                amounts = {"expected_cents": expected_cents, "stored_cents": stored_cents}
                yield Finding(TRAY_CORRECTION_DIFFERS, {**where, **amounts})
