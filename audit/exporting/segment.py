"""Choose the segment of a log that shows a selection of entries to be sealed and complete (FORMAT.md, the bundle)."""

import bisect
import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from audit.export import Selection, Span, only_facility
from audit.models import Checkpoint, Cosignature, Incarnation, Seal, SealedHead
from audit.sealing.log import Log, facility_log

CHECKPOINTS_COMPARED = 60  # the newest; of these, the one that most witnesses cosigned is used


@dataclass(frozen=True, slots=True)
class LogSegment:
    """The seals from `first` to before `last` of a log, and the checkpoint whose root they lead to.

    `ends` has, for each span, the number of the last entry that the bundle must include: at least the span's last.
    `unsealed` has the number of each span's entries after every sealed head.
    """

    log: Log
    checkpoint: Checkpoint
    first: int
    last: int
    ends: tuple[int, ...]
    unsealed: tuple[int, ...]


def segment_for(selection: Selection, incarnation: Incarnation | None = None) -> LogSegment | None:
    """The segment that covers a selection, of its facility's log of the newest incarnation, or of this one.

    None if nothing is sealed. Raises SeveralFacilities. Takes a few statements for each span and a few dozen for the
    range. Each reads a few rows, however long the log is.
    """
    log = facility_log(only_facility(selection), incarnation)
    newest = log.newest() if log else None
    if log is None or newest is None:
        return None
    checkpoint = _cosigned_checkpoint(log, _log_size_needed(selection, log, newest.size)) or newest
    size = checkpoint.size
    first = _first_seal(selection, log, size)
    last = _log_size_needed(selection, log, size) if selection.until else size
    last = max(last, first + 1)
    ends, unsealed = [], []
    for span in selection.spans:
        end, sealed = _span_end(selection, span, log, last)
        ends.append(end)
        unsealed.append(max(0, span.last - max(span.first - 1, sealed)))
    return LogSegment(log, checkpoint, first, last, tuple(ends), tuple(unsealed))


def _cosigned_checkpoint(log: Log, size: int) -> Checkpoint | None:
    """The newest checkpoint of at least this size with the most cosignatures. None if none has any."""
    newest = list(log.checkpoints.filter(size__gte=size).order_by("-size")[:CHECKPOINTS_COMPARED])
    marks = Counter(Cosignature.objects.filter(checkpoint__in=newest).values_list("checkpoint_id", flat=True))
    cosigned = [checkpoint for checkpoint in newest if marks[checkpoint.pk]]
    if not cosigned:  # no witness for a minute: use the last cosigned checkpoint if it is large enough
        last = log.cosignatures().select_related("checkpoint").first()
        return last.checkpoint if last and last.checkpoint.size >= size else None
    return max(cosigned, key=lambda checkpoint: (marks[checkpoint.pk], checkpoint.size))


def _log_size_needed(selection: Selection, log: Log, size: int) -> int:
    """The size that the log must have to show all that its first `size` seals can show about a selection."""
    if selection.until is None:
        return max((_size_covering(span, log, size) for span in selection.spans), default=0)
    full = _full_seal_after(selection.until, log, size)
    there = dict(full.heads.values_list("stream_id", "seq")) if full else {}
    sizes = []
    for span in selection.spans:
        numbers = [_first_number(_listed(span, log, size).filter(seq__gt=span.last))]
        if full and there.get(span.stream_id, 0) == span.last:
            numbers.append(full.number)
        sizes.append(min((number for number in numbers if number is not None), default=size - 1) + 1)
    return max(sizes, default=0)


def _size_covering(span: Span, log: Log, size: int) -> int:
    """The log size that includes the first seal covering a span's last entry; `size` if none does."""
    if span.last < span.first:
        return 0
    number = _first_number(_listed(span, log, size).filter(seq__gte=span.last))
    return size if number is None else number + 1


def _full_seal_after(moment: dt.datetime, log: Log, size: int) -> Seal | None:
    """The first full seal at or after a moment: it lists the head of every stream at that time."""
    begin = _number_at_time(moment, log, size)
    full = log.seals.filter(number__gte=begin, number__lt=size, full=True)
    return full.order_by("number").first()


def _first_seal(selection: Selection, log: Log, size: int) -> int:
    """The newest full seal before the range that lists no stream beyond its prior entry; else the log's beginning."""
    if selection.since is None:
        return 0
    prior = {span.stream_id: span.first - 1 for span in selection.spans}
    before = _number_at_time(selection.since, log, size)
    full = log.seals.filter(number__lt=before, full=True).order_by("-number")
    for seal in full.only("number").iterator(chunk_size=10):
        listed = SealedHead.objects.filter(seal=seal, stream__in=prior).values_list("stream_id", "seq")
        if all(seq <= prior[stream] for stream, seq in listed):
            return seal.number
    return 0


def _number_at_time(moment: dt.datetime, log: Log, size: int) -> int:
    """The number of the first seal at or after a moment, or `size`. The times of seals never go back."""
    times = log.seals.values_list("at", flat=True)
    return bisect.bisect_left(range(size), moment, key=lambda number: times.get(number=number))


def _span_end(selection: Selection, span: Span, log: Log, last: int) -> tuple[int, int]:
    """The last entry that the bundle must include, and the greatest number of the stream listed before seal `last`."""
    listed = _listed(span, log, last)
    if selection.until is None:
        greatest = listed.order_by("-seq")
    else:
        after = listed.filter(seq__gt=span.last).order_by("seq").values_list("seq", flat=True).first()
        if after is not None:
            return after, after
        greatest = listed.filter(seq__lte=span.last).order_by("-seq")
    sealed = greatest.values_list("seq", flat=True).first() or 0
    return max(sealed, span.last), sealed


def _first_number(heads: "QuerySet[SealedHead]") -> int | None:
    return heads.order_by("seq", "seal__number").values_list("seal__number", flat=True).first()


def _listed(span: Span, log: Log, size: int) -> "QuerySet[SealedHead]":
    return SealedHead.objects.filter(
        stream=span.stream_id,
        seal__incarnation=log.incarnation,
        seal__facility=log.facility,
        seal__number__lt=size,
    )


def subtrees(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the complete subtrees (level, index) that make up the leaves from `begin` to before `end`, in order."""
    while begin < end:
        level = (end - begin).bit_length() - 1
        if begin:
            level = min(level, (begin & -begin).bit_length() - 1)
        yield level, begin >> level
        begin += 1 << level
