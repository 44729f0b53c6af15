from django.apps import AppConfig
from django.urls import register_converter
from django.utils.module_loading import autodiscover_modules


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        """Register words and acts of the floor and the desk, and connect what lower layers may not import.

        The rules office asks the floor through `games.office.core.floor`. A declared incarnation resumes halted
        tables. A stream that is continued gets a new table.
        """
        from audit.closing import stream_continued
        from audit.discovery import modules_named
        from audit.sealing.incarnations import incarnation_declared
        from games.office.core import floor
        from tables import limits  # noqa: F401  # a topic in one file registers its acts, entries and lines itself
        from tables.core.signals import table_changed
        from tables.equipment import sign_forms  # noqa: F401
        from tables.office_floor import Floor
        from tables.opening.continued_tables import continue_table
        from tables.runner.halts import resume_halted_tables
        from tables.screens.push import on_table_changed
        from tables.views.converters import Code

        register_converter(Code, "code")
        autodiscover_modules(*modules_named("words", self.path), *modules_named("acts", self.path))
        autodiscover_modules(
            *modules_named("alert_rules", self.path), *modules_named("case_rules", self.path)
        )
        autodiscover_modules(*modules_named("record_checks", self.path), *modules_named("columns", self.path))
        table_changed.connect(on_table_changed, dispatch_uid="tables.screens.push.on_table_changed")
        floor.link.floor = Floor()
        stream_continued.connect(
            continue_table, dispatch_uid="tables.opening.continued_tables.continue_table"
        )
        incarnation_declared.connect(
            resume_halted_tables, dispatch_uid="tables.runner.halts.resume_halted_tables"
        )
