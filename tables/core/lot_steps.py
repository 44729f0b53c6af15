"""The chain of custody of a dice lot: which entries of the record speak of it, in order."""

from collections.abc import Iterable

from audit.models import Stream
from tables.models import DiceLot, LotStep


def write_lot_steps(lots: Iterable[DiceLot], stream: Stream, seq: int) -> None:
    """Writes down that entry `seq` of this stream is a step of each lot. In the act's own transaction."""
    steps = [LotStep(lot=lot, stream=stream, seq=seq) for lot in {lot.pk: lot for lot in lots}.values()]
    if steps:
        LotStep.objects.bulk_create(steps)
