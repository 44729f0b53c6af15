"""The entry about the reports of figures that a facility declares."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type


class DeclaredReport(TypedDict):
    every: Annotated[Literal["shift", "day", "week"], "how often it is written"]
    filters: Annotated[str, "the filters of the page, as in its address; empty for all tables"]
    folder: Annotated[str, "the folder of the server where its files are written; empty without one"]
    formats: Annotated[list[str], "formats of its files"]
    mail: Annotated[list[str], "e-mail addresses to which its files are sent"]
    name: str


class ReportsDeclared(TypedDict):
    reports: Annotated[list[DeclaredReport], "all of them; those declared before end"]


REPORTS_DECLARED = entry_type(
    "figures.reports_declared",
    ReportsDeclared,
    "The reports of figures that the server writes by itself were declared; two departments answer for it.",
)
