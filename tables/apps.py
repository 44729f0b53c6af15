from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        """Tells the rules office what the floor is, and hears of a declared record: neither may ask this room."""
        from audit.sealing.incarnations import incarnation_declared
        from games.office import floor

        from .halts import go_on
        from .office import Floor

        floor.told.floor = Floor()
        incarnation_declared.connect(go_on, dispatch_uid="tables.halts.go_on")
