"""The chain of custody of a dice lot: the entries of the record about it, in order."""

from collections.abc import Iterable

from audit.models import Stream
from tables.models import DiceLot, LotStep


def write_lot_steps(lots: Iterable[DiceLot], stream: Stream, seq: int) -> None:
    """Link entry `seq` of this stream to each lot, in the act's own transaction."""
    steps = [LotStep(lot=lot, stream=stream, seq=seq) for lot in {lot.pk: lot for lot in lots}.values()]
    if steps:
        LotStep.objects.bulk_create(steps)
