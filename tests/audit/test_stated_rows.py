"""Rows compared with the entries that state them: what the walk over all columns (`test_columns.py`) finds slowly."""

import pytest

from audit.columns import check_columns
from audit.models import SavedFilter
from tables.models import Inspection
from tests.desk.test_filters import at_desk
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def findings(model):
    return [(finding.code, finding.where["row"]) for finding in check_columns(lambda: None, [model])]


def test_a_second_row_under_the_name_of_a_real_one_is_named():
    """Nothing differs between the two: an entry states one of them."""
    make_scene()
    inspection = Inspection.objects.get()
    assert findings(Inspection) == []
    inspection.pk = None
    inspection.save(force_insert=True)
    [(code, row)] = findings(Inspection)
    assert (code, row.split()[:2]) == ("row-without-entry", ["inspection", "T-01"])


def test_a_row_that_is_back_after_an_entry_removed_it_is_named():
    scene = make_scene()
    at_desk(scene, "save_filter", {"name": "Disputes", "query": "round=7"})
    saved = SavedFilter.objects.get()
    assert findings(SavedFilter) == []
    at_desk(scene, "remove_filter", {"name": "Disputes"})
    assert findings(SavedFilter) == []
    saved.save(force_insert=True)
    assert findings(SavedFilter) == [("row-without-entry", "filter compliance Disputes")]
