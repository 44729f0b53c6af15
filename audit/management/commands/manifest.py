"""`manage.py manifest`: sign the list of a release's files, or compare this installation with one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from audit import release
from audit.notes import Malformed, Signer, Verifier


class Command(BaseCommand):
    help = (
        "Sign the list of every file of this release with its SHA-256 (--sign), or compare the files of this "
        "installation with such a list (--check). The exit status is 1 where anything differs. Reads no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        does = parser.add_mutually_exclusive_group(required=True)
        does.add_argument(
            "--sign", type=Path, metavar="KEY", help="a file with the private key; prints the list"
        )
        does.add_argument("--check", type=Path, metavar="LIST", help="the signed list")
        parser.add_argument(
            "--key", default="", help="with --check: the key of the release's maker, in one line"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["sign"]:
                signer = Signer.read(options["sign"].read_text())
                self.stdout.write(release.write(settings.BASE_DIR, settings.BUILD, signer), ending="")
            else:
                self._check(options["check"].read_text(encoding="utf-8"), Verifier.read(options["key"]))
        except (Malformed, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error

    def _check(self, listed: str, key: Verifier) -> None:
        sentences = release.differences(settings.BASE_DIR, settings.BUILD, listed, key)
        for sentence in sentences:
            self.stdout.write(sentence)
        if sentences:
            raise SystemExit(1)
        self.stdout.write(f"good: every file is that of pitside {settings.BUILD}, signed by {key.name}.")
