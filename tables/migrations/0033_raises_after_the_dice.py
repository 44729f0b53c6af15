"""Add to rounds what corrections raised once their dice were known, and what of it is held back for a review."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0032_carrier_signs_and_counts_are_refused")]

    operations = [
        migrations.AddField(
            "round",
            "late_wagers",
            models.JSONField(
                default=list,
                help_text="[seat, code, play or 0, cents until then, throw] of wagers changed after dice were known",
            ),
        ),
        migrations.AddField(
            "round",
            "raises",
            models.JSONField(
                default=dict,
                help_text="by throw: what corrections raised, what may be held back of it by seat, whether it is",
            ),
        ),
    ]
