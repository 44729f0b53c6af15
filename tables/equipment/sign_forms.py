"""The approved forms of the signs at a table, on the record from the moment they apply there.

A form is approved in the office (`games.office.signs`). From then on the signs of the table are made from it
(`tables.equipment.table_signs`), and the clock records the change at each table (`record_sign_forms`).
"""

from typing import Annotated, TypedDict

from audit import record
from games.office.signs import recorded_sign_keys
from tables.core.context import TableContext
from tables.models import Table
from tables.runner.system import for_each_table
from tables.words.registry import entry_with_line


class SignsTookEffect(TypedDict):
    forms: Annotated[list[str], "keys of the approved forms of signs, from now on"]
    was: Annotated[list[str], "keys of the approved forms of signs before"]


SIGNS_TOOK_EFFECT = entry_with_line(
    "signs.took_effect",
    SignsTookEffect,
    "Other forms of signs took effect at this table; the clock wrote this.",
    lambda data: "Approved sign forms changed",
)


def record_sign_forms() -> list[int]:
    """Record at each table the forms of signs that are in force there. Return the ids of the tables that changed.

    A check takes two queries; only tables that change are locked.
    """
    real = Table.objects.exclude(kind=Table.Kind.SIMULATED)
    rows = list(real.values_list("pk", "facility", "game", "recorded_sign_ids"))
    forms_by_place = recorded_sign_keys((facility, game) for _, facility, game, _ in rows)
    differing = {
        pk for pk, facility, game, recorded_ids in rows if recorded_ids != forms_by_place[facility, game]
    }
    return for_each_table(Table.objects.filter(pk__in=differing), _record_sign_forms) if differing else []


def _record_sign_forms(ctx: TableContext) -> bool:
    table = ctx.table
    recorded = recorded_sign_keys([(table.facility_id, table.game)])[table.facility_id, table.game]
    if table.recorded_sign_ids == recorded:
        return False
    data: SignsTookEffect = {"was": table.recorded_sign_ids.split(), "forms": recorded.split()}
    record.append(ctx.stream, entry=SIGNS_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day)
    ctx.change_table(recorded_sign_ids=recorded)
    ctx.save_changes("nothing", ())
    return True
