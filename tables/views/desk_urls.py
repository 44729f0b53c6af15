"""URLs of the compliance desk and of its inbox. Each page declares its own as `urlpatterns`."""

from django.urls import URLPattern, path

from tables.cases import case_page, exceptions, inbox, reports
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
    *reports.urlpatterns,
    *case_page.urlpatterns,
    *papers.urlpatterns,
    *retention.urlpatterns,
]
