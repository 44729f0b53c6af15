"""Whatever an edition asks of a table's equipment has a sentence, and no sentence is left over."""

import pytest

from games.engine.editions import all_editions
from tables.equipment.approvals import approval_subjects, inspection_lines
from tables.models.staffing import GAMES_ELSEWHERE
from tables.staffing.supervision import ELSEWHERE

EDITIONS = [pytest.param(edition, id=key) for key, edition in all_editions().items()]


def line_codes(edition) -> set[str]:
    of_approvals = {code for rule in edition.approvals for code in rule.lines}
    return of_approvals | {line.code for line in edition.inspection}


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_line_and_subject_of_an_edition_can_be_said(edition):
    assert line_codes(edition) <= set(inspection_lines())
    assert {rule.subject for rule in edition.approvals} <= set(approval_subjects())
    assert edition.staffing.never_with <= set(GAMES_ELSEWHERE)


def test_no_wording_is_left_over():
    editions = all_editions().values()
    assert set(inspection_lines()) == set().union(*map(line_codes, editions))
    assert set(approval_subjects()) == {rule.subject for edition in editions for rule in edition.approvals}
    assert (
        set(ELSEWHERE)
        == set(GAMES_ELSEWHERE)
        == {"other-banking"}.union(*(one.staffing.never_with for one in editions))
    )


def test_a_line_is_one_short_sentence_of_its_own():
    said = [str(sentence) for sentence in inspection_lines().values()]
    assert [one for one in said if not (one.endswith(".") and one.count(".") == 1 and len(one) <= 90)] == []
    assert len(set(said)) == len(said)
