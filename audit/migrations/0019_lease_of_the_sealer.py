"""Add the lease of the sealer: a row that its role alone may lock.

An advisory lock, as before, may be taken by any login.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0018_cage_cashiers"),
    ]

    operations = [
        migrations.CreateModel(
            name="SealerLease",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("holder", models.CharField(blank=True, max_length=32)),
                ("beat", models.BigIntegerField(default=0)),
                ("folder", models.CharField(blank=True, max_length=32)),
                ("incarnation", models.PositiveIntegerField(default=0)),
            ],
            options={
                "verbose_name": "sealer's lease",
                "verbose_name_plural": "sealer's lease",
            },
        ),
    ]
