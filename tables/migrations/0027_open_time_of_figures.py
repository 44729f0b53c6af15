"""The pace has one definition, so the rollups count open and staffed time. The ticker writes them again."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

ROWS = ("HourFigures", "DayFigures", "MonthFigures")


def remove_rows(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Remove the rollups: each is a copy, and is written again from the record."""
    for name in (*ROWS, "RollupProgress"):
        apps.get_model("tables", name)._default_manager.using(schema_editor.connection.alias).all().delete()


class Migration(migrations.Migration):
    """The rows go first, because the old ones have another time."""

    dependencies = [("tables", "0026_rollups_of_figures")]

    operations = [
        migrations.RunPython(remove_rows, migrations.RunPython.noop),
        *(migrations.RenameField(name, "played_us", "open_us") for name in ROWS),
        *(
            migrations.AlterField(
                name,
                "open_us",
                models.BigIntegerField(
                    default=0, help_text="microseconds open and staffed (tables.core.pace)"
                ),
            )
            for name in ROWS
        ),
    ]
