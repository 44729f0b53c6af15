"""Count wrong PINs by device and person, with lock-outs, and let an enrollment token be used once, and in time."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def mark_enrolled_devices(apps, schema_editor):
    """Devices that exist have used their tokens."""
    apps.get_model("audit", "Device").objects.update(enrollment_used_at=models.F("enrolled_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0008_plain_field_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="device",
            name="enrollment_ends_at",
            field=models.DateTimeField(
                blank=True, help_text="Until when its enrollment token may be used.", null=True
            ),
        ),
        migrations.AddField(
            model_name="device",
            name="enrollment_refused_at",
            field=models.DateTimeField(
                blank=True, help_text="When its enrollment token was first refused.", null=True
            ),
        ),
        migrations.AddField(
            model_name="device",
            name="enrollment_used_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="WrongPin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("typed_at", models.DateTimeField(db_index=True)),
                (
                    "device",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="audit.device"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "wrong PIN",
                "verbose_name_plural": "wrong PINs",
            },
        ),
        migrations.CreateModel(
            name="Lockout",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("person-at-device", "a person at a device"),
                            ("device", "a device"),
                            ("person", "a person at every device"),
                        ],
                        max_length=16,
                    ),
                ),
                ("facility", models.CharField(max_length=40)),
                ("started_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                (
                    "unlocked_at",
                    models.DateTimeField(
                        blank=True, help_text="When a supervisor ended it early.", null=True
                    ),
                ),
                (
                    "device",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="audit.device"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "signed_in",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "lock-out",
                "verbose_name_plural": "lock-outs",
                "ordering": ("id",),
                "indexes": [models.Index(fields=["ends_at"], name="audit_lockout_ends")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("person__isnull", True), ("scope", "device")),
                            models.Q(
                                ("person__isnull", False), ("scope__in", ("person-at-device", "person"))
                            ),
                            _connector="OR",
                        ),
                        name="audit_lockout_scope",
                    )
                ],
            },
        ),
        migrations.RunPython(mark_enrolled_devices, migrations.RunPython.noop),
    ]
