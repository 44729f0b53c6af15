"""Error Notification Slips: each is reviewed by somebody outside the table."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import actors_of_round, recent_entries, tables_by_stream
from tables.corrections.entry_types import SLIP_FILED
from tables.models import Case, Slip
from tables.words.sentences import dollars


def slips(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The slips that were filed at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, SLIP_FILED.name):
        table, code = tables.get(entry.stream_id), data.get("slip")
        if table is None or not isinstance(code, str):
            continue
        due = [amount for amount in data.get("due") or () if isinstance(amount, dict)]
        params = {"table": table.code, "slip": code, "round": entry.round, "due": due}
        yield CaseSubject(
            f"{table.code}:{code}", entry.at, {**params, "reason": data.get("reason", "")}, table, entry.round
        )


def describe_slip(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return which slip is to be reviewed, and what it moves."""
    due = [_due_words(amount) for amount in params["due"]] or ["no money is due"]
    return (
        f"Slip {params['slip']} to review",
        f"{params['table']} round {params['round']:,}: {', '.join(due)}. {params['reason']}",
    )


def _due_words(amount: Mapping[str, Any]) -> str:
    verb = "is owed" if amount["cents"] > 0 else "owes"
    return f"seat {amount['seat']} {verb} {dollars(abs(amount['cents']))}"


def actors_of_slip(case: Case) -> set[str]:
    """Those who acted in the round, or signed the slip."""
    rows = Slip.objects.filter(table=case.table, number=int(case.params["slip"].removeprefix("ENS-")))
    signers = rows.values_list("filed_by__code", "filed_with__code", "settled_by__code", "settled_with__code")
    return actors_of_round(case) | {code for row in signers for code in row if code}


SLIP = case_kind(
    CaseKind(
        "slip",
        "Slip",
        {
            "agreed": "The slip is right",
            "wrong": "The slip is wrong",
            "improper": "Right, but filed improperly",
        },
        describe_slip,
        slips,
        actors_of_slip,
        needs_camera=True,
        is_warning=False,
    )
)
