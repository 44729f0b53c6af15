"""All URLs of the installation."""

from django.urls import include, path, re_path

from games.access import verify_rules
from tables.api.urls import no_such_address

handler500 = "tables.views.acts.busy_or_error"

urlpatterns = [
    # First, because patterns are tried in turn, and most requests are acts at tables.
    path("", include("tables.urls")),
    path("api/v1/", include("tables.api.urls")),
    path("api/", include([re_path(r"^(?P<rest>[\s\S]*)$", no_such_address)])),  # of another version
    path("scim/v2/", include("tables.api.scim")),
    path("", include("games.urls")),
    path("", include("tables.views.desk_urls")),
]

verify_rules(urlpatterns)
