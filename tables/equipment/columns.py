"""What the entries state of approvals of equipment, and of shakers."""

from typing import Any

from audit.columns import (
    AT,
    FACILITY,
    NONE,
    PLACE,
    Body,
    Fold,
    Rows,
    constant,
    declare,
    letter,
    same,
    value_of,
)
from tables.equipment.entry_types import (
    APPROVAL_RECORDED,
    APPROVAL_WITHDRAWN,
    APPROVALS_RECORDED,
    APPROVALS_WITHDRAWN,
    SHAKER_REGISTERED,
)
from tables.models import Approval, Shaker

# Types of higher packages, by their names
SHAKER_REPAIRED, SHAKER_REPLACED = "shaker.repaired", "shaker.replaced"
TABLE_CLOSED, TABLE_OPENED = "table.closed", "table.opened"
BY_HAND = ("manual", "dice-cup")  # which never stay at a table out of order
APPROVAL = {
    **same("subject", "body", "reference", "approved_on", "ends_on", "lines", "prints", "version"),
    "facility": FACILITY,
    "table": "of_table",
    "shaker": "of_shaker",
    "letter": letter("letter"),
    "further_versions": lambda body: body["data"].get("further_versions", []),
}


def each(**withdrawn: Any) -> Fold:
    """Fold an entry about several approvals, each as an entry about one."""

    def fold(rows: Rows, body: Body) -> None:
        for data in body["data"]["approvals"]:
            part = {**body, "data": data}
            values = {name: value_of(part, source) for name, source in {**APPROVAL, **withdrawn}.items()}
            rows.put(body, data["approval"], **values)

    return fold


declare(
    Approval,
    "approval",
    may_be_seeded=True,
    key={"id": "approval"},
    created={APPROVAL_RECORDED: {**APPROVAL, "withdrawn_at": NONE}},
    changed={APPROVAL_WITHDRAWN: {**APPROVAL, "withdrawn_at": AT}},
    folded={APPROVALS_RECORDED: each(withdrawn_at=NONE), APPROVALS_WITHDRAWN: each(withdrawn_at=AT)},
)


def replaced(rows: Rows, body: Body) -> None:
    """A shaker goes to its table; the one before stays there out of order, or leaves it, as the entry says."""
    data, facility, table = body["data"], FACILITY(body), PLACE(body)
    if data["replaces"] is not None:
        old = facility, data["replaces"]
        kind = (rows.get(*old) or {}).get("kind")
        stays = kind not in BY_HAND and not data["removed_from_table"]
        rows.put(body, *old, secured=True, table=table if stays else None)
        if stays:
            rows.put(body, *old, out_of_order=True)
        else:  # another entry says whether it had failed
            rows.forget(*old, names=["out_of_order"])
        if kind is None:
            rows.forget(*old, names=["out_of_order", "table"])
    is_open = rows.memory.get((facility, table), False)
    rows.put(body, facility, data["shaker"], kind=data["kind"], table=table, secured=not is_open)


def opened(rows: Rows, body: Body) -> None:
    rows.memory[FACILITY(body), PLACE(body)] = True
    rows.put(body, FACILITY(body), body["data"]["shaker"], secured=False)


def closed(rows: Rows, body: Body) -> None:
    rows.memory[FACILITY(body), PLACE(body)] = False
    if body["data"]["shaker"] is not None:
        rows.put(body, FACILITY(body), body["data"]["shaker"], secured=True)


declare(
    Shaker,
    "shaker",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "shaker"},
    created={
        SHAKER_REGISTERED: {
            "kind": "kind",
            "table": NONE,
            "out_of_order": constant(False),
            "secured": constant(True),
        }
    },
    changed={
        SHAKER_REPAIRED: {
            "kind": "kind",
            "table": NONE,
            "out_of_order": constant(False),
            "secured": constant(True),
        }
    },
    folded={SHAKER_REPLACED: replaced, TABLE_OPENED: opened, TABLE_CLOSED: closed},
)
