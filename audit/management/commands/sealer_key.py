"""`manage.py sealer_key`: create, rotate, retire and list the keys that sign the record's checkpoints."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.errors import AuditRefusal
from audit.models import SigningKey
from audit.sealing import keys


class Command(BaseCommand):
    help = "Manage the sealer's keys. Run it where the sealer runs: it needs the sealer's folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        does = parser.add_subparsers(dest="act", required=True, metavar="create|rotate|retire|list|found")
        does.add_parser("create", help="create the first key")
        does.add_parser("rotate", help="create another key: both sign until the old one is retired")
        retire = does.add_parser("retire", help="retire a key")
        retire.add_argument("key", help="the eight hex digits of its id")
        does.add_parser("list", help="list every key on the record")
        does.add_parser("found", help="after a restored backup: record the keys in the folder again")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, options["act"])(options)
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal

    def create(self, options: dict[str, Any]) -> None:
        if SigningKey.objects.filter(retired_at=None).exists():
            raise CommandError("The record already has a key. To change it, run: manage.py sealer_key rotate")
        self._tell(keys.create(keys.folder()))

    def rotate(self, options: dict[str, Any]) -> None:
        old = list(SigningKey.objects.filter(retired_at=None))
        self._tell(keys.create(keys.folder()))
        for key in old:
            self.stdout.write(
                f"Key {key.key_id} still signs. To retire it, run: manage.py sealer_key retire {key.key_id}"
            )

    def retire(self, options: dict[str, Any]) -> None:
        key = keys.retire(keys.folder(), options["key"])
        self.stdout.write(f"Key {key.key_id} no longer signs, and its private half was deleted.")

    def list(self, options: dict[str, Any]) -> None:
        for key in SigningKey.objects.order_by("created_at", "pk"):
            until = f"retired {key.retired_at:%Y-%m-%d %H:%M}" if key.retired_at else "signs"
            self.stdout.write(
                f"{keys.verifier_of(key).vkey}  created {key.created_at:%Y-%m-%d %H:%M}  {until}"
            )

    def found(self, options: dict[str, Any]) -> None:
        signers = keys.unrecorded_signers(keys.folder())
        if not signers:
            raise CommandError("All keys in the folder are already on the record.")
        for signer in signers:
            self._tell(keys.record_key(signer))

    def _tell(self, key: SigningKey) -> None:
        self.stdout.write(f"Key {key.key_id} signs from now on. Give this line to witnesses and readers:")
        self.stdout.write(keys.verifier_of(key).vkey)
