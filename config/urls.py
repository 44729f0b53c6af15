"""All URLs of the installation."""

from django.urls import include, path

urlpatterns = [
    path("", include("games.urls")),
    path("", include("tables.views.desk_urls")),
    path("", include("tables.urls")),
]
