"""What acts on cases read first: the case that they name, and the outcome that they send."""

from typing import Annotated

from games.act_forms import Code, found
from games.engine import Refusal
from games.models import Facility
from games.params import MOST_CENTS, Params
from tables.cases.kinds import GOODWILL, kind_of
from tables.cases.refusals import CASE_GOODWILL_CENTS, CASE_IS_CLOSED, CASE_NO_SUCH_OUTCOME, NO_SUCH_CASE
from tables.models import Case, Slip

MAX_REASON = 500


def case_by_code(facility: Facility, code: str) -> Case:
    """Return the case with this code. Raises `no-such-case`."""
    rows = Case.objects.filter(facility=facility, code=code)
    case = rows.select_related("owner", "facility", "table__stream", "table__facility").first()
    if case is None:
        raise Refusal(NO_SUCH_CASE, case=code)
    return case


def open_case_by_code(facility: Facility, code: str) -> Case:
    """Return the open case with this code. Raises `no-such-case` or `case-is-closed`."""
    case = case_by_code(facility, code)
    if case.status == Case.Status.CLOSED:
        raise Refusal(CASE_IS_CLOSED, case=case.code)
    return case


# A case that an act names by its code
NamedCase = Annotated[Case, found(Code, lambda ctx, code: case_by_code(ctx.facility, code))]
OpenCase = Annotated[Case, found(Code, lambda ctx, code: open_case_by_code(ctx.facility, code))]


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
