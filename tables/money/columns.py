"""What is known of the columns of chips and cash: their own check folds the entries of each table."""

from audit.columns import declare
from tables.models import (
    ChipDiscrepancy,
    ChipSale,
    ChipTransfer,
    DropBox,
    SlipNumbers,
    TableInventory,
    TrayPar,
)

MONEY = "tables.money.record_checks.check_money"


def of(names: str) -> dict[str, str]:
    """These columns, which the check of chips and cash compares."""
    return dict.fromkeys(names.split(), MONEY)


declare(
    TableInventory,
    "inventory",
    derived=of(
        "table number gaming_day opened_seq rounds_before opened_at opened_by opened_with opener_chips "
        "opener_cents fills_cents credits_cents sold_cents counted_chips counted_cents counted_at "
        "counted_exact_cents taken_cents paid_cents corrected_cents closer_chips closer_cents closed_seq "
        "last_round closed_at closed_by closed_with"
    ),
)
declare(SlipNumbers, "slip numbers", derived=of("facility fill credit"))
declare(
    ChipTransfer,
    "transfer",
    derived=of(
        "facility table inventory number kind slip_number status chips cents gaming_day requested_at "
        "requested_by prepared_at prepared_by handed_at handed_by handed_with carrier received_at received_by "
        "received_with ended_at ended_by ended_with reason carrier_signed_at refused_counts"
    ),
)
declare(
    DropBox,
    "drop box",
    derived=of(
        "table inventory number box sold_cents put_on_at put_on_by put_on_with taken_off_at taken_off_by "
        "taken_off_with counted_at counted_by counted_with counted_cents"
    ),
)
declare(
    ChipSale,
    "sale",
    derived=of("table inventory drop_box gaming_day sold_at sold_by seat cents chips"),
)
declare(TrayPar, "par", derived=of("table chips set_at set_by"))
declare(
    ChipDiscrepancy,
    "discrepancy",
    derived=of(
        "table inventory number gaming_day kind transfer drop_box expected_chips expected_cents counted_chips "
        "counted_cents note recorded_at recorded_by recorded_with"
    ),
)
