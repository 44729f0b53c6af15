"""All URLs of the installation."""

from django.urls import include, path

handler500 = "tables.views.busy.busy_or_error"

urlpatterns = [
    path(
        "", include("tables.urls")
    ),  # first: patterns are tried in turn, and most requests are acts at tables
    path("", include("games.urls")),
    path("", include("tables.views.desk_urls")),
]
