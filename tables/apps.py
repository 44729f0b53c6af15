from django.apps import AppConfig
from django.urls import register_converter
from django.urls.converters import StringConverter


class Code(StringConverter):
    """The code of a table, or the place of a stream, in the characters of its name; no other reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        """Register words and acts of the floor and the desk, and connect what lower layers may not import.

        The rules office asks the floor through `games.office.core`. A declared incarnation resumes halted
        tables. A stream that is continued gets a new table.
        """
        register_converter(Code, "code")  # first: a topic's file declares its addresses with it

        from audit.sealing.declarations import incarnation_declared, stream_continued
        from games.office import core
        from tables import registrations  # noqa: F401 (acts, entries and their lines register themselves)
        from tables.core.context import table_changed
        from tables.office_floor import Floor
        from tables.opening.opening import continue_table
        from tables.runner.halts import resume_halted_tables
        from tables.screens.push import on_table_changed

        table_changed.connect(on_table_changed, dispatch_uid="tables.screens.push.on_table_changed")
        core.link.floor = Floor()
        stream_continued.connect(continue_table, dispatch_uid="tables.opening.opening.continue_table")
        incarnation_declared.connect(
            resume_halted_tables, dispatch_uid="tables.runner.halts.resume_halted_tables"
        )
