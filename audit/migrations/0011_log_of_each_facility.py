"""Give each facility a log of its own: the rows of seals name its facility, "" in the first log of an incarnation.

Existing rows belong to the first logs. A sealer of the release before, which knows no other logs, may go on until it is
replaced: the columns have a default in the database. SQLite changes these tables by copying them, so their guards are
put aside and created again.
"""

import importlib

from django.db import migrations, models
from django.db.models import Q

COLUMNS = {
    "audit_seal": ("number",),
    "audit_node": ("level", '"index"'),
    "audit_checkpoint": ("size",),
}
UNIQUE = {"seal": ("number",), "node": ("level", "index"), "checkpoint": ("size",)}
REFUSED = importlib.import_module("audit.migrations.0002_refuse_rewriting").REFUSED


def put_the_guards_aside(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in _guards():
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")


def create_guards(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, when in _guards().items():
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")


def _guards():
    """The guards of SQLite on these tables by name, as in 0006, but with the facility among the unique columns."""
    guards = {}
    for table, columns in COLUMNS.items():
        same = " AND ".join(f"{name} = NEW.{name}" for name in ("incarnation_id", "facility", *columns))
        guards[f"{table}_not_updated"] = f"BEFORE UPDATE ON {table}"
        guards[f"{table}_not_deleted"] = f"BEFORE DELETE ON {table}"
        guards[f"{table}_not_replaced"] = (
            f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)"
        )
        guards[f"{table}_once"] = f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"
    return guards


def _of_each_facility(model, columns):
    fields = ("incarnation", "facility", *columns)
    name = f"audit_{model}_once"
    return (
        migrations.AddField(model, "facility", models.CharField(max_length=40, default="", db_default="")),
        migrations.RemoveConstraint(model, name),
        migrations.AddConstraint(model, models.UniqueConstraint(fields=fields, name=name)),
        migrations.AlterModelOptions(
            model, {"ordering": fields, "verbose_name": model, "verbose_name_plural": f"{model}s"}
        ),
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0010_bounded_entries"),)
    operations = (
        migrations.RunPython(put_the_guards_aside),
        *(operation for model, columns in UNIQUE.items() for operation in _of_each_facility(model, columns)),
        migrations.RemoveIndex("seal", "audit_seal_full"),
        migrations.AddIndex(
            "seal",
            models.Index(
                fields=("incarnation", "facility", "number"), condition=Q(full=True), name="audit_seal_full"
            ),
        ),
        migrations.AddField("sealerstatus", "logs", models.JSONField(default=dict)),
        migrations.RunPython(create_guards),
    )
