"""Add the pit to rollups. The ticker rebuilds those of tables that moved."""

import json

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery

ROWS = ("HourFigures", "DayFigures", "MonthFigures")
UNIQUE = {
    "HourFigures": ("hour_figures_are_unique", ["table", "gaming_day", "begins_at", "shift"], ["dealers"]),
    "DayFigures": ("day_figures_are_unique", ["table", "gaming_day", "shift"], []),
    "MonthFigures": ("month_figures_are_unique", ["table", "month", "shift"], []),
}


def fill_pit(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write the pit of each table into its rows, and remove those of tables that ever moved to another pit."""
    using = schema_editor.connection.alias
    tables = apps.get_model("tables", "Table").objects.using(using)
    places = _tables_that_moved(apps, using)
    columns = tables.values_list("pk", "facility__code", "code")
    ids = [pk for pk, facility, code in columns if (facility, code) in places]
    for name in (*ROWS, "RollupProgress"):
        rows = apps.get_model("tables", name)._default_manager.using(using)
        rows.filter(table__in=ids).delete()
        if name in ROWS:
            pit = tables.filter(pk=OuterRef("table")).values("pit__code")[:1]
            rows.update(pit=Subquery(pit))


def _tables_that_moved(apps: Apps, using: str) -> set[tuple[str, str]]:
    """Return the codes of facility and table of each entry that moves a table to another pit."""
    entries = apps.get_model("audit", "Entry").objects.using(using).filter(type="table.moved")
    places = set()
    for stream, body in entries.values_list("stream__name", "body"):
        data = json.loads(bytes(body))["data"]
        if data["pit"] != data["pit_before"]:
            places.add((stream.partition("/")[0], data["table"]))
    return places


class Migration(migrations.Migration):
    """Rollups are copies of the record: those that may be wrong are deleted, and the ticker rebuilds them."""

    dependencies = [("tables", "0030_state_of_open_time"), ("audit", "0018_cage_cashiers")]

    operations = [
        *(
            migrations.AddField(
                name,
                "pit",
                models.CharField(
                    max_length=20, default="", help_text="code of the pit in which the table was"
                ),
                preserve_default=False,
            )
            for name in ROWS
        ),
        migrations.RunPython(fill_pit, migrations.RunPython.noop),
        *(migrations.RemoveConstraint(name, constraint) for name, (constraint, _, _) in UNIQUE.items()),
        *(
            migrations.AddConstraint(
                name, models.UniqueConstraint(fields=[*first, "pit", *last], name=constraint)
            )
            for name, (constraint, first, last) in UNIQUE.items()
        ),
    ]
