"""Rollups know the pit in which their table was. The ticker counts again where a table of the facility moved."""

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
    """Write the pit of each table into its rows, and remove those of facilities where a table ever moved."""
    using = schema_editor.connection.alias
    moved = apps.get_model("audit", "Entry").objects.using(using).filter(type="table.moved")
    facilities = {name.partition("/")[0] for name in moved.values_list("stream__name", flat=True)}
    table = apps.get_model("tables", "Table").objects.using(using)
    for name in (*ROWS, "RollupProgress"):
        rows = apps.get_model("tables", name)._default_manager.using(using)
        rows.filter(table__facility__code__in=facilities).delete()
        if name in ROWS:
            pit = table.filter(pk=OuterRef("table")).values("pit__code")[:1]
            rows.update(pit=Subquery(pit))


class Migration(migrations.Migration):
    """A copy is removed before it is written again from the record."""

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
