"""Letters about several decisions, and why a lapsed edition may be dealt.

SQLite writes a table again to add a column, and its triggers are lost with the old one. So the triggers of both tables
are dropped before and made after. Those of the submissions then protect the new column too.
"""

from importlib import import_module

from django.db import migrations, models

documents_stay = import_module("games.migrations.0003_documents_stay")
terms_stay = import_module("games.migrations.0006_terms_stay")
POSTGRES = terms_stay.POSTGRES.replace(
    terms_stay.CHANGED_ON_POSTGRES,
    f"{terms_stay.CHANGED_ON_POSTGRES} OR NEW.lapsed_why IS DISTINCT FROM OLD.lapsed_why",
)
SQLITE = {
    name: when.replace(
        terms_stay.CHANGED_ON_SQLITE,
        f"{terms_stay.CHANGED_ON_SQLITE} OR NEW.lapsed_why IS NOT OLD.lapsed_why",
    )
    for name, when in terms_stay.SQLITE.items()
}


def drop_triggers(apps, schema_editor):
    terms_stay.take_down(apps, schema_editor)
    if schema_editor.connection.vendor == "sqlite":
        documents_stay.take_down(apps, schema_editor)


def make_earlier_triggers(apps, schema_editor):
    terms_stay.put_up(apps, schema_editor)
    if schema_editor.connection.vendor == "sqlite":
        documents_stay.put_up(apps, schema_editor)


def make_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        documents_stay.put_up(apps, schema_editor)
        for name, when in SQLITE.items():
            refuse = f"SELECT RAISE(ABORT, '{terms_stay.REFUSED}')"
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN {refuse}; END")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(POSTGRES)


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_target_paces"),
    ]

    operations = [
        migrations.RunPython(drop_triggers, make_earlier_triggers),
        migrations.AddField(
            model_name="document",
            name="is_about_several",
            field=models.BooleanField(
                default=False, help_text="filed as a letter that says several decisions"
            ),
        ),
        migrations.AddField(
            model_name="rulessubmission",
            name="lapsed_why",
            field=models.CharField(
                blank=True, help_text="why rules of a lapsed edition may be dealt", max_length=200
            ),
        ),
        migrations.RunPython(make_triggers, drop_triggers),
    ]
