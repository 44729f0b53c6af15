"""Change an index of the record in place. Altering the field would copy the table on SQLite, without its guards."""

from typing import Any

from django.db import migrations


class WithoutIndex(migrations.AlterField):
    """Drop a foreign key's own index, because the index of a constraint begins with the same column."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        column = model._meta.get_field(self.name).column
        for name in schema_editor._constraint_names(
            model, [column], index=True, unique=False, primary_key=False
        ):
            schema_editor.execute(schema_editor._delete_index_sql(model, name))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        schema_editor.execute(schema_editor._create_index_sql(model, fields=[field]))
