"""The page of the clauses, and the file that says which tests show which."""

import json

import pytest
from django.core.management import call_command

from games.regulations import clauses
from games.regulations.clauses import all_clauses, proofs_by_clause
from tables.desk.coverage import sentence


def test_the_file_matches_the_marks_of_the_tests():
    text = clauses.COVERAGE_FILE.read_text("utf-8")
    assert text == clauses.coverage_text(), "Run: manage.py clauses --write"


def test_the_file_gives_back_every_test_of_every_clause():
    tests_by_clause = {clause: sorted(tests) for clause, tests in proofs_by_clause().items()}
    assert {clause: list(tests) for clause, tests in clauses.recorded_proofs().items()} == tests_by_clause
    assert set(tests_by_clause) <= set(all_clauses())


def test_the_command_writes_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(clauses, "COVERAGE_FILE", tmp_path / "coverage.json")
    call_command("clauses", write=True)
    written = json.loads((tmp_path / "coverage.json").read_text("utf-8"))
    assert "test_a_day_in_the_pit" in written["tests/e2e/test_day_in_the_pit.py"]
    assert capsys.readouterr().out == "coverage.json is up to date.\n"


def test_every_clause_is_in_a_section_of_its_document():
    clauses = all_clauses()
    assert clauses["PA-521.4(1)(i)"].section == "58 Pa. Code § 521.4"
    assert clauses["PA-625a.2(b)-manual"].section == "58 Pa. Code § 625a.2"
    assert {clause.section for clause in clauses.values() if clause.id.startswith("NJ-19:47-9.4")} == {
        "N.J.A.C. 19:47-9.4"
    }
    assert len({(clause.document, clause.section) for clause in clauses.values()}) == 56


def test_a_test_reads_as_a_sentence():
    assert sentence("tests/a.py::TestIt::test_a_lapsed_round_is_refused") == "A lapsed round is refused"


@pytest.fixture
def page(db, scene):
    browser = scene.browser("podium", "gaming-agent")

    def get(query=""):
        answer = browser.get(f"/record/larkfield/clauses/{query}")
        assert answer.status_code == 200
        return answer

    return get


def test_it_adds_up_all_clauses_by_document_and_kind(page):
    totals = page().context["totals"]
    assert [total.clauses for total in totals] == [174, 94, 137, 158, 86]
    assert [sum(width for _kind, _offset, width in total.parts) for total in totals] == [
        174,
        94,
        137,
        158,
        86,
    ]
    first = {kind: width for kind, _offset, width in totals[0].parts}
    assert first == {
        "compute": 45,
        "enforce": 45,
        "record": 53,
        "publish": 11,
        "physical": 10,
        "authority": 10,
    }
    assert page().context["sections"] == []


def test_it_narrows_by_document_kind_room_tests_and_words(page):
    assert page("?kind=enforce").context["shown_count"] == 173
    assert page("?document=58+Pa.+Code+Chapter+625a").context["shown_count"] == 94
    assert page("?where=audit").context["shown_count"] == 12
    with_tests, without = (page(f"?tests={answer}").context["shown_count"] for answer in ("yes", "no"))
    assert with_tests + without == 649 and with_tests == len(clauses.recorded_proofs())
    assert page("?q=625a.2(b)").context["shown_count"] >= 2
    assert page("?q=zzzz").context["shown_count"] == 0
    assert "No clause matches all of this" in page("?q=zzzz").content.decode()


@pytest.mark.parametrize("query", ["?kind=x&where=%00&tests=1", "?document=nothing", "?q=%00"])
def test_what_it_does_not_know_narrows_nothing(page, query):
    assert page(query).context["sections"] == []


def test_a_clause_shows_our_words_its_room_and_its_tests(page):
    text = page("?q=PA-625a.2(b)-manual").content.decode()
    clause = all_clauses()["PA-625a.2(b)-manual"]
    assert clause.rule[:30] in text.replace("&#x27;", "'") and clause.cite in text
    for test in clauses.recorded_proofs()[clause.id]:
        assert sentence(test) in text.replace("&#x27;", "'")
