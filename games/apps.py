import datetime as dt

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        """Register the games, and the words and acts of the office; give the record each facility's gaming days."""
        from audit import clock
        from audit.discovery import modules_named
        from games import registry  # noqa: F401 (its import registers the games)

        clock.gaming_days.of = gaming_day
        autodiscover_modules(*modules_named("words", self.path), *modules_named("acts", self.path))


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """Return the gaming day of a facility by its code; the day in UTC for an unknown one."""
    from audit import clock
    from games.models import Facility

    row = Facility.objects.filter(code=facility).first()
    return row.gaming_day(moment) if row else clock.gaming_day_in_utc(moment)
