"""URLs of the compliance desk and of its inbox. Each page declares its own as `urlpatterns`."""

from django.urls import URLPattern, path

from tables.cases.views import case, exceptions, inbox
from tables.cases.views import report as case_report
from tables.desk.views import coverage, entry, exports, integrity, papers, report, retention, search
from tables.views import acts

urlpatterns: list[URLPattern] = [
    path("record/<slug:facility>/acts/<str:act>", acts.desk_act, name="desk-act"),
    *search.urlpatterns,
    *entry.urlpatterns,
    *coverage.urlpatterns,
    *integrity.urlpatterns,
    *report.urlpatterns,
    *exports.urlpatterns,
    *inbox.urlpatterns,
    *exceptions.urlpatterns,
    *case_report.urlpatterns,
    *case.urlpatterns,
    *papers.urlpatterns,
    *retention.urlpatterns,
]
