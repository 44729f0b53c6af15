import datetime as dt
from typing import Any

from django.apps import AppConfig
from django.core.signals import setting_changed
from django.utils.module_loading import autodiscover_modules


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        """Register the games, the editions of jurisdictions, the system checks, and the acts of the office;
        give the record each facility's gaming days.
        """
        from audit import clock
        from audit.discovery import modules_named
        from games import checks, jurisdictions, registry  # noqa: F401 (imports register the games and the checks)
        from games.engine import editions

        editions.add_source(jurisdictions.edition_documents)
        setting_changed.connect(on_setting_changed, dispatch_uid="games.jurisdictions.forget")
        clock.gaming_days.of = gaming_day
        autodiscover_modules(*modules_named("acts", self.path))
        autodiscover_modules(*modules_named("record_checks", self.path), *modules_named("columns", self.path))


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
