"""A file as a download that can be taken up again where it broke off (RFC 9110, sections 13 and 14)."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
    StreamingHttpResponse,
)

CHUNK_BYTES = 256 * 1024
SINGLE_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.ASCII)


class RangeNotSatisfiable(ValueError):
    """The range lies outside the file (416)."""


def file_response(request: HttpRequest, file: Path, name: str, sha256: str, media: str) -> HttpResponseBase:
    """The file, or the one range of it that is asked for; its SHA-256 in hex is its strong ETag.

    200, 206, 304 or 416. Several ranges at once are answered with the whole file. It is given out as an attachment, in
    pieces, and nothing in it runs.
    """
    size, etag = file.stat().st_size, f'"{sha256}"'
    if etag in _tags(request.headers.get("If-None-Match", "")):
        return _with_headers(HttpResponseNotModified(), etag)
    try:
        byte_range = _range(request, etag, size)
    except RangeNotSatisfiable:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _with_headers(response, etag)
    first, last = byte_range or (0, size - 1)
    response_: HttpResponseBase = (
        HttpResponse() if request.method == "HEAD" else _streamed(request, file, first, last)
    )
    if byte_range:
        response_.status_code = 206
        response_["Content-Range"] = f"bytes {first}-{last}/{size}"
    response_["Content-Type"] = media
    response_["Content-Length"] = str(last - first + 1)
    response_["Content-Disposition"] = f'attachment; filename="{name}"'
    return _with_headers(response_, etag)


def _with_headers(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    # A proxy that packed it anew would make other bytes of it, under the same tag.
    response["Cache-Control"] = "private, no-cache, no-transform"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def _range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """The first and last byte that are asked for; None for the whole. Raises NotThere."""
    match = SINGLE_RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or match is None or not any(match.groups()):
        return None
    if request.headers.get("If-Range", etag) != etag:  # a date, or another file's tag
        return None
    begins, ends = match.groups()
    if not begins:
        first, last = max(0, size - int(ends)), size - 1
        if int(ends) == 0:
            raise RangeNotSatisfiable
    else:
        first, last = int(begins), min(int(ends), size - 1) if ends else size - 1
        if ends and int(ends) < int(begins):
            return None  # no range at all: it is passed over
    if first >= size:
        raise RangeNotSatisfiable
    return first, last


def _streamed(request: HttpRequest, file: Path, first: int, last: int) -> StreamingHttpResponse:
    """In pieces, whichever server asks; an asynchronous one would collect what a plain iterator gives."""
    pieces = _pieces(file, first, last)
    return StreamingHttpResponse(_read_in_thread(pieces) if isinstance(request, ASGIRequest) else pieces)


def _pieces(file: Path, first: int, last: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        opened.seek(first)
        bytes_left = last - first + 1
        while bytes_left > 0 and (piece := opened.read(min(CHUNK_BYTES, bytes_left))):
            bytes_left -= len(piece)
            yield piece


async def _read_in_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Each piece read in a thread: the disk must not hold up the floor's sockets."""
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece
