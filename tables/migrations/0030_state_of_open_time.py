"""The state of the open time with each table's progress, so that a tick reads no entry twice."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Without a state the first tick reads from the last opening."""

    dependencies = [
        ("tables", "0029_planned_moves"),
    ]

    operations = [
        migrations.AddField(
            model_name="rollupprogress",
            name="open_state",
            field=models.JSONField(
                help_text=("of the open time, up to the newest settled round (tables.opening.open_time)"),
                null=True,
            ),
        ),
    ]
