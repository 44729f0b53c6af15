"""The saved answers of acts, which end after the time in which an act is repeated.

A repeated command gets its first answer (`audit.models.Command`). A tablet repeats an act within minutes, another
system within hours. So after `ANSWERS_KEPT_DAYS` the answer ends: it takes more room than the rest of the row. The
command stays for good, with its content and the number of its entry. A later repeat is told that it was taken,
with what its entry says (`answer_of`); it is never done twice.

Answers that say more than an entry never end: of acts that were refused on the record, and of commands that a refused
retry ended. The guards of the database allow no other change.
"""

import datetime as dt
import json
import uuid
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from audit.models import AnswersEnded, Command, Entry, Stream

BATCH = 2_000  # entries that are looked at in one transaction
BATCH_OF_IDS = 500
MOST_ENTRIES = 200  # that one act may write on its stream
KEPT = ["ended", "refusal"]  # keys of answers that never end
# By the record, an answer stays so long: the guards of the database let none end within a day.
LEAST = dt.timedelta(days=1, hours=1)


def answer_of(command: Command) -> dict[str, Any]:
    """The answer of an accepted act: the first one, or once it has ended the type and number of the act's entry.

    Empty if its entry is not on the record any more.
    """
    if command.answer is not None:
        answer: dict[str, Any] = command.answer
        return answer
    entries = Entry.objects.filter(stream=command.stream_id, seq__lte=command.seq).order_by("-seq")
    for seq, body in entries.values_list("seq", "body")[:MOST_ENTRIES]:
        content = _content(body)
        if content.get("command") == str(command.pk):
            return {"type": content.get("_type"), "entry": seq}
    return {}


def end_old_answers(now: dt.datetime) -> int:
    """End the answers that are due, of a batch of entries. Returns how many entries it looked at: fewer than a batch
    once nothing more is due.

    Goes through the entries in the order of their ids, because they name their commands, and commands have no index by
    time. `AnswersEnded` has where it is; two tickers do not wait for each other.
    """
    newest = Stream.objects.aggregate(newest=Max("last_at"))["newest"]
    if newest is None:
        return 0
    due_before = min(now - dt.timedelta(days=settings.ANSWERS_KEPT_DAYS), newest - LEAST)
    AnswersEnded.objects.get_or_create(pk=1)
    with transaction.atomic():
        skip = connection.features.has_select_for_update_skip_locked
        row = AnswersEnded.objects.select_for_update(skip_locked=skip).filter(pk=1).first()
        if row is None:
            return 0
        entries = (
            Entry.objects.filter(pk__gt=row.entry).order_by("pk").values_list("pk", "at", "body")[:BATCH]
        )
        due = list(takewhile(lambda entry: entry[1] < due_before, entries))
        if due:
            _end(_commands(body for _pk, _at, body in due), due_before)
            row.entry = due[-1][0]
            row.save(update_fields=["entry"])
        return len(due)


def _end(commands: list[uuid.UUID], due_before: dt.datetime) -> None:
    """End the answers of these commands, but for those that never end."""
    for start in range(0, len(commands), BATCH_OF_IDS):
        part = commands[start : start + BATCH_OF_IDS]
        saved = Command.objects.filter(pk__in=part, at__lt=due_before, answer__isnull=False)
        saved.exclude(answer__has_any_keys=KEPT).update(answer=None)


def _commands(bodies: Iterable[Any]) -> list[uuid.UUID]:
    """The ids of the commands that these entries name. What cannot be read names none."""
    commands = []
    for body in bodies:
        try:
            commands.append(uuid.UUID(_content(body).get("command")))
        except (ValueError, TypeError, AttributeError):
            continue
    return commands


def _content(body: Any) -> dict[str, Any]:
    try:
        content = json.loads(bytes(body))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
