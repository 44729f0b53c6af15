"""One-time secrets that approvers make, cookies that change at each sign-in, and wrong PINs typed at the server."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0019_lease_of_the_sealer")]

    operations = [
        migrations.DeleteModel(name="FactorReset"),
        migrations.RenameModel("OneTimePin", "OneTimeSecret"),
        migrations.AlterModelOptions(
            "OneTimeSecret",
            {"verbose_name": "one-time secret", "verbose_name_plural": "one-time secrets"},
        ),
        migrations.AlterField(
            "OneTimeSecret",
            "person",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="one_time_secrets",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            "OneTimeSecret",
            "kind",
            models.CharField(choices=[("pin", "PIN"), ("password", "password")], default="pin", max_length=8),
        ),
        migrations.AddField(
            "OneTimeSecret",
            "approved_by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            "OneTimeSecret",
            models.UniqueConstraint(fields=("person", "kind"), name="audit_onetimesecret_kind"),
        ),
        migrations.AddConstraint(
            "OneTimeSecret",
            models.CheckConstraint(
                condition=models.Q(("kind__in", ("pin", "password"))), name="audit_onetimesecret_kinds"
            ),
        ),
        migrations.AddField(
            "Device",
            "asked_by",
            models.ForeignKey(
                blank=True,
                help_text="Who asked for it on a screen, and never reads its enrollment token.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            "Device",
            "cookies_made",
            models.PositiveIntegerField(
                default=0, help_text="Number of the newest cookie: each sign-in makes one."
            ),
        ),
        migrations.AddField(
            "Device",
            "cookie",
            models.PositiveIntegerField(
                default=0, help_text="Number of the newest cookie that its browser has shown."
            ),
        ),
        migrations.AddField(
            "Device",
            "cookie_before",
            models.PositiveIntegerField(
                default=0, help_text="Number of the cookie that its browser showed before that one."
            ),
        ),
        migrations.AddField(
            "Device",
            "cookie_since",
            models.DateTimeField(
                blank=True, help_text="When its browser first showed the newest cookie.", null=True
            ),
        ),
        migrations.AddField(
            "Device",
            "copied_cookie",
            models.IntegerField(
                default=-1, help_text="Number of the newest copied cookie that was recorded; -1 for none."
            ),
        ),
        migrations.AddField(
            "Device",
            "copied_at",
            models.DateTimeField(blank=True, help_text="When a copied cookie was last recorded.", null=True),
        ),
        migrations.AlterField(
            "WrongPin",
            "device",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="audit.device",
            ),
        ),
        migrations.AlterField(
            "Lockout",
            "device",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="audit.device",
            ),
        ),
        migrations.AddField(
            "Lockout",
            "read_at",
            models.DateTimeField(
                blank=True,
                help_text="When its person read that somebody typed wrong PINs as them.",
                null=True,
            ),
        ),
    ]
