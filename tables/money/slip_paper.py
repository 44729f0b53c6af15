"""What a fill or credit slip says, for the page of the cage, its print and its PDF: chips, steps and signatures."""

import datetime as dt
from dataclasses import dataclass

from audit.models import Person
from games.registry import game_by_code
from tables.models import ChipTransfer
from tables.money.chips_page import Chips, chips_of
from tables.money.inventory import UNDER_WAY
from tables.money.tray_page import is_at_table

Kind, Status = ChipTransfer.Kind, ChipTransfer.Status


@dataclass(frozen=True)
class SlipSignature:
    """A place on the slip that somebody signs. `mark` is `done`, `next` or empty."""

    post: str
    name: str
    mark: str
    moment: dt.datetime | None = None
    note: str = ""


@dataclass(frozen=True)
class SlipPaper:
    """A transfer as its slip: on the page, in print and as a PDF."""

    transfer: ChipTransfer

    @property
    def is_fill(self) -> bool:
        return self.transfer.kind == Kind.FILL

    @property
    def code(self) -> str:
        """The slip number; a request has none."""
        return self.transfer.slip or "No slip yet"

    @property
    def title(self) -> str:
        """The title of the form."""
        if not self.transfer.slip:
            return "Fill request" if self.is_fill else "Credit request"
        return "Fill slip" if self.is_fill else "Credit slip"

    @property
    def chips(self) -> Chips:
        return chips_of(self.transfer.chips)

    @property
    def table_in_words(self) -> str:
        table = self.transfer.table
        return f"{table.code}, {game_by_code(table.game).name}"

    @property
    def place_from(self) -> str:
        return "Cage" if self.is_fill else self.table_in_words

    @property
    def place_to(self) -> str:
        return self.table_in_words if self.is_fill else "Cage"

    @property
    def is_void(self) -> bool:
        return self.transfer.status in (Status.VOID, Status.CANCELED)

    @property
    def is_under_way(self) -> bool:
        return self.transfer.status in UNDER_WAY

    @property
    def is_at_table(self) -> bool:
        return is_at_table(self.transfer)

    @property
    def ended_at(self) -> dt.datetime | None:
        """When it was received, voided or canceled."""
        return self.transfer.received_at or self.transfer.ended_at

    @property
    def is_handed_here(self) -> bool:
        """Whether the cage hands it to security next."""
        return self.is_fill and self.transfer.status == Status.PREPARING

    @property
    def is_received_here(self) -> bool:
        """Whether the cage counts it next."""
        return not self.is_fill and self.transfer.status == Status.ON_THE_WAY

    @property
    def may_void(self) -> bool:
        """Whether the cage may void or cancel it: a credit that has left its tray is voided at the table."""
        return self.is_under_way and not self.is_received_here

    @property
    def void_act(self) -> str:
        return "void_transfer" if self.transfer.slip else "cancel_transfer"

    @property
    def void_dialog(self) -> str:
        """The dialog that voids it: security signs too where the chips had left the cage."""
        if not self.transfer.slip:
            return "cancel"
        return "void-returned" if self.transfer.status == Status.ON_THE_WAY else "void"

    @property
    def refused_counts(self) -> str:
        """How many counts of it were refused, in words; "" for none."""
        number = self.transfer.refused_counts
        return f"{number} count{'' if number == 1 else 's'} refused" if number else ""

    @property
    def shift(self) -> str:
        """The shift of the request."""
        return self.transfer.facility.shift_of(self.transfer.requested_at).name.lower()

    @property
    def copies(self) -> str:
        """Where the copies of the slip go."""
        return f"Copies: drop box of {self.transfer.table.code}, cage, accounting."

    @property
    def signatures(self) -> tuple[SlipSignature, ...]:
        """Who signed, and who signs next, in the order of the slip: two where the chips leave, two where they come;
        of a credit the carrier before them.
        """
        transfer, table = self.transfer, self.transfer.table
        dealer, floor, cashier = (
            name_of(table.dealer),
            name_of(table.floorperson),
            name_of(transfer.prepared_by),
        )
        at_table, by_pin = "at the table", "signs in the cage, by PIN"
        leaves: tuple[tuple[str, Person | None, str, str], ...]
        carries: tuple[tuple[str, Person | None, str, str], ...] = ()
        if self.is_fill:
            leaves = (
                ("Cashier", transfer.handed_by, cashier, "signs with the hand-over"),
                ("Security", transfer.handed_with, "", by_pin),
            )
            comes = (
                ("Dealer", transfer.received_by, dealer, at_table),
                ("Floorperson", transfer.received_with, floor, at_table),
            )
        else:
            leaves = (
                ("Dealer", transfer.handed_by, dealer, at_table),
                ("Floorperson", transfer.handed_with, floor, at_table),
            )
            signed_at = transfer.carrier_signed_at
            carries = (
                ("Carrier", transfer.carrier if signed_at else None, "", "signs at the table, by PIN"),
            )
            comes = (
                ("Cashier", transfer.received_by, "", "counts it in the cage"),
                ("Security", transfer.received_with, name_of(transfer.carrier), by_pin),
            )
        is_prepared = transfer.prepared_at is not None
        return (
            *self._signed(
                carries,
                transfer.carrier_signed_at,
                is_next=is_prepared and not transfer.carrier_signed_at and not transfer.handed_at,
            ),
            *self._signed(leaves, transfer.handed_at, is_next=is_prepared and transfer.handed_at is None),
            *self._signed(comes, transfer.received_at, is_next=transfer.handed_at is not None),
        )

    def _signed(
        self,
        places: tuple[tuple[str, Person | None, str, str], ...],
        moment: dt.datetime | None,
        *,
        is_next: bool,
    ) -> tuple[SlipSignature, ...]:
        if moment is not None:
            return tuple(
                SlipSignature(post, name_of(person), "done", moment) for post, person, _, _ in places
            )
        mark = "next" if is_next and self.is_under_way else ""
        return tuple(
            SlipSignature(post, expected, mark, None, note if self.is_under_way else "")
            for post, _, expected, note in places
        )


def name_of(person: Person | None) -> str:
    """Return the short name of a person; empty for nobody."""
    return person.short_name if person else ""
