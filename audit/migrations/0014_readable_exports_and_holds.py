"""Readable exports as a kind of job, and legal holds."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

KINDS = [
    ("evidence", "Evidence bundle"),
    ("csv", "Table, CSV"),
    ("xlsx", "Workbook, XLSX"),
    ("sheets-xlsx", "Sheets, XLSX"),
    ("sheets-csv", "Sheets, CSV"),
    ("verification", "Full verification"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0013_badges_and_one_time_pins"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="job", name="audit_job_kind"),
        migrations.AlterField(
            model_name="job", name="kind", field=models.CharField(choices=KINDS, max_length=12)
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["evidence", "csv", "xlsx", "sheets-xlsx", "sheets-csv", "verification"])
                ),
                name="audit_job_kind",
            ),
        ),
        migrations.CreateModel(
            name="LegalHold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("facility", models.CharField(max_length=40)),
                ("number", models.PositiveIntegerField()),
                ("reason", models.CharField(max_length=300)),
                ("kinds", models.JSONField(default=list)),
                ("first_day", models.DateField(null=True)),
                ("last_day", models.DateField(null=True)),
                ("until", models.DateField(null=True)),
                ("placed_at", models.DateTimeField()),
                ("released_at", models.DateTimeField(null=True)),
                ("release_reason", models.CharField(blank=True, max_length=300)),
                (
                    "placed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "released_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "legal hold",
                "verbose_name_plural": "legal holds",
                "ordering": ("facility", "-number"),
                "constraints": [
                    models.UniqueConstraint(fields=("facility", "number"), name="audit_legalhold_number"),
                    models.CheckConstraint(
                        condition=models.Q(("released_at__isnull", True), ("released_by__isnull", True))
                        | models.Q(("released_at__isnull", False), ("released_by__isnull", False)),
                        name="audit_legalhold_released",
                    ),
                ],
            },
        ),
    ]
