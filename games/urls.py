"""URLs of the rules office and of the pages for patrons. Each view module has its own."""

from django.urls import URLPattern

from games.views import providers

from .views import calendar, changes, documents, guides, odds, patrons, requests, signs, submissions

urlpatterns: list[URLPattern] = [
    *submissions.urlpatterns,
    *changes.urlpatterns,
    *odds.urlpatterns,
    *signs.urlpatterns,
    *guides.urlpatterns,
    *patrons.urlpatterns,
    *requests.urlpatterns,
    *providers.urlpatterns,
    *documents.urlpatterns,
    *calendar.urlpatterns,
]
