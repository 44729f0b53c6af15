from django.db import migrations, models

import games.jurisdictions


class Migration(migrations.Migration):
    """A jurisdiction is a data file now, so the database no longer lists them."""

    dependencies = [("games", "0004_houses_are_not_the_installation")]

    operations = [
        migrations.RemoveConstraint(model_name="facility", name="facility_jurisdiction_is_known"),
        migrations.AlterField(
            model_name="facility",
            name="jurisdiction",
            field=models.CharField(choices=games.jurisdictions.choices, max_length=8),
        ),
    ]
