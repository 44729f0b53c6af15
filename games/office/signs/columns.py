"""What the entries state of forms of signs."""

from audit.columns import FACILITY, Body, Rows, declare, same
from games.models import SignForm
from games.office.core.reviewed_columns import DECIDED, DRAFTED, FILED, WITHDRAWN
from games.office.signs.entry_types import (
    SIGN_FORM_DECIDED,
    SIGN_FORM_DRAFTED,
    SIGN_FORM_FILED,
    SIGN_FORM_WITHDRAWN,
)


def earlier_withdrawn(rows: Rows, body: Body) -> None:
    """The earlier approved versions of a withdrawn form are withdrawn with it."""
    data, facility = body["data"], FACILITY(body)
    for version in range(1, data["version"]):
        form = rows.get(facility, data["kind"], data["game"] or None, version) or {}
        if form.get("status") == "approved":
            key = facility, data["kind"], data["game"] or None, version
            rows.put(body, *key, status="withdrawn", withdrawn_at=body["at"])


declare(
    SignForm,
    "sign form",
    may_be_seeded=True,
    key={
        "facility": FACILITY,
        "kind": "kind",
        "game": lambda body: body["data"]["game"] or None,
        "version": "version",
    },
    created={SIGN_FORM_DRAFTED: {**DRAFTED, **same("location", "width_mm", "height_mm", "wording")}},
    changed={SIGN_FORM_FILED: FILED, SIGN_FORM_DECIDED: DECIDED, SIGN_FORM_WITHDRAWN: WITHDRAWN},
    folded={SIGN_FORM_WITHDRAWN: earlier_withdrawn},
)
