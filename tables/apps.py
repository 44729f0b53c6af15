from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        """Tells the rules office what the floor is: it may not ask this room itself."""
        from games.office import floor

        from .office import Floor

        floor.told.floor = Floor()
