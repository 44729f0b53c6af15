"""What acts on cases read first: the case that they name, and the outcome that they send."""

from games.engine import Refusal
from games.models import Facility
from games.params import MOST_CENTS, Params
from tables.cases.kinds import GOODWILL, kind_of
from tables.cases.refusals import CASE_GOODWILL_CENTS, CASE_IS_CLOSED, CASE_NO_SUCH_OUTCOME, NO_SUCH_CASE
from tables.models import Case, Slip

MAX_REASON = 500


def read_case(facility: Facility, params: Params) -> Case:
    """Return the case that the act names. Raises `no-such-case`."""
    code = params.code("case")
    rows = Case.objects.filter(facility=facility, code=code)
    case = rows.select_related("owner", "facility", "table__stream", "table__facility").first()
    if case is None:
        raise Refusal(NO_SUCH_CASE, case=code)
    return case


def read_open_case(facility: Facility, params: Params) -> Case:
    """Return the open case that the act names. Raises `no-such-case` or `case-is-closed`."""
    case = read_case(facility, params)
    if case.status == Case.Status.CLOSED:
        raise Refusal(CASE_IS_CLOSED, case=case.code)
    return case


def read_outcome(case: Case, params: Params) -> tuple[str, str, int]:
    """Return outcome, reason and cents. Raises `case-no-such-outcome` or `case-goodwill-cents`."""
    outcome = params.text("outcome", max_length=20)
    reason = params.text("reason", max_length=MAX_REASON)
    cents = params.integer("cents", 0, MOST_CENTS, default=0)
    if outcome not in kind_of(case).outcomes:
        raise Refusal(CASE_NO_SUCH_OUTCOME)
    if (outcome == GOODWILL) != (cents > 0):
        raise Refusal(CASE_GOODWILL_CENTS)
    return outcome, reason, cents


def has_slip(case: Case) -> bool:
    """Whether a slip about the round of a case was filed."""
    return Slip.objects.filter(table=case.table, round__number=case.round or 0).exists()
