"""The topics of the API. Add a router to `READS`, or to `WRITES` if acts or machines at a table depend on it."""

from tables.api import acts, bookmarks, cases, entries, floor, money, people, readings, rounds, rules, signs
from tables.api.access import few_at_once
from tables.api.app import api

READS = (
    floor.router,
    rounds.router,
    rules.router,
    money.router,
    people.router,
    cases.router,
    entries.router,
)
WRITES = (acts.router, readings.router, signs.router, bookmarks.router)
ROUTERS = (*READS, *WRITES)
for router in READS:
    router.add_decorator(few_at_once, mode="view")
for router in ROUTERS:
    api.add_router("", router)
