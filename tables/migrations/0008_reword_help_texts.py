"""Reword the help texts of the models. Nothing changes in the database."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0007_rename_fields_by_what_they_hold"),
    ]

    operations = [
        migrations.AlterField(
            model_name="alert",
            name="ended_at",
            field=models.DateTimeField(blank=True, help_text="when its cause ended", null=True),
        ),
        migrations.AlterField(
            model_name="alert",
            name="params",
            field=models.JSONField(default=dict, help_text="values for its sentence"),
        ),
        migrations.AlterField(
            model_name="approval",
            name="ends_on",
            field=models.DateField(
                blank=True, help_text="the first day on which it is no longer in effect", null=True
            ),
        ),
        migrations.AlterField(
            model_name="approval",
            name="lines",
            field=models.JSONField(default=list, help_text="lines of the edition that were confirmed"),
        ),
        migrations.AlterField(
            model_name="approval",
            name="prints",
            field=models.JSONField(default=list, help_text="printed on a layout: odds, payout-limit"),
        ),
        migrations.AlterField(
            model_name="approval",
            name="version",
            field=models.CharField(blank=True, help_text="software version of a device", max_length=40),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="elsewhere",
            field=models.CharField(
                blank=True, help_text="a game that is not dealt with Pitside: craps, …", max_length=20
            ),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="attested",
            field=models.BooleanField(
                default=False, help_text="attested to the requirements of § 603a.12 for its game"
            ),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="seal",
            field=models.CharField(blank=True, help_text="seal or lock put on the shaker", max_length=40),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="seal_intact",
            field=models.BooleanField(default=True, help_text="the seal of its box was intact on receipt"),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="size_um",
            field=models.PositiveIntegerField(
                default=19050, help_text="nominal side of a die, in micrometers"
            ),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="table",
            field=models.ForeignKey(
                blank=True,
                help_text="the table it was issued to",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.table",
            ),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="training",
            field=models.BooleanField(default=False, help_text="for training tables only"),
        ),
        migrations.AlterField(
            model_name="dicelot",
            name="warned",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="last warning raised: 1 an hour, 2 ten minutes, 3 one minute before; 4 expired",
            ),
        ),
        migrations.AlterField(
            model_name="dicemeasurement",
            name="unmarked",
            field=models.BooleanField(help_text="no marks on spots, edges and surfaces"),
        ),
        migrations.AlterField(
            model_name="inspection",
            name="cameras",
            field=models.JSONField(
                default=list, help_text="one per end of the table, where the edition requires cameras"
            ),
        ),
        migrations.AlterField(
            model_name="inspection",
            name="lines",
            field=models.JSONField(default=list, help_text="codes of the confirmed lines"),
        ),
        migrations.AlterField(
            model_name="inspection",
            name="terms_sha256",
            field=models.CharField(
                blank=True, help_text="of the rules whose lines were confirmed", max_length=64
            ),
        ),
        migrations.AlterField(
            model_name="limitschange",
            name="nobody_played",
            field=models.BooleanField(default=False, help_text="§ 521.8(c)(1): in effect at once"),
        ),
        migrations.AlterField(
            model_name="limitschange",
            name="posted_at",
            field=models.DateTimeField(
                blank=True, help_text="when the sign was posted at the table", null=True
            ),
        ),
        migrations.AlterField(
            model_name="lotstep",
            name="seq",
            field=models.BigIntegerField(help_text="sequence number of the entry on its stream"),
        ),
        migrations.AlterField(
            model_name="qualification",
            name="ends_on",
            field=models.DateField(
                blank=True, help_text="the first day on which it is no longer in effect", null=True
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="by_hand",
            field=models.BooleanField(default=False, help_text="settled manually after the device failed"),
        ),
        migrations.AlterField(
            model_name="round",
            name="drawn",
            field=models.JSONField(
                default=list, help_text="at a training table: dice drawn by the machine for the next call"
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="last_throw",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="number of the newest throw, void throws included"
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="offered",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="the seat last offered the dice", null=True
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="paid_seats",
            field=models.JSONField(default=list, help_text="seats already settled in the current step"),
        ),
        migrations.AlterField(
            model_name="round",
            name="phase_seq",
            field=models.BigIntegerField(default=0, help_text="last change of phase or throw"),
        ),
        migrations.AlterField(
            model_name="round",
            name="seat_seqs",
            field=models.JSONField(default=dict, help_text="last change of each seat's wagers, by seat"),
        ),
        migrations.AlterField(
            model_name="round",
            name="step",
            field=models.PositiveSmallIntegerField(default=0, help_text="the last completed settlement step"),
        ),
        migrations.AlterField(
            model_name="settlement",
            name="cents",
            field=models.BigIntegerField(help_text="the stake that was settled"),
        ),
        migrations.AlterField(
            model_name="settlement",
            name="place",
            field=models.PositiveSmallIntegerField(help_text="position in the order of settlement, from 0"),
        ),
        migrations.AlterField(
            model_name="shaker",
            name="secured",
            field=models.BooleanField(
                default=True, help_text="locked away, or locked to the table; false while its table is open"
            ),
        ),
        migrations.AlterField(
            model_name="slip",
            name="gaming_day",
            field=models.DateField(help_text="gaming day of its filing"),
        ),
        migrations.AlterField(
            model_name="table",
            name="halted_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when the record was found rolled back; no acts until two people declare it",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="last_slip",
            field=models.PositiveIntegerField(
                default=0, help_text="number of the newest Error Notification Slip"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="recorded_rules_key",
            field=models.CharField(
                blank=True,
                help_text="key of the rules and suspended wagers last recorded for this table",
                max_length=200,
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="recorded_sign_ids",
            field=models.CharField(
                blank=True, help_text="ids of the sign forms last recorded for this table", max_length=120
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="repaired_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when the failed equipment was repaired; its inspection is still due",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="seated",
            field=models.JSONField(
                default=list, help_text="seats with a player, at games where only seated players wager"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="status_seq",
            field=models.BigIntegerField(
                default=0, help_text="last change of status or equipment, or end of a round"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="submission_code",
            field=models.CharField(
                help_text="code of the rules submission dealt here, without its version", max_length=20
            ),
        ),
        migrations.AlterField(
            model_name="wager",
            name="play",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="from 1 for single play wagers; else 0"
            ),
        ),
    ]
