"""Reports of figures that a house declares, and each of their periods."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """A report has each period once."""

    dependencies = [
        ("games", "0014_inventory_is_kept"),
        ("tables", "0027_open_time_of_figures"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FiguresSchedule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.SlugField(max_length=40)),
                (
                    "every",
                    models.CharField(
                        choices=[
                            ("shift", "shift"),
                            ("day", "gaming day"),
                            ("week", "week, from Monday to Sunday"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "filters",
                    models.CharField(blank=True, help_text="those of an address of the page", max_length=300),
                ),
                ("formats", models.JSONField(default=list)),
                ("folder", models.CharField(blank=True, max_length=300)),
                ("mail", models.JSONField(default=list, help_text="addresses")),
                ("declared_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "declared_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "declared_with",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "facility",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="figures_schedules",
                        to="games.facility",
                    ),
                ),
            ],
            options={
                "ordering": ["facility", "name"],
            },
        ),
        migrations.CreateModel(
            name="FiguresReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "period",
                    models.CharField(
                        help_text="as in its file names, such as 2026-11-21-swing", max_length=60
                    ),
                ),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("shift", models.CharField(blank=True, max_length=30)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("due", "due"),
                            ("writing", "being written"),
                            ("sending", "being sent"),
                            ("done", "done"),
                            ("unsure", "not known whether the e-mail left"),
                        ],
                        default="due",
                        max_length=7,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_try_at", models.DateTimeField()),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                ("files", models.JSONField(default=list, help_text="names of the files")),
                (
                    "error",
                    models.CharField(blank=True, help_text="why the last attempt failed", max_length=300),
                ),
                (
                    "schedule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="tables.figuresschedule",
                    ),
                ),
            ],
            options={
                "ordering": ["schedule", "first_day", "period"],
            },
        ),
        migrations.AddConstraint(
            model_name="figuresschedule",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)),
                fields=("facility", "name"),
                name="figures_schedule_name_is_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="figuresschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(("every__in", ["shift", "day", "week"])),
                name="figures_schedule_every_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="figuresreport",
            constraint=models.UniqueConstraint(
                fields=("schedule", "period"), name="figures_report_period_is_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="figuresreport",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["due", "writing", "sending", "done", "unsure"])),
                name="figures_report_status_is_known",
            ),
        ),
    ]
