"""The topics of the API. Add a topic's router to `ROUTERS`."""

from tables.api import acts, cases, entries, floor, money, people, readings, rounds, rules, signs
from tables.api.app import api

ROUTERS = (
    floor.router,
    rounds.router,
    rules.router,
    money.router,
    people.router,
    cases.router,
    entries.router,
    acts.router,
    readings.router,
    signs.router,
)
for router in ROUTERS:
    api.add_router("", router)
