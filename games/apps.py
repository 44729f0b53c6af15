import datetime as dt
from typing import Any

from django.apps import AppConfig
from django.core.signals import setting_changed


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        """Register the games, the editions of jurisdictions, the system checks, and the acts of the office;
        give the record each facility's gaming days.
        """
        from audit import clock
        from games import checks, jurisdictions, registrations, registry  # noqa: F401 (they register themselves)
        from games.engine import editions

        editions.add_source(jurisdictions.edition_documents)
        setting_changed.connect(on_setting_changed, dispatch_uid="games.jurisdictions.forget")
        clock.gaming_days.of = gaming_day


def on_setting_changed(*, setting: str, **_: Any) -> None:
    """Read the jurisdictions again when a test names other folders."""
    from games import jurisdictions

    if setting == "JURISDICTION_DIRS":
        jurisdictions.forget()


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """Return the gaming day of a facility by its code; the day in UTC for an unknown one."""
    from audit import clock
    from games.models import Facility

    row = Facility.objects.filter(code=facility).first()
    return row.gaming_day(moment) if row else clock.gaming_day_in_utc(moment)
