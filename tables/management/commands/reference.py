"""`manage.py reference`: the pages about acts, entries and the snapshot, made from the declarations."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables.management.reference import PAGES


class Command(BaseCommand):
    help = "Print reference pages in Markdown, or write them into a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "pages", nargs="*", choices=[[], *PAGES], help="which pages; all if none is named"
        )
        parser.add_argument("--output", type=Path, metavar="FOLDER", help="write PAGE.md there")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path | None = options["output"]
        for name in options["pages"] or PAGES:
            text = PAGES[name]()
            if folder is None:
                self.stdout.write(text)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{name}.md").write_text(text, "utf-8")
