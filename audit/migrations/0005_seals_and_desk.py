"""Seals of the record, the desk's jobs and saved filters, and the columns by which an entry is found."""

import importlib
import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def put_the_guards_aside(apps, schema_editor):
    """Drop the guards on SQLite, which adds a column by copying the table. 0006 creates them again."""
    if schema_editor.connection.vendor == "sqlite":
        for name in importlib.import_module("audit.migrations.0002_refuse_rewriting").SQLITE:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0004_sign_station"),
    ]

    operations = [
        migrations.RunPython(put_the_guards_aside),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField(max_length=32)),
                ("note", models.TextField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "checkpoint",
                "verbose_name_plural": "checkpoints",
                "ordering": ("incarnation", "size"),
            },
        ),
        migrations.CreateModel(
            name="Cosignature",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("line", models.CharField(max_length=400)),
                ("at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "cosignature",
                "verbose_name_plural": "cosignatures",
                "ordering": ("checkpoint", "name"),
            },
        ),
        migrations.CreateModel(
            name="Incarnation",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("origin", models.CharField(max_length=120, unique=True)),
                ("opened_at", models.DateTimeField()),
                ("why", models.CharField(blank=True, max_length=500)),
                ("after", models.JSONField(default=dict)),
            ],
            options={
                "verbose_name": "incarnation",
                "verbose_name_plural": "incarnations",
                "ordering": ("number",),
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("facility", models.CharField(max_length=40)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("evidence", "Evidence bundle"),
                            ("csv", "Table, CSV"),
                            ("xlsx", "Workbook, XLSX"),
                            ("verification", "Full verification"),
                        ],
                        max_length=12,
                    ),
                ),
                ("params", models.JSONField(default=dict)),
                ("asked_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("beat_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("said", models.TextField(blank=True, help_text="The code of why it failed.")),
                (
                    "found",
                    models.JSONField(
                        default=dict, help_text="What it found: counts, and SHA-256 of what is inside."
                    ),
                ),
                ("filename", models.CharField(blank=True, max_length=160)),
                ("size_bytes", models.BigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "ordering": ("-asked_at",),
            },
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField(max_length=32)),
            ],
            options={
                "verbose_name": "node",
                "verbose_name_plural": "nodes",
                "ordering": ("incarnation", "level", "index"),
            },
        ),
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("facility", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=1000)),
                ("saved_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "saved filter",
                "verbose_name_plural": "saved filters",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Seal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("full", models.BooleanField(default=False)),
                ("body", models.BinaryField()),
                ("leaf", models.BinaryField(max_length=32)),
            ],
            options={
                "verbose_name": "seal",
                "verbose_name_plural": "seals",
                "ordering": ("incarnation", "number"),
            },
        ),
        migrations.CreateModel(
            name="SealedHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seq", models.BigIntegerField()),
            ],
            options={
                "verbose_name": "sealed head",
                "verbose_name_plural": "sealed heads",
                "ordering": ("stream", "seq", "pk"),
            },
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "key_id",
                    models.CharField(
                        help_text="Four bytes in hex, as a signed note names its key.", max_length=8
                    ),
                ),
                ("public_key", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "signing key",
                "verbose_name_plural": "signing keys",
                "ordering": ("created_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="SealerStatus",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("beat_at", models.DateTimeField(null=True)),
                ("trouble", models.CharField(blank=True, max_length=40)),
                ("params", models.JSONField(default=dict)),
                ("since", models.DateTimeField(null=True)),
                ("witnesses", models.JSONField(default=dict)),
                ("copied", models.CharField(blank=True, max_length=200)),
                ("copied_at", models.DateTimeField(null=True)),
                ("copy_said", models.CharField(blank=True, max_length=40)),
            ],
            options={
                "verbose_name": "sealer's status",
                "verbose_name_plural": "sealer's status",
            },
        ),
        migrations.AddField(
            model_name="entry",
            name="actor",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.AddField(
            model_name="entry",
            name="cents",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="lot",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.AddField(
            model_name="entry",
            name="round",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="witness",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["at"], name="audit_entry_at"),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("actor", ""), _negated=True),
                fields=["actor", "at"],
                name="audit_entry_actor",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("witness", ""), _negated=True),
                fields=["witness", "at"],
                name="audit_entry_witness",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["type", "at"], name="audit_entry_type"),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("round__isnull", False)),
                fields=["stream", "round"],
                name="audit_entry_round",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("lot", ""), _negated=True), fields=["lot", "at"], name="audit_entry_lot"
            ),
        ),
        migrations.AddField(
            model_name="cosignature",
            name="checkpoint",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="cosignatures",
                to="audit.checkpoint",
            ),
        ),
        migrations.AddField(
            model_name="incarnation",
            name="opened_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="incarnation",
            name="opened_with",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="checkpoint",
            name="incarnation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="checkpoints",
                to="audit.incarnation",
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="asked_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="jobs",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="device",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="audit.device"
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="incarnation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="nodes", to="audit.incarnation"
            ),
        ),
        migrations.AddField(
            model_name="savedfilter",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="saved_filters",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="seal",
            name="incarnation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="seals", to="audit.incarnation"
            ),
        ),
        migrations.AddField(
            model_name="sealedhead",
            name="seal",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="heads", to="audit.seal"
            ),
        ),
        migrations.AddField(
            model_name="sealedhead",
            name="stream",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="sealed", to="audit.stream"
            ),
        ),
        migrations.AddConstraint(
            model_name="signingkey",
            constraint=models.UniqueConstraint(fields=("name", "key_id"), name="audit_signingkey_once"),
        ),
        migrations.AddConstraint(
            model_name="cosignature",
            constraint=models.UniqueConstraint(fields=("checkpoint", "name"), name="audit_cosignature_once"),
        ),
        migrations.AddConstraint(
            model_name="checkpoint",
            constraint=models.UniqueConstraint(fields=("incarnation", "size"), name="audit_checkpoint_once"),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["evidence", "csv", "xlsx", "verification"])),
                name="audit_job_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["waiting", "running", "done", "failed"])),
                name="audit_job_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="node",
            constraint=models.UniqueConstraint(
                fields=("incarnation", "level", "index"), name="audit_node_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.UniqueConstraint(
                fields=("facility", "person", "name"), name="audit_savedfilter_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="seal",
            constraint=models.UniqueConstraint(fields=("incarnation", "number"), name="audit_seal_once"),
        ),
        migrations.AddIndex(
            model_name="sealedhead",
            index=models.Index(fields=["stream", "seq"], name="audit_sealedhead_seq"),
        ),
        migrations.AddConstraint(
            model_name="sealedhead",
            constraint=models.UniqueConstraint(fields=("seal", "stream"), name="audit_sealedhead_once"),
        ),
    ]
