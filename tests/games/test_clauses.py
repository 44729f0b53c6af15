"""The catalogue of clauses, and the tests that claim to prove them."""

import textwrap
from collections import Counter

from games.regulations.clauses import all_clauses, proofs_by_clause


def test_the_catalogue_has_every_clause_of_the_five_documents():
    counted = Counter(clause.document for clause in all_clauses().values())
    assert counted == {
        "58 Pa. Code Chapters 521, 528 and 539": 174,
        "58 Pa. Code Chapter 625a": 94,
        "58 Pa. Code Chapter 675a": 137,
        "58 Pa. Code Chapter 577": 158,
        "N.J.A.C. 19:47-8 and 9": 86,
    }


def test_every_clause_that_a_test_names_is_in_the_catalogue():
    assert set(proofs_by_clause()) <= set(all_clauses())


def test_sic_bo_has_a_test_for_every_clause_that_the_engine_computes_or_enforces():
    proven, sections = (
        proofs_by_clause(),
        ("PA-539.3", "PA-539.6", "PA-625a.3", "PA-625a.6", "NJ-19:47-9.2", "NJ-19:47-9.4"),
    )
    missing = [
        one.id
        for one in all_clauses().values()
        if one.id.startswith(sections) and one.kind in ("compute", "enforce") and one.id not in proven
    ]
    assert missing == []


def test_it_finds_marks_on_functions_classes_modules_and_parameters(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text(
        textwrap.dedent(
            """
            import pytest

            pytestmark = [pytest.mark.clause("module"), pytest.mark.slow]
            clause = pytest.mark.clause

            @pytest.mark.clause("class")
            class TestIt:
                pytestmark = pytest.mark.clause("within")

                @pytest.mark.clause("one", "two")
                async def test_a(self): ...

            @pytest.mark.parametrize("x", [pytest.param(1, marks=clause("parameter"))])
            def test_b(x): ...

            @pytest.mark.clause("no test")
            def helper(): ...
            """
        )
    )
    a, b = "tests/test_one.py::TestIt::test_a", "tests/test_one.py::test_b"
    assert proofs_by_clause(tmp_path / "tests") == {
        "module": [a, b],
        "class": [a],
        "within": [a],
        "one": [a],
        "two": [a],
        "parameter": [b],
    }
