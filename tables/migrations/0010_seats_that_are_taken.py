"""Record the seats that are taken at every table, so that limits and offers of the dice read one state.

Until now a seat of a game without seated players counted as taken by its wagers of the live or the last round.
"""

from typing import Any

from django.db import migrations, models


def take_seats_of_wagers(apps: Any, schema_editor: Any) -> None:
    """Take the seats that have a wager in the live round or had one in the last, since the table opened."""
    Table, Round, Wager = (apps.get_model("tables", name) for name in ("Table", "Round", "Wager"))
    for table in Table.objects.exclude(status="closed").filter(seated=[]).exclude(game="high-roll"):
        rounds = Round.objects.filter(table=table.pk).order_by("-number")
        if table.closed_at is not None:
            rounds = rounds.filter(opened_at__gte=table.closed_at)
        live, ended = rounds.filter(ended_at=None), rounds.exclude(ended_at=None)
        newest = [*live.values_list("pk", flat=True), *ended.values_list("pk", flat=True)[:1]]
        seats = Wager.objects.filter(round__in=newest, struck=False, cents__gt=0).values_list(
            "seat", flat=True
        )
        if seated := sorted(set(seats)):
            Table.objects.filter(pk=table.pk).update(seated=seated)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0009_ticker_status"),
    ]

    operations = [
        migrations.AlterField(
            model_name="table",
            name="seated",
            field=models.JSONField(
                default=list,
                help_text="seats that are taken, with a wager or without (tables.core.seats)",
            ),
        ),
        migrations.RunPython(take_seats_of_wagers, migrations.RunPython.noop),
    ]
