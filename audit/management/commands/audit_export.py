"""Write the record, or a part of it, to a file or to standard output."""

import argparse
import contextlib
import datetime as dt
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from audit import export
from audit.exporting import bundle
from audit.exporting.output import write_workbook


def moment(text: str) -> dt.datetime:
    """Parse a moment: ISO 8601 with a time zone. A day alone is its start in UTC."""
    try:
        parsed = dt.datetime.fromisoformat(text)
        in_utc = parsed.replace(tzinfo=parsed.tzinfo or dt.UTC).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a moment such as 2026-11-21T06:00:00Z") from None
    if parsed.tzinfo is None and len(text) > len("2026-11-21"):
        raise argparse.ArgumentTypeError(f"{text!r} has no time zone; add Z for UTC")
    return in_utc


def of_two_sorts(mixed: export.MixedPlay) -> str:
    """Say that an export cannot mix real play and training, and what to do instead."""
    if not mixed.training:
        return f"{mixed.real} is real play: leave out --training to export it."
    return f"{mixed.real} is real play and {mixed.training} is not: export them separately."


def of_several_facilities(several: export.SeveralFacilities) -> str:
    """Say that a bundle is of one facility, and what to do instead."""
    options = ", ".join(f"--facility {code}" for code in several.args)
    return (
        "An evidence bundle is of one facility, whose log names no other one. Write a bundle of each: "
        + options
    )


def day(text: str) -> dt.date:
    """Parse a gaming day such as `2026-11-21`."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-11-21") from None


class Command(BaseCommand):
    help = (
        "Write the record to a file or to standard output: an evidence bundle, lines for audit/verify.py, or a "
        "reading copy as CSV or XLSX."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--stream", action="append", default=[], help="a stream such as larkfield/T-04 (repeatable)"
        )
        parser.add_argument(
            "--facility", default="", help="the streams of one facility, and those of the installation"
        )
        parser.add_argument("--from", dest="since", type=moment, help="entries at or after this moment")
        parser.add_argument("--to", dest="until", type=moment, help="entries before this moment")
        parser.add_argument("--day", type=day, help="a gaming day of the facility, instead of moments")
        parser.add_argument("--last-day", type=day, help="with --day: up to and including this gaming day")
        parser.add_argument(
            "--training",
            action="store_true",
            help="training and simulation instead of real play",
        )
        parser.add_argument("--format", choices=["jsonl", "csv", "xlsx", "bundle"], default="jsonl")
        parser.add_argument(
            "--output", default="", metavar="FILE", help="a new file (default: standard output)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["format"] == "xlsx" and not options["output"]:
            raise CommandError("A workbook needs --output FILE.")
        selection = _selected(options)
        write = WRITERS[options["format"]]
        try:
            with _bar(selection) as bar, self._opened(options["output"]) as (out, path):
                write(out, path, selection, lambda completed: _show(bar, completed))
                _show(bar, selection.entries)
        except BrokenPipeError:
            # The reader has closed the pipe. Without this, Python would report it again when it flushes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except FileExistsError:
            raise CommandError(f"{options['output']} already exists: give a new file.") from None
        except OSError as error:
            raise CommandError(f"{options['output'] or 'standard output'}: {error.strerror}") from None

    @contextlib.contextmanager
    def _opened(self, output: str) -> Iterator[tuple[BinaryIO, Path]]:
        """Open the output. A file that could not be finished is removed."""
        if not output:
            text: Any = self.stdout._out
            out: BinaryIO = getattr(text, "buffer", text)
            yield out, Path()
            out.flush()
            return
        path = Path(output)
        with path.open("xb") as file:
            try:
                yield file, path
            except BaseException:
                path.unlink(missing_ok=True)
                raise


def _selected(options: dict[str, Any]) -> export.Selection:
    since, until = options["since"], options["until"]
    facility, first = options["facility"], options["day"]
    last = options["last_day"] or first
    if last and (since or until or not facility):
        raise CommandError("--day needs --facility, and replaces --from and --to.")
    if last:
        since, until = export.gaming_day_range(facility, first or last, last)
    if since and until and since > until:
        raise CommandError("--from is after --to.")
    try:
        selection = export.select(
            options["stream"], since, until, training=options["training"], facility=facility
        )
        if options["format"] == "bundle":
            export.only_facility(selection)
        return selection
    except export.UnknownStream as error:
        raise CommandError(f"There is no stream {error}.") from None
    except export.MixedPlay as mixed:
        raise CommandError(of_two_sorts(mixed)) from None
    except export.SeveralFacilities as several:
        raise CommandError(of_several_facilities(several)) from None
    except export.MissingEntry as missing:
        stream, seq = missing.args
        raise CommandError(f"Entry {seq} of {stream} is missing: run verify_record.") from None


Progress = Callable[[int], None]


def _bar(selection: export.Selection) -> Any:
    """A progress bar, if standard error is a terminal."""
    return tqdm(total=selection.entries, unit=" entries", disable=not sys.stderr.isatty())


def _show(bar: Any, completed: int) -> None:
    bar.update(completed - bar.n)


def _lines(out: BinaryIO, path: Path, selection: export.Selection, progress: Progress) -> None:
    _put(out, export.lines(selection), progress)


def _rows(out: BinaryIO, path: Path, selection: export.Selection, progress: Progress) -> None:
    _put(out, export.csv_lines(selection), progress)


def _put(out: BinaryIO, parts: Iterator[bytes], progress: Progress) -> None:
    for completedt, part in enumerate(parts):
        out.write(part)
        if completedt % 1000 == 0:
            progress(completedt)


def _bundle(out: BinaryIO, path: Path, selection: export.Selection, progress: Progress) -> None:
    bundle.write(out, selection, progress)


def _workbook(out: BinaryIO, path: Path, selection: export.Selection, progress: Progress) -> None:
    write_workbook(path, selection, progress)


WRITERS = {"jsonl": _lines, "csv": _rows, "bundle": _bundle, "xlsx": _workbook}
