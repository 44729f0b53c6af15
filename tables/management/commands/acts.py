"""`manage.py acts`: what programs may send, one JSON line for each act."""

import inspect
import json
from collections.abc import Iterator
from typing import Any, TypedDict

from django.core.management.base import BaseCommand

from audit.runner import Act
from games.act_forms import ActForm, Schema
from tables.management.reference.acts import RUNNERS, address_of


class DescribedAct(TypedDict):
    """An act as it is printed. `params`: their JSON Schema; null for an act that reads them itself."""

    act: str
    address: str
    about: str
    roles: list[str]
    witness: bool
    approved_by_row: str
    params: Schema | None


class Command(BaseCommand):
    help = "Print every act as a JSON line: its address, who does it, and the JSON Schema of its parameters."

    def handle(self, *args: Any, **options: Any) -> None:
        for described in described_acts():
            self.stdout.write(json.dumps(described))


def described_acts() -> Iterator[DescribedAct]:
    """Every act, by runner and name. `{facility}` and `{table}` stand in the addresses."""
    for runner, address in RUNNERS:
        for name in sorted(runner.acts):
            yield _described(runner.acts[name], address)


def _described(act: Act[Any, Any], address: str) -> DescribedAct:
    form = act.do if isinstance(act.do, ActForm) else None
    return {
        "act": act.name,
        "address": address_of(address, act.name),
        "about": (inspect.getdoc(form.do if form else act.do) or "").split("\n\n")[0].replace("\n", " "),
        "roles": sorted(act.roles),
        "witness": act.witness,
        "approved_by_row": act.subject,
        "params": form.schema() if form else None,
    }
