import datetime

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Facility",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.SlugField(max_length=30, unique=True)),
                ("name", models.CharField(max_length=100)),
                (
                    "jurisdiction",
                    models.CharField(choices=[("PA", "Pennsylvania"), ("NJ", "New Jersey")], max_length=2),
                ),
                ("time_zone", models.CharField(default="America/New_York", max_length=40)),
                ("gaming_day_start", models.TimeField(default=datetime.time(6, 0), help_text="local time")),
            ],
            options={
                "verbose_name_plural": "facilities",
                "ordering": ["code"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("jurisdiction__in", ["PA", "NJ"])),
                        name="facility_jurisdiction_is_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RulesSubmission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(help_text="for instance RS-0009", max_length=20)),
                ("version", models.PositiveIntegerField(default=1)),
                ("game", models.CharField(max_length=30)),
                ("edition", models.CharField(help_text="the dated rules key", max_length=60)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("terms", models.TextField(help_text="canonical JSON (RFC 8785)")),
                ("terms_sha256", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("filed", "filed"),
                            ("approved", "approved"),
                            ("denied", "denied"),
                            ("superseded", "superseded"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="draft",
                        max_length=12,
                    ),
                ),
                ("filed_at", models.DateTimeField(blank=True, null=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("decided_by", models.CharField(blank=True, max_length=100)),
                ("in_force_from", models.DateTimeField(blank=True, null=True)),
                ("letter", models.TextField(blank=True, help_text="the decision, as received")),
                (
                    "facility",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="games.facility",
                    ),
                ),
            ],
            options={
                "ordering": ["facility", "code", "-version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("facility", "code", "version"), name="submission_version_is_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["draft", "filed", "approved", "denied", "superseded", "withdrawn"],
                            )
                        ),
                        name="submission_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ["approved", "superseded"]), _negated=True),
                            models.Q(("decided_at__isnull", False), ("in_force_from__isnull", False)),
                            _connector="OR",
                        ),
                        name="approved_submission_has_its_dates",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 1)), name="submission_version_is_positive"
                    ),
                ],
            },
        ),
    ]
