"""`manage.py acts`: what programs may send, one JSON line for each act."""

import inspect
import json
from collections.abc import Iterator
from typing import Any, TypedDict

from django.core.management.base import BaseCommand
from django.urls import reverse

from audit.runner import Act, ActRunner
from games.act_forms import ActForm, Schema
from games.office.core import runner as office
from tables.desk import runner as desk
from tables.runner import facility, table

# The runners, each with the name of the address at which its acts are posted
RUNNERS: tuple[tuple[ActRunner[Any, Any, Any], str], ...] = (
    (table.RUNNER, "act"),
    (facility.RUNNER, "facility-act"),
    (office.RUNNER, "office-act"),
    (desk.RUNNER, "desk-act"),
)


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
    places = {"facility": "FACILITY", **({"table": "TABLE"} if address == "act" else {})}
    path = reverse(address, kwargs={**places, "act": act.name})
    form = act.do if isinstance(act.do, ActForm) else None
    return {
        "act": act.name,
        "address": path.replace("FACILITY", "{facility}").replace("TABLE", "{table}"),
        "about": (inspect.getdoc(form.do if form else act.do) or "").split("\n\n")[0].replace("\n", " "),
        "roles": sorted(act.roles),
        "witness": act.witness,
        "approved_by_row": act.subject,
        "params": form.schema() if form else None,
    }
