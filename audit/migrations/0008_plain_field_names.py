"""Rename fields in Python only: the columns stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0007_indexes_that_are_asked")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("job", "done", "entries_done"),
                migrations.AlterField(
                    "job", "entries_done", models.BigIntegerField(db_column="done", default=0)
                ),
                migrations.RenameField("job", "said", "failure_code"),
                migrations.AlterField(
                    "job",
                    "failure_code",
                    models.TextField(blank=True, db_column="said", help_text="Why it failed."),
                ),
                migrations.RenameField("job", "found", "results"),
                migrations.AlterField(
                    "job",
                    "results",
                    models.JSONField(
                        db_column="found",
                        default=dict,
                        help_text="Counts, and the SHA-256 of the record in the file.",
                    ),
                ),
                migrations.RenameField("sealerstatus", "trouble", "problem"),
                migrations.AlterField(
                    "sealerstatus",
                    "problem",
                    models.CharField(blank=True, db_column="trouble", max_length=40),
                ),
                migrations.RenameField("sealerstatus", "copied", "newest_copy"),
                migrations.AlterField(
                    "sealerstatus",
                    "newest_copy",
                    models.CharField(blank=True, db_column="copied", max_length=200),
                ),
                migrations.RenameField("sealerstatus", "copy_said", "copy_problem"),
                migrations.AlterField(
                    "sealerstatus",
                    "copy_problem",
                    models.CharField(blank=True, db_column="copy_said", max_length=40),
                ),
            ]
        )
    ]
