"""`manage.py sealer_key`: create, rotate, retire and list the keys that sign the record's checkpoints."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.models import SigningKey
from audit.record import current_incarnation_number
from audit.refusals import AuditRefusal
from audit.sealing import keys
from audit.sealing.log import Log, facility_log
from audit.sealing.witnesses import policy_of


class Command(BaseCommand):
    help = (
        "Manage the sealer's keys: each log has its own, named by the log. Run it where the sealer runs: it needs the "
        "sealer's folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        does = parser.add_subparsers(
            dest="act", required=True, metavar="create|rotate|retire|list|policy|found"
        )
        create = does.add_parser(
            "create", help="create the first key, or that of a facility whose log has not begun"
        )
        rotate = does.add_parser(
            "rotate", help="create another key of each log: both sign until the old one is retired"
        )
        policy = does.add_parser(
            "policy", help="write the logs and witnesses as a policy (c2sp.org/tlog-policy)"
        )
        for act in (create, rotate, policy):
            act.add_argument("facility", nargs="?", default="", help="the code of a facility: its log alone")
        retire = does.add_parser("retire", help="retire a key")
        retire.add_argument("key", help="the eight hex digits of its id")
        does.add_parser("list", help="list every key on the record, with what it signs")
        does.add_parser("found", help="after a restored backup: record the keys in the folder again")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, options["act"])(options)
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal

    def create(self, options: dict[str, Any]) -> None:
        log = _log_of(options["facility"])
        if any(key.name == log.origin for key in SigningKey.objects.filter(retired_at=None)):
            raise keys.KeyRefused(keys.LOG_HAS_KEY, log=log.origin)
        if log.newest() is not None:
            raise keys.KeyRefused(keys.LOG_HAS_BEGUN, log=log.origin)
        self._tell(keys.create(keys.folder(), log))

    def rotate(self, options: dict[str, Any]) -> None:
        logs = _logs(options["facility"])
        old = dict.fromkeys(key.key_id for log in logs for key in keys.keys_signing(log))
        for log in logs:
            self._tell(keys.create(keys.folder(), log))
        for key_id in old:
            self.stdout.write(
                f"Key {key_id} still signs. To retire it, run: manage.py sealer_key retire {key_id}"
            )

    def retire(self, options: dict[str, Any]) -> None:
        key = keys.retire(keys.folder(), options["key"])
        self.stdout.write(f"Key {key.key_id} no longer signs, and its private half was deleted.")

    def list(self, options: dict[str, Any]) -> None:
        for key in SigningKey.objects.order_by("created_at", "pk"):
            self.stdout.write(
                f"{keys.verifier_of(key).vkey}  created {key.created_at:%Y-%m-%d %H:%M}  {_what_it_signs(key)}"
            )

    def policy(self, options: dict[str, Any]) -> None:
        logs = _logs(options["facility"])
        self.stdout.write(policy_of(logs), ending="")

    def found(self, options: dict[str, Any]) -> None:
        signers = keys.unrecorded_signers(keys.folder())
        if not signers:
            raise CommandError("All keys in the folder are already on the record.")
        for signer in signers:
            self._tell(keys.record_key(signer))

    def _tell(self, key: SigningKey) -> None:
        what = "signs" if keys.is_from_before(key) else f"signs {key.name}"
        self.stdout.write(f"Key {key.key_id} {what} from now on. Give this line to witnesses and readers:")
        self.stdout.write(keys.verifier_of(key).vkey)


def _log_of(facility: str) -> Log:
    """The current log of a facility (a code), or the first one."""
    return facility_log(facility) or keys.first_log()


def _logs(facility: str) -> list[Log]:
    """The current log of a facility (a code), or all of them."""
    return [_log_of(facility)] if facility else keys.current_logs()


def _what_it_signs(key: SigningKey) -> str:
    if key.retired_at:
        return f"retired {key.retired_at:%Y-%m-%d %H:%M}"
    if not keys.is_from_before(key):
        is_current = key.name.endswith(f"/{current_incarnation_number()}")
        return "signs" if is_current else "its log has ended"
    logs = ", ".join(log.origin for log in keys.logs_signed_by(key))
    return f"from before each log had a key of its own; signs {logs or 'no current log'}"
