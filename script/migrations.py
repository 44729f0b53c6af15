"""Which migrations would stop play, or break the version before: `python -m script.migrations`.

For a minute two versions use one database (docs/deployment.md), and every statement of a migration that waits for a
lock lets the acts behind it wait too. So a release expands the schema, and a later one contracts it. What a migration
may do is listed here; everything else is refused until somebody writes down beside it, in `REVIEWED`, why it is safe.

Tables that the same migration creates are nobody's yet, so the first migrations of each app pass.
"""

import sys
from collections.abc import Iterator

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

APPS = ("audit", "games", "tables")
INITIAL = ("0001_initial", "0002_guards", "0002_guard")  # of an empty database
# Why an operation that is refused below is safe, by app, migration and number of the operation.
REVIEWED: dict[tuple[str, str, int], str] = {}

CONTRACTS = (migrations.DeleteModel, migrations.RemoveField, migrations.RenameModel, migrations.RenameField)
WITHOUT_LOCK = (
    migrations.CreateModel,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    AddIndexConcurrently,
    AddConstraintNotValid,
)


def problem_of(operation: Operation, created: set[str]) -> str:
    """Why an operation would stop play or break the version before, as a sentence; empty if it does neither.

    `created`: the models, in lower case, that the same migration creates.
    """
    if isinstance(operation, WITHOUT_LOCK) or getattr(operation, "model_name", "").lower() in created:
        return ""
    if isinstance(operation, CONTRACTS):
        return "The version before still uses what it removes or renames: leave it to the next release."
    if isinstance(operation, migrations.AddField):
        field = operation.field
        if field.null or field.db_default is not NOT_PROVIDED or field.many_to_many:
            return ""
        return "The version before inserts rows without it: give it a db_default, or let it be null."
    if isinstance(operation, migrations.AddIndex):
        return "It locks its table against acts while it is built: use AddIndexConcurrently, with atomic = False."
    if isinstance(operation, migrations.AddConstraint):
        return "It reads the whole table under a lock: use AddConstraintNotValid, and validate it later."
    if isinstance(operation, migrations.AlterField):
        return "It may rewrite the table, or refuse what the version before writes."
    return "Nobody has said whether it locks a table or suits the version before."


def problems() -> Iterator[str]:
    """The sentence of each operation that is refused, with where it is."""
    loader = MigrationLoader(None)
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app not in APPS or name in INITIAL:
            continue
        created = {
            operation.name.lower()
            for operation in migration.operations
            if isinstance(operation, migrations.CreateModel)
        }
        for number, operation in enumerate(migration.operations):
            problem = problem_of(operation, created)
            if problem and (app, name, number) not in REVIEWED:
                yield f"{app}/migrations/{name}.py, operation {number} ({operation.describe()}): {problem}"


def main() -> int:
    import django

    django.setup()
    sentences = list(problems())
    print("\n".join(sentences) or "No migration stops play or breaks the version before.")
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main())
