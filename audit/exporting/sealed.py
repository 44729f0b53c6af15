"""Count the entries of a selection that no seal covers yet, and wait for the sealer."""

import time
from collections.abc import Callable

from audit.export import Selection, Span, only_facility
from audit.models import SealedHead
from audit.sealing.log import Log, facility_log

WAIT_SECONDS = 5.0
POLL_SECONDS = 0.25


def count_unsealed(selection: Selection) -> int:
    """The number of entries of a selection after the last sealed head of their stream in their facility's log.

    Raises SeveralFacilities.
    """
    log = facility_log(only_facility(selection))
    return sum(_count_unsealed_in(span, log) for span in selection.spans if span.entries)


def wait_for_seals(selection: Selection, look: Callable[[], None] = lambda: None) -> int:
    """Wait up to `WAIT_SECONDS` for the sealer to cover a selection. Returns the number of unsealed entries.

    Calls `look` while waiting; what it raises ends the wait. Does not wait if nothing was ever sealed. Raises
    SeveralFacilities.
    """
    if facility_log(only_facility(selection)) is None:
        return selection.entries
    until = time.monotonic() + WAIT_SECONDS
    while remaining := count_unsealed(selection):
        if time.monotonic() >= until:
            break
        look()
        time.sleep(POLL_SECONDS)
    return remaining


def _count_unsealed_in(span: Span, log: Log | None) -> int:
    if log is None:
        return span.entries
    heads = SealedHead.objects.filter(
        stream_id=span.stream_id, seal__incarnation=log.incarnation, seal__facility=log.facility
    )
    newest = heads.order_by("-seq").values_list("seq", flat=True).first() or 0
    return min(span.entries, max(0, span.last - newest))
