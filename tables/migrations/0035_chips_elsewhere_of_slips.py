"""Add the chips that by a slip are not where the record said. Workers of the version before write rows without them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0034_further_versions_of_approvals")]

    operations = [
        migrations.AddField(
            "slip",
            "elsewhere_cents",
            models.BigIntegerField(
                default=0, db_default=0, help_text="more in the tray than the record said until then"
            ),
        ),
    ]
