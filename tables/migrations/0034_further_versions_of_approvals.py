"""Add the further software versions of an approval. Workers of the version before write rows without them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0033_raises_after_the_dice")]

    operations = [
        migrations.AddField(
            "approval",
            "further_versions",
            models.JSONField(
                default=list,
                db_default=models.Value([], models.JSONField()),
                help_text="further software versions that it approves",
            ),
        ),
    ]
