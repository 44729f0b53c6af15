"""A migration stops no table and suits the version before, and each one that does not is refused."""

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

from script.migrations import problem_of, problems

INDEX = models.Index(fields=["at"], name="entry_at")
CHECK = models.CheckConstraint(condition=models.Q(seq__gt=0), name="seq_positive")
SAFE = [
    migrations.CreateModel("Thing", []),
    migrations.AddField("Entry", "note", models.TextField(null=True)),
    migrations.AddField("Entry", "note", models.TextField(db_default="")),
    migrations.AddField("Thing", "note", models.TextField(default="")),
    migrations.AddIndex("Thing", INDEX),
    AddIndexConcurrently("Entry", INDEX),
]
REFUSED = [
    (migrations.AddField("Entry", "note", models.TextField(default="")), "give it a db_default"),
    (migrations.RemoveField("Entry", "at"), "leave it to the next release"),
    (migrations.RenameField("Entry", "at", "moment"), "leave it to the next release"),
    (migrations.DeleteModel("Entry"), "leave it to the next release"),
    (migrations.AddIndex("Entry", INDEX), "AddIndexConcurrently"),
    (migrations.AddConstraint("Entry", CHECK), "AddConstraintNotValid"),
    (migrations.AlterField("Entry", "at", models.DateTimeField()), "rewrite the table"),
    (migrations.RunSQL("SELECT 1"), "Nobody has said"),
    (migrations.RunPython(migrations.RunPython.noop), "Nobody has said"),
]


@pytest.mark.parametrize("operation", SAFE, ids=lambda operation: operation.describe())
def test_what_takes_no_long_lock_and_leaves_the_version_before_its_columns_passes(operation):
    assert problem_of(operation, {"thing"}) == ""


@pytest.mark.parametrize(("operation", "words"), REFUSED, ids=lambda value: getattr(value, "describe", str)())
def test_what_stops_play_or_breaks_the_version_before_is_refused(operation, words):
    assert words in problem_of(operation, {"thing"})


def test_no_migration_of_the_product_stops_play_or_breaks_the_version_before():
    assert list(problems()) == []
