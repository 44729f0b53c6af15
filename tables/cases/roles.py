"""Who reads cases, and who works on them."""

from games.access import Pages

COMPLIANCE = frozenset({"compliance"})
SURVEILLANCE = frozenset({"surveillance"})
CASE_WORKERS = COMPLIANCE | SURVEILLANCE | {"shift-manager"}
CASES = Pages(CASE_WORKERS | {"gaming-agent"})
authorize_cases = CASES.authorize
may_see_cases = CASES.may_see
