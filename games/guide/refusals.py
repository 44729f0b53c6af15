"""Why a gaming guide is refused."""

from games.engine.refusals import RefusalCode

NO_GUIDE_PLAN = RefusalCode(
    "no-guide-plan",
    "No guide was written of %(game)s. Leave the game out, or have its guide plan added.",
    "No guide plan",
)
