"""Where pits and landmarks stand on the floor plan."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Nothing is declared at first: pits follow one another in their order."""

    dependencies = [("games", "0014_inventory_is_kept")]

    operations = [
        migrations.AddField(
            "facility",
            "floor_items",
            models.JSONField(
                blank=True,
                default=list,
                help_text="pits (by code) and landmarks of the floor plan with their rows, from left to right",
            ),
        ),
    ]
