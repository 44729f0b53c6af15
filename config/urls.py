"""All URLs of the installation."""

from django.urls import include, path

handler500 = "tables.views.busy.busy_or_error"

urlpatterns = [
    path("", include("games.urls")),
    path("", include("tables.views.desk_urls")),
    path("", include("tables.urls")),
]
