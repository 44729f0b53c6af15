"""Why simulated play is refused."""

from games.engine.refusals import RefusalCode

SIMULATE_AT_LIVE_TABLE = RefusalCode(
    "simulate-at-live-table",
    "%(table)s is not a simulated table, so no play is generated there.",
)
EVENING_OUTSIDE_DEMO = RefusalCode(
    "evening-outside-demo",
    "Only a demo floor is dealt by a program.",
)
