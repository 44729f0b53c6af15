from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0011_log_of_each_facility"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="device",
            name="audit_device_station",
        ),
        migrations.AlterField(
            model_name="device",
            name="station",
            field=models.CharField(
                choices=[
                    ("dealer", "Dealer"),
                    ("stick", "Stick"),
                    ("podium", "Podium"),
                    ("pit", "Pit"),
                    ("office", "Office"),
                    ("sign", "Sign"),
                    ("wall", "Wall"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="device",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("station__in", ["dealer", "stick", "podium", "pit", "office", "sign", "wall"])
                ),
                name="audit_device_station",
            ),
        ),
    ]
