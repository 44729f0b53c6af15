"""Record at a round without a result to which seats its wagers have gone back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0010_seats_that_are_taken"),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="returned_seats",
            field=models.JSONField(
                null=True,
                blank=True,
                help_text="seats whose wagers went back, after a round without a result; else null",
            ),
        ),
    ]
