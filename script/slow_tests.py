"""List the tests that `script/test --fast` leaves out because they are slow: `python -m script.slow_tests REPORT.xml`.

REPORT.xml is pytest's own report of a run on a quiet machine: `script/test --only sqlite -- --junitxml=REPORT.xml`. The
list is tests/slow_tests.txt: functions whose cases together take longer than LONGEST. A new test is in no list, so
--fast runs it. Functions of LONG seconds and more have them in the list. Workers begin with the longest, and
script/test runs all of these on one database. A report of another suite adds its functions of LONG_ELSEWHERE seconds:
`script/test --only browser -- --junitxml=OTHER.xml`, then both reports.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "slow_tests.txt"
LONGEST = 0.05  # seconds, of all cases of a function
LONG, LONG_ELSEWHERE = 0.2, 1.0


def slow_functions(report: Path, longest: float = LONGEST) -> dict[str, float]:
    """The functions of a report that take longer, as `tests/tables/test_limits.py::test_name`, and their seconds."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").replace(".", "/")
        function = case.get("name", "").split("[")[0]
        seconds[f"{module}.py::{function}"] += float(case.get("time", 0))
    return {name: total for name, total in seconds.items() if total > longest}


def lines(reports: Sequence[Path]) -> list[str]:
    """The list, sorted: the slow functions of the first report, and those of LONG_ELSEWHERE seconds of the others."""
    seconds = slow_functions(reports[0])
    for report in reports[1:]:
        seconds = slow_functions(report, LONG_ELSEWHERE) | seconds
    return [f"{name} {total:.1f}" if total >= LONG else name for name, total in sorted(seconds.items())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=Path, nargs="+", metavar="REPORT.xml")
    LIST.write_text("".join(f"{line}\n" for line in lines(parser.parse_args().reports)))


if __name__ == "__main__":
    main()
