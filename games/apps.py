import datetime as dt

from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        """Tells the record how facilities count their gaming days: it may not ask this room itself."""
        from audit import clock

        clock.gaming_days.of = gaming_day


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """The gaming day of a facility, by its code; UTC's where it is not known."""
    from audit import clock
    from games.models import Facility

    found = Facility.objects.filter(code=facility).first()
    return found.gaming_day(moment) if found else clock.day_in_utc(moment)
