"""Record which areas were paid at seats that are not paid in full."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0012_answers_to_alerts"),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="paid_areas",
            field=models.JSONField(
                default=list, help_text="[seat, wager code] paid at seats that are not paid in full"
            ),
        ),
    ]
