"""What a full verification checks of declared reports: what is sent where, against the entry that declares it."""

from collections.abc import Callable, Iterator

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding
from games.models import Facility
from tables.core.stated_rows import RowFindings, StatedRow, compare_rows, entry_bodies
from tables.figures.entry_types import REPORTS_DECLARED
from tables.models import FiguresSchedule

REPORTS = RowFindings.declare("declared-report")
COLUMNS = ("every", "filters", "folder", "formats", "mail")


@record_check
def check_declared_reports(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the running reports of every facility with the newest entry that declares them."""
    for facility in Facility.objects.order_by("pk"):
        tick()
        entries = Entry.objects.filter(
            stream__name__startswith=f"{facility.code}/", type=REPORTS_DECLARED.name
        )
        stated: dict[str, StatedRow] = {}
        for body in entry_bodies(entries):
            try:
                stated = {
                    report["name"]: StatedRow(body["seq"], {name: report[name] for name in COLUMNS})
                    for report in body["data"]["reports"]
                }
            except (KeyError, TypeError):
                continue  # the verification of the chain names it
        running = FiguresSchedule.objects.filter(facility=facility, ended_at=None)
        stored = {row.name: row for row in running.order_by("pk")}
        yield from compare_rows(REPORTS, f"{facility.code}/setup", stated, stored, name="report {}".format)
