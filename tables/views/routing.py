"""URLs of the sockets."""

from typing import Any

from django.urls import path, re_path

from tables.views import sockets

# Channels routes its consumers with Django's URL patterns, whose types only allow views.
_table: Any = sockets.TableConsumer.as_asgi()
_sign: Any = sockets.SignConsumer.as_asgi()
_floor: Any = sockets.FloorConsumer.as_asgi()
_locked: Any = sockets.LockedFloorConsumer.as_asgi()
_wall: Any = sockets.WallConsumer.as_asgi()
_nowhere: Any = sockets.NowhereConsumer.as_asgi()

websocket_urlpatterns: list[Any] = [
    path("ws/table/<slug:facility>/<code:table>/sign", _sign),
    path("ws/table/<slug:facility>/<code:table>/<slug:station>", _table),
    path("ws/floor/<slug:facility>", _floor),
    path("ws/floor/<slug:facility>/locked", _locked),
    path("ws/floor/<slug:facility>/wall", _wall),
    re_path(r"^.*$", _nowhere),
]
