"""The list of mutants (script/mutants.toml): each still applies, so that `python -m script.mutants` can plant it."""

from collections import Counter
from dataclasses import replace

from script import mutants


def test_every_mutant_removes_a_protection_of_today():
    listed = mutants.read_list()
    assert list(mutants.problems(listed)) == []
    assert Counter(mutant.topic for mutant in listed) == {
        "engine": 12,
        "acts": 40,
        "record": 16,
        "permissions": 15,
        "office gate": 13,
        "operation": 66,
        "examiner": 45,
        "insiders": 164,
        "floor": 160,
        "outside": 23,
    }


def test_a_mutant_whose_code_or_test_has_moved_is_named():
    first, second, third, fourth = mutants.read_list()[:4]
    changed = [
        replace(first, old="no such code"),
        replace(second, file="games/no_such_file.py"),
        replace(third, tests=("tests/test_nothing.py",)),
        replace(fourth, tests=("tests/test_mutants.py", "tests/test_mutants.py::test_nothing")),
    ]
    assert list(mutants.problems(changed)) == [
        f"{first.name}: its old text occurs 0 times in {first.file}",
        f"{second.name}: its old text occurs 0 times in games/no_such_file.py",
        f"{third.name}: there is no tests/test_nothing.py",
        f"{fourth.name}: there is no tests/test_mutants.py::test_nothing",
    ]


def test_the_test_that_catches_a_mutant_is_read_from_the_report():
    report = (
        "FAILED tests/games/test_x.py::test_odds[6 to 1] - assert 1 == 2\nERROR tests/test_y.py::test_z\n"
    )
    assert mutants.TEST_FAILED.findall(report) == [
        "tests/games/test_x.py::test_odds[6 to 1]",
        "tests/test_y.py::test_z",
    ]
