"""Which part of a log shows a selection of entries to be sealed and whole at both ends (FORMAT.md, the bundle)."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from audit.export import Selection, Span
from audit.models import Checkpoint, Incarnation, Seal, SealedHead
from audit.sealing.log import Log, current

COSIGNED_LOOKED_AT = 60  # among so many of the newest, the checkpoint that most witnesses cosigned is taken


@dataclass(frozen=True, slots=True)
class Stretch:
    """The seals `first` up to but not at `last` of a log, and the checkpoint whose root they lead to.

    `ends` has for each span the number up to which entries must be shown: at least its last. `unsealed` has for each
    the number of its entries that stand behind every sealed head.
    """

    incarnation: Incarnation
    checkpoint: Checkpoint
    first: int
    last: int
    ends: tuple[int, ...]
    unsealed: tuple[int, ...]


def stretch_of(selection: Selection, incarnation: Incarnation | None = None) -> Stretch | None:
    """The stretch of a log, the newest unless one is named, that covers a selection; None where nothing is sealed."""
    incarnation = incarnation or current()
    newest = Log(incarnation).newest() if incarnation else None
    if incarnation is None or newest is None:
        return None
    checkpoint = _cosigned(incarnation, _needed(selection, incarnation, newest.size)) or newest
    size = checkpoint.size
    first = _first(selection, incarnation, size)
    last = _needed(selection, incarnation, size) if selection.until else size
    last = max(last, first + 1)
    greatest = [_greatest(span, incarnation, last) for span in selection.spans]
    pairs = list(zip(selection.spans, greatest, strict=True))
    ends = tuple(_end(selection, span, seq, incarnation, last) for span, seq in pairs)
    unsealed = tuple(max(0, span.last - max(span.first - 1, seq)) for span, seq in pairs)
    return Stretch(incarnation, checkpoint, first, last, ends, unsealed)


def _cosigned(incarnation: Incarnation, size: int) -> Checkpoint | None:
    """Of the newest cosigned checkpoints of at least this size, the one with the most cosignatures."""
    signed = Checkpoint.objects.filter(incarnation=incarnation, size__gte=size)
    signed = signed.annotate(witnesses=Count("cosignatures")).filter(witnesses__gt=0).order_by("-size")
    return max(signed[:COSIGNED_LOOKED_AT], key=lambda one: (one.witnesses, one.size), default=None)


def _needed(selection: Selection, incarnation: Incarnation, size: int) -> int:
    """How large the log must be to show all that its first `size` seals can show of a selection."""
    show = _closing if selection.until else _covering
    return max((show(selection, span, incarnation, size) for span in selection.spans), default=0)


def _covering(selection: Selection, span: Span, incarnation: Incarnation, size: int) -> int:
    """The size with the first seal that covers a span's last entry; all of it where none does."""
    if span.last < span.first:
        return 0
    number = _number(_listed(span, incarnation, size).filter(seq__gte=span.last))
    return size if number is None else number + 1


def _closing(selection: Selection, span: Span, incarnation: Incarnation, size: int) -> int:
    """The size with the first seal that shows where a span ends: a later head, or a full seal after the range."""
    after = _number(_listed(span, incarnation, size).filter(seq__gt=span.last))
    full = Seal.objects.filter(
        incarnation=incarnation, number__lt=size, full=True, at__gte=selection.until
    ).order_by("number")
    if span.last:
        full = full.filter(heads__stream=span.stream_id, heads__seq=span.last)
    else:
        full = full.exclude(heads__stream=span.stream_id)
    numbers = [one for one in (after, full.values_list("number", flat=True).first()) if one is not None]
    return min(numbers, default=size - 1) + 1


def _first(selection: Selection, incarnation: Incarnation, size: int) -> int:
    """The newest full seal before the range that lists no span beyond where it stood; else the log's beginning."""
    if selection.since is None:
        return 0
    prior = {span.stream_id: span.first - 1 for span in selection.spans}
    full = Seal.objects.filter(incarnation=incarnation, number__lt=size, full=True, at__lt=selection.since)
    for seal in full.order_by("-number").only("number").iterator(chunk_size=10):
        listed = SealedHead.objects.filter(seal=seal, stream__in=prior).values_list("stream_id", "seq")
        if all(seq <= prior[stream] for stream, seq in listed):
            return seal.number
    return 0


def _end(selection: Selection, span: Span, greatest: int, incarnation: Incarnation, last: int) -> int:
    if greatest <= span.last:
        return span.last
    if selection.until is None:
        return greatest
    after = _listed(span, incarnation, last).filter(seq__gt=span.last).order_by("seq")
    return after.values_list("seq", flat=True)[0]


def _greatest(span: Span, incarnation: Incarnation, last: int) -> int:
    newest = _listed(span, incarnation, last).order_by("-seq").values_list("seq", flat=True).first()
    return newest or 0


def _number(heads: "QuerySet[SealedHead]") -> int | None:
    return heads.order_by("seq", "seal__number").values_list("seal__number", flat=True).first()


def _listed(span: Span, incarnation: Incarnation, size: int) -> "QuerySet[SealedHead]":
    return SealedHead.objects.filter(
        stream=span.stream_id, seal__incarnation=incarnation, seal__number__lt=size
    )


def subtrees(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The whole subtrees (level, index) into which the leaves from `begin` to before `end` split, in order."""
    while begin < end:
        level = (end - begin).bit_length() - 1
        if begin:
            level = min(level, (begin & -begin).bit_length() - 1)
        yield level, begin >> level
        begin += 1 << level
