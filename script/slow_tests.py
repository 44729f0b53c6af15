"""List the tests that `script/test --fast` leaves out because they are slow: `python -m script.slow_tests REPORT.xml`.

REPORT.xml is pytest's own report of a run on a quiet machine: `script/test --only sqlite -- --junitxml=REPORT.xml`. The
list is tests/slow_tests.txt: functions whose cases together take longer than LONGEST. A new test is in no list, so
--fast runs it.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "slow_tests.txt"
LONGEST = 0.11  # seconds, of all cases of a function


def slow_functions(report: Path, longest: float = LONGEST) -> list[str]:
    """The functions of a report that take longer, as `tests/tables/test_limits.py::test_name`."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").replace(".", "/")
        function = case.get("name", "").split("[")[0]
        seconds[f"{module}.py::{function}"] += float(case.get("time", 0))
    return sorted(name for name, total in seconds.items() if total > longest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path)
    LIST.write_text("".join(f"{name}\n" for name in slow_functions(parser.parse_args().report)))


if __name__ == "__main__":
    main()
