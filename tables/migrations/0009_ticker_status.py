"""Add the row in which the ticker reports that it ticks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0008_reword_help_texts"),
    ]

    operations = [
        migrations.CreateModel(
            name="TickerStatus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("beat_at", models.DateTimeField()),
                ("failing", models.JSONField(default=list)),
            ],
            options={
                "verbose_name": "ticker's status",
                "verbose_name_plural": "ticker's status",
            },
        ),
    ]
