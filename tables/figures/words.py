"""Lines of the record about declared reports of figures."""

from tables.figures.entry_types import REPORTS_DECLARED, ReportsDeclared
from tables.words.registry import line, register


def _declared(data: ReportsDeclared) -> str:
    names = ", ".join(report["name"] for report in data["reports"])
    return f"Reports of figures declared: {names}" if names else "All declared reports of figures ended"


register(act_lines=[line(REPORTS_DECLARED, _declared)])
