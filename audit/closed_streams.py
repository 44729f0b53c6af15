"""What a full verification checks of closed streams: their rows and continuations against their declarations."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from audit.entries import STREAM_CLOSED, STREAM_CONTINUED, StreamClosing
from audit.models import Entry, Stream
from audit.record import INSTALLATION
from audit.verification_words import Finding

EXPLAINED = ("entry-after-seal", "time-ahead")
Closings = dict[str, StreamClosing]  # by the closed stream


def declared_closings() -> Closings:
    """The closings that two people declared. An entry that cannot be read is passed over: its chain is verified too."""
    closings: Closings = {}
    rows = Entry.objects.filter(stream__name=INSTALLATION, type=STREAM_CLOSED.name).order_by("seq")
    for body in rows.values_list("body", flat=True):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            content = json.loads(bytes(body))
            if content["actor"] and content["witness"]:
                closings[content["data"]["stream"]] = content["data"]
    return closings


def explains(closings: Closings, where: Mapping[str, Any]) -> bool:
    """Whether the stream of a finding was closed, after the entry that the finding names."""
    closing = closings.get(where["stream"])
    return closing is not None and where["seq"] <= closing["seq"]


def verify(closings: Closings) -> Iterator[Finding]:
    """Compare each closed stream with its declaration, and its continuation with it."""
    streams = {stream.name: stream for stream in Stream.objects.select_related("continued_by")}
    for name, stream in sorted(streams.items()):
        if name not in closings and (stream.closed_at is not None or stream.continued_by is not None):
            yield Finding("closing-undeclared", {"stream": name})
    for name, closing in sorted(closings.items()):
        row = streams.get(name)
        state = (row.seq, bytes(row.head).hex(), row.closed_at is None) if row else None
        later = row.continued_by.name if row and row.continued_by else ""
        if (state, later) != ((closing["seq"], closing["head"], False), closing["continued_by"]):
            yield Finding("closing-differs", {"stream": name, "seq": closing["seq"]})
        if not _begins(closing):
            where = {"stream": closing["continued_by"], "closed": name, "seq": closing["seq"]}
            yield Finding("continuation-differs", where)


def _begins(closing: StreamClosing) -> bool:
    """Whether the continuation begins with an entry that names the head of the closed stream."""
    first = Entry.objects.filter(stream__name=closing["continued_by"], seq=1, type=STREAM_CONTINUED.name)
    body = first.values_list("body", flat=True).first()
    if body is None:
        return False
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        data = json.loads(bytes(body))["data"]
        return [data[key] for key in ("stream", "seq", "head")] == [
            closing["stream"], closing["seq"], closing["head"],
        ]  # fmt: skip
    return False
