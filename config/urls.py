"""Every address of the installation."""

from django.urls import include, path

urlpatterns = [
    path("", include("games.urls")),
    path("", include("tables.desk.urls")),
    path("", include("tables.urls")),
]
