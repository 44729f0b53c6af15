"""The part of a page of docs/ that a command writes, between two comments. The rest is written by hand."""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GeneratedPart:
    """A part of `page`, between comments that name it and the command that writes it."""

    page: Path
    name: str
    command: str

    @property
    def begin(self) -> str:
        return f"<!-- {self.name}: begin ({self.command}) -->"

    @property
    def end(self) -> str:
        return f"<!-- {self.name}: end -->"

    def current(self, text: str) -> str:
        """Return what stands between the comments in this text of the page."""
        return text.partition(self.begin)[2].partition(self.end)[0]

    def replaced(self, text: str, generated: str) -> str:
        """Return this text of the page with another generated part."""
        head, _, rest = text.partition(self.begin)
        tail = rest.partition(self.end)[2]
        return f"{head}{self.begin}\n\n{generated}\n\n{self.end}{tail}"

    def write(self, generated: str) -> None:
        """Write the page with another generated part."""
        self.page.write_text(self.replaced(self.page.read_text("utf-8"), generated), "utf-8")


def run(part: GeneratedPart, generate: Callable[[], str], about: str | None) -> int:
    """Run the command of a part that Django's declarations make. The status is 1 if `--check` finds it out of date."""
    parser = argparse.ArgumentParser(prog=part.command, description=about)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    django.setup()
    current = part.page.read_text("utf-8")
    written = part.replaced(current, generate())
    if options.check:
        return int(written != current)
    part.page.write_text(written, "utf-8")
    return 0
