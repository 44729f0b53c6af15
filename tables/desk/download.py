"""Serves a file as a download that can be resumed (RFC 9110, sections 13 and 14)."""

import re
from collections.abc import Iterator
from pathlib import Path

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
    """Return the file, or the single range requested. Its SHA-256 in hex is its strong ETag.

    Answers 200, 206, 304 or 416; a request for several ranges gets the whole file. The file is an attachment, streamed
    in pieces, and nothing in it is executed.
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
        HttpResponse() if request.method == "HEAD" else StreamingHttpResponse(_pieces(file, first, last))
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
    # A proxy that compressed it would serve other bytes under the same tag.
    response["Cache-Control"] = "private, no-cache, no-transform"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def _range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte requested; None for the whole file. Raises RangeNotSatisfiable."""
    match = SINGLE_RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or match is None or not any(match.groups()):
        return None
    if request.headers.get("If-Range", etag) != etag:  # a date, or the tag of another file
        return None
    begins, ends = match.groups()
    if not begins:
        first, last = max(0, size - int(ends)), size - 1
        if int(ends) == 0:
            raise RangeNotSatisfiable
    else:
        first, last = int(begins), min(int(ends), size - 1) if ends else size - 1
        if ends and int(ends) < int(begins):
            return None  # not a range: ignored
    if first >= size:
        raise RangeNotSatisfiable
    return first, last


def _pieces(file: Path, first: int, last: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        opened.seek(first)
        bytes_left = last - first + 1
        while bytes_left > 0 and (piece := opened.read(min(CHUNK_BYTES, bytes_left))):
            bytes_left -= len(piece)
            yield piece
