import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# A lot that no entry received has no seal on the record.
FORGET_SEALS_WITHOUT_ENTRY = """
    UPDATE tables_dicelot SET seal_intact = NULL WHERE NOT EXISTS (
        SELECT 1 FROM tables_lotstep s
        JOIN audit_entry e ON e.stream_id = s.stream_id AND e.seq = s.seq
        WHERE s.lot_id = tables_dicelot.id AND e.type = 'dice.received')
"""
WAIT_SINCE_REMOVAL = """
    UPDATE tables_dicelot SET to_destroy_since = removed_at WHERE status IN ('removed', 'destroyed')
"""
WAIT_SINCE_REJECTION = """
    UPDATE tables_dicelot SET to_destroy_since = (
        SELECT MAX(e.at) FROM tables_lotstep s
        JOIN audit_entry e ON e.stream_id = s.stream_id AND e.seq = s.seq
        WHERE s.lot_id = tables_dicelot.id AND e.type = 'dice_lot.rejected')
    WHERE status = 'rejected'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_target_paces"),
        ("tables", "0017_reviews_of_slips"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="dicelot",
            name="seal_intact",
            field=models.BooleanField(
                blank=True,
                help_text="whether the seal of its box was intact on receipt; null: no entry says",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="dicelot",
            name="to_destroy_since",
            field=models.DateTimeField(
                blank=True, help_text="since when it is rejected or out of play", null=True
            ),
        ),
        migrations.CreateModel(
            name="Instrument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("micrometer", "micrometer"),
                            ("caliper", "balancing caliper"),
                            ("square", "steel set square"),
                        ],
                        max_length=12,
                    ),
                ),
                ("serial", models.CharField(blank=True, max_length=40)),
                ("calibrated_on", models.DateField()),
                ("calibration_ends_on", models.DateField(help_text="the last day on which it may be used")),
                ("certificate", models.CharField(blank=True, max_length=80)),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                ("retired_why", models.CharField(blank=True, max_length=200)),
                (
                    "facility",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="instruments",
                        to="games.facility",
                    ),
                ),
            ],
            options={
                "ordering": ["facility", "kind", "code"],
                "constraints": [
                    models.UniqueConstraint(fields=("facility", "code"), name="instrument_code_is_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["micrometer", "caliper", "square"])),
                        name="instrument_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("calibration_ends_on__gte", models.F("calibrated_on"))),
                        name="calibration_ends_after_it_begins",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DiceCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("counted_at", models.DateTimeField()),
                ("counted", models.JSONField()),
                ("expected", models.JSONField()),
                ("note", models.CharField(blank=True, max_length=200)),
                ("seq", models.BigIntegerField()),
                (
                    "counted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "counted_with",
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
                        related_name="dice_counts",
                        to="games.facility",
                    ),
                ),
            ],
            options={"ordering": ["facility", "-counted_at"]},
        ),
        migrations.RunSQL(FORGET_SEALS_WITHOUT_ENTRY, migrations.RunSQL.noop),
        migrations.RunSQL(WAIT_SINCE_REMOVAL, migrations.RunSQL.noop),
        migrations.RunSQL(WAIT_SINCE_REJECTION, migrations.RunSQL.noop),
    ]
