"""The page of acts: where each is posted, what a program may send with it, who does it, and what it does."""

import inspect
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.urls import reverse

from audit.runner import Act, ActRunner
from games.act_forms import ActForm, Schema
from games.office import core as office
from tables.desk import desk
from tables.runner import facility, table

# The runners, each with the name of the address at which its acts are posted
RUNNERS: tuple[tuple[ActRunner[Any, Any, Any], str], ...] = (
    (table.RUNNER, "act"),
    (facility.RUNNER, "facility-act"),
    (office.RUNNER, "office-act"),
    (desk.RUNNER, "desk-act"),
)
PARAMETERS = Path(__file__).with_name("parameters.toml")
HEAD = """\
# Acts

An act is a POST of JSON (or of a form with one file) to its address. `manage.py acts` prints the same for programs,
with the JSON Schema of the parameters. A parameter with a question mark may be left out. Money is integer cents, a day
is `YYYY-MM-DD`. `offers` of the snapshot decides which buttons are shown; the server checks every act again.
"""


def page() -> str:
    """One table for each runner, in the order of the addresses."""
    parts = [HEAD]
    for runner, address in RUNNERS:
        parts.append(
            f"## `POST {address_of(address)}`\n\n| act | parameters | who | what it does |\n|---|---|---|---|"
        )
        parts.extend(row(runner.acts[name]) for name in sorted(runner.acts))
        parts.append("")
    return "\n".join(parts)


def address_of(name: str, act: str = "ACT") -> str:
    """The address of an act; `{facility}`, `{table}` and, unless one is named, `{act}` stand in it."""
    places = {"facility": "FACILITY", **({"table": "TABLE"} if name == "act" else {})}
    path = reverse(name, kwargs={**places, "act": act})
    return path.replace("FACILITY", "{facility}").replace("TABLE", "{table}").replace("/ACT", "/{act}")


def row(act: Act[Any, Any]) -> str:
    about = (inspect.getdoc(act.do.do if isinstance(act.do, ActForm) else act.do) or "").replace("\n", " ")
    who = ", ".join(sorted(act.roles))
    if act.witness:
        who += "; a second person may sign"
    if act.subject:
        who = f"as the row `{act.subject}` of the policy says"
    cells = (f"`{act.name}`", "; ".join(parameters(act)) or "none", who, about.replace("|", "\\|"))
    return f"| {' | '.join(cells)} |"


def parameters(act: Act[Any, Any]) -> Iterator[str]:
    """What is sent with an act: from its signature, and from `parameters.toml` where that does not say it."""
    if isinstance(act.do, ActForm):
        schema = act.do.schema()
        for name, declared in schema["properties"].items():
            mark = "" if name in schema["required"] else "?"
            if (kind := kind_of(declared)) != "list of object":
                yield f"`{name}`{mark} {kind}"
    if act.name in written():
        yield written()[act.name]


def kind_of(schema: Schema) -> str:
    """The kind of a parameter in words."""
    if "enum" in schema:
        return "or ".join(f"`{value}` " if value != "" else "empty " for value in schema["enum"]).rstrip()
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if "array" in kinds:
        return f"list of {kind_of(schema['items'])}"
    if "object" in kinds and "additionalProperties" in schema:
        return f"object of {kind_of(schema['additionalProperties'])}"
    words = {"string": "day" if schema.get("format") == "date" else "text", "boolean": "true or false"}
    return " or ".join(words.get(kind, kind) for kind in kinds)


@cache
def written() -> dict[str, str]:
    """What `parameters.toml` says, by act."""
    return tomllib.loads(PARAMETERS.read_text("utf-8"))
