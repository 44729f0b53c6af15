"""The numbers by which people know what is on the record, and where a search looks for each.

A kind of number is one line of `NUMBER_KINDS`. `ENS-0012` is a slip, unique at its table; `RS-0009` and the others of
the offices are in the entries of the streams that belong to no table; `L-0027` is a dice lot; `T-04 297` a round.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from audit.models import Stream
from games.models import Facility
from tables.models import Slip, Table

MAX_NUMBER = 2**31 - 1
EXAMPLES = "ENS-0012, RS-0009, D-0041, L-0027, CH-0001, C-0041, or T-04 297"


@dataclass(frozen=True)
class NumberScope:
    """Where the entries about a number are, and the text that each of them contains.

    `text` is empty where every entry of the rounds is about it. `rounds` are pairs of a stream's id and a round's
    number; `streams` are searched as a whole. `lot` and `round` stand for the fields of the search.
    """

    code: str
    text: str = ""
    rounds: tuple[tuple[int, int], ...] = ()
    streams: tuple[Stream, ...] = ()
    lot: str = ""
    round: tuple[Stream, int] | None = field(default=None)


Resolve = Callable[["re.Match[str]", Facility, bool], NumberScope | None]


@dataclass(frozen=True)
class NumberKind:
    """A kind of number: how it is typed, and where it leads; None where this casino has no such number."""

    pattern: re.Pattern[str]
    resolve: Resolve


def _slip(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope | None:
    number = int(match[1])
    slips = Slip.objects.filter(table__facility=facility, number=number)
    rounds = tuple(slips.order_by("pk").values_list("table__stream_id", "round__number"))
    code = f"ENS-{number:04d}"
    return NumberScope(code, code, rounds) if rounds else None


def _of_offices(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope:
    """The entries of every stream that is not a table's and has the code in its data."""
    code = f"{match[1].upper()}-{int(match[2]):04d}"
    tables = Table.objects.filter(facility=facility).values("stream")
    streams = Stream.objects.filter(name__startswith=f"{facility.code}/", seq__gt=0).exclude(pk__in=tables)
    return NumberScope(code, code, streams=tuple(streams.order_by("name")))


def _lot(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope:
    code = match[0].upper()
    return NumberScope(code, lot=code)


def _round(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope | None:
    table = Table.objects.filter(facility=facility, code__iexact=match[1]).select_related("stream").first()
    if table is None or table.stream.real_play is training or not 0 < int(match[2]) <= MAX_NUMBER:
        return None
    return NumberScope(f"{table.code} {int(match[2])}", round=(table.stream, int(match[2])))


NUMBER_KINDS: list[NumberKind] = [
    NumberKind(re.compile(r"ENS-?0*(\d{1,9})", re.ASCII | re.IGNORECASE), _slip),
    # rules submissions, requests for games, providers, documents, changes, cases, legal holds
    NumberKind(re.compile(r"(RS|NG|SP|SV|D|CH|C|LH)-0*(\d{1,9})", re.ASCII | re.IGNORECASE), _of_offices),
    NumberKind(re.compile(r"L-\d{1,9}", re.ASCII | re.IGNORECASE), _lot),
    NumberKind(
        re.compile(r"([A-Z0-9][A-Z0-9._-]*)[ ,]+(?:R|round )?(\d{1,9})", re.ASCII | re.IGNORECASE), _round
    ),
]


def scope_of(
    text: str, facility: Facility, *, training: bool, kinds: Sequence[NumberKind] = NUMBER_KINDS
) -> NumberScope | str:
    """Return where a typed number leads, or a sentence that says why nowhere."""
    for kind in kinds:
        match = kind.pattern.fullmatch(text)
        if match:
            scope = kind.resolve(match, facility, training)
            sort = "training" if training else "real play"
            return scope or f"There is no {text} in {sort} here. Check the number."
    return f"Enter a number such as {EXAMPLES}."
