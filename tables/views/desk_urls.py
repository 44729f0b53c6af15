"""URLs of the compliance desk and of its inbox. Each page declares its own as `urlpatterns`."""

from django.urls import URLPattern, path

from tables.cases import case_page, exceptions, inbox, reports
from tables.desk import coverage, entries, exports, integrity, report, retention, round_pdf, search_page
from tables.views import acts

urlpatterns: list[URLPattern] = [
    path("record/<slug:facility>/acts/<str:act>", acts.desk_act, name="desk-act"),
    *search_page.urlpatterns,
    *entries.urlpatterns,
    *coverage.urlpatterns,
    *integrity.urlpatterns,
    *report.urlpatterns,
    *exports.urlpatterns,
    *inbox.urlpatterns,
    *exceptions.urlpatterns,
    *reports.urlpatterns,
    *case_page.urlpatterns,
    *round_pdf.urlpatterns,
    *retention.urlpatterns,
]
