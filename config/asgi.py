"""The application for HTTP and sockets. In the embedded default it also runs the ticker, the worker and the sealer."""

import gc
import logging
import os
from typing import Any

import django

from config import settings as settings_modules

os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings_modules.default())
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from audit.exporting.jobs import with_worker  # noqa: E402
from config.handler import OneThreadHandler, with_limit, with_same_origin  # noqa: E402
from tables.monitoring import watch_installation  # noqa: E402
from tables.ticker import with_ticker  # noqa: E402
from tables.views.sockets import websocket_urlpatterns  # noqa: E402


def handler() -> OneThreadHandler:
    """The handler of requests: with traces where a receiver is named. No table waits for what only watches it."""
    if settings.TRACES_ENDPOINT:
        try:
            from config.tracing import traced_handler

            return traced_handler()
        except ModuleNotFoundError as missing:
            log = logging.getLogger(__name__)
            log.error("Nothing is traced: there is no %s. Install requirements/traces.txt.", missing.name)
    return OneThreadHandler()


sockets = AllowedHostsOriginValidator(with_same_origin(CookieMiddleware(URLRouter(websocket_urlpatterns))))
application: Any = ProtocolTypeRouter(
    {
        "http": with_limit(handler(), settings.MOST_BODY_BYTES, settings.MOST_BODY_SECONDS),
        "websocket": sockets,
    }
)
if settings.EMBEDDED_TICKER:
    application = with_worker(with_ticker(application))
    if settings.SEALER_DIR:
        from audit.sealing.process import with_sealer

        application = with_sealer(application)
    if settings.EVENING:
        from tables.demo.evening import DemoServer

        application = DemoServer(application)
elif settings.SEALER_DIR:
    raise ImproperlyConfigured(
        "Unset PITSIDE_SEALER_DIR: only the sealer, and no web worker, may have its keys."
    )

watch_installation()
get_resolver().url_patterns  # noqa: B018  # read now: an address without an access rule ends the start
# What was imported so far stays. Left to the garbage collector, it would be searched now and then for a tenth of a
# second, in which no act is answered.
gc.collect()
gc.freeze()
