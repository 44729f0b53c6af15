"""One application for HTTP and sockets, with the ticker inside where the settings say so."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.conf import settings  # noqa: E402

from tables.ticker import with_ticker  # noqa: E402
from tables.urls import websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {"http": http, "websocket": AllowedHostsOriginValidator(CookieMiddleware(URLRouter(websocket_urlpatterns)))}
)
if settings.EMBEDDED_TICKER:
    application = with_ticker(application)
