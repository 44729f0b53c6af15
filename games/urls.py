"""URLs of the rules office and of the pages for patrons. Each view module has its own."""

from django.urls import URLPattern

from games.views import guides, office, patrons, providers, requests, submissions

urlpatterns: list[URLPattern] = [
    *submissions.urlpatterns,
    *guides.urlpatterns,
    *patrons.urlpatterns,
    *requests.urlpatterns,
    *providers.urlpatterns,
    *office.urlpatterns,
]
