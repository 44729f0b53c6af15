"""The topics of the API. Add a topic's router to `ROUTERS`."""

from tables.api import floor
from tables.api.app import api

ROUTERS = (floor.router,)
for router in ROUTERS:
    api.add_router("", router)
