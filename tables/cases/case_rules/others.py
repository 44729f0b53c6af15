"""What a person opens a case about where no rule does."""

from collections.abc import Mapping
from typing import Any

from tables.cases.kinds import CaseKind, case_kind
from tables.cases.recent import actors_of_round


def describe_other(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the words of the person who opened it, and the place."""
    place = params["table"] or "No table"
    return params["about"], f"{place}, round {params['round']:,}" if params.get("round") else place


OTHER = case_kind(
    CaseKind(
        "other",
        "Other",
        {"no-finding": "No finding", "corrected": "Corrected", "reported": "Reported to the regulator"},
        describe_other,
        actors=actors_of_round,
        is_warning=False,
    )
)
