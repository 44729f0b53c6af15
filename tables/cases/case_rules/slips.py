"""Error Notification Slips: each is reviewed by somebody outside the table, and then signed by somebody else."""

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
        review = data.get("review")
        due_at = dt.datetime.fromisoformat(review["due_at"]) if isinstance(review, dict) else None
        params["reason"] = data.get("reason", "")
        yield CaseSubject(f"{table.code}:{code}", entry.at, params, table, entry.round, due_at=due_at)


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


def slip_of(case: Case) -> Slip | None:
    """The slip that a case is about."""
    number = int(case.params["slip"].removeprefix("ENS-"))
    people = ("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")
    return Slip.objects.filter(table=case.table, number=number).select_related(*people).first()


def review_missing(case: Case) -> str:
    """What the case waits for: the review of the slip, if it needs one and has none."""
    slip = slip_of(case)
    waits = slip is not None and slip.review_due_at is not None and slip.reviewed_at is None
    return f"review of {case.params['slip']}" if waits else ""


def actors_of_slip(case: Case) -> set[str]:
    """Those who acted in the round, signed the slip, or reviewed it: the review is a signature of its own."""
    slip = slip_of(case)
    signers = (
        (slip.filed_by, slip.filed_with, slip.settled_by, slip.settled_with, slip.reviewed_by) if slip else ()
    )
    return actors_of_round(case) | {person.code for person in signers if person is not None}


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
        signatures=1,
        waits_for=review_missing,
    )
)
