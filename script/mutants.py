"""Plant each mutant of script/mutants.toml, and print whether the tests of a plain day catch it.

A mutant is a change that removes one protection. Each is planted alone in a copy of the tree, never in the checkout.
First its named tests run, on SQLite unless it names the suite `services`, and in Chromium if it names the suite
`browser`; where they pass, all of the suite sqlite, and then all of the suite services. A test that fails catches the
mutant, if it passes without it. The exit status is 1 if a mutant survives, or no longer applies.

    python -m script.mutants                        # all: some ten seconds each on a quiet machine
    python -m script.mutants --only entry           # those whose name or topic contains a word
    python -m script.mutants --check                # whether each old text occurs exactly once; no test runs
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from script.checks import SUITES

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "script" / "mutants.toml"
TOPICS = (
    "engine",
    "acts",
    "record",
    "permissions",
    "office gate",
    "operation",
    "examiner",
    "insiders",
    "floor",
    "outside",
)
# Those of the suite services that run every day: the others take turns, and run on SQLite each day.
DAILY_SERVICES = "(postgres or redis or (both_databases and long)) and not browser and not repeated"
REPORT = ("-q", "-rfE", "--tb=no")
WITHOUT_SERVICES = ("sqlite", "browser")  # named tests of these need none, and start at once
TEST_PASSED = re.compile(r"\b\d+ passed\b")
TEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?::.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One protection, and the change that removes it.

    `tests` are the files that should catch it, or of a long file a single test (`tests/test_x.py::test_y`).
    """

    topic: str
    name: str
    removes: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    suite: str = "sqlite"


@dataclass(frozen=True)
class Verdict:
    """The test that caught a mutant, and its suite; none if it survived. `problem`: why there is no answer."""

    mutant: Mutant
    seconds: float = 0
    caught_by: str = ""
    suite: str = ""
    problem: str = ""

    @property
    def is_caught(self) -> bool:
        return bool(self.caught_by) and not self.problem

    @property
    def line(self) -> str:
        outcome = self.problem or (f"caught by {self.caught_by}" if self.caught_by else "SURVIVED")
        is_named = not self.caught_by or self.caught_by.startswith(self.mutant.tests)
        where = "" if is_named else f" (its named tests passed; {self.suite})"
        return f"{self.mutant.topic}/{self.mutant.name}: {outcome}{where}, {self.seconds:.0f} s"


def read_list(path: Path = LIST) -> list[Mutant]:
    """Read the list. Raises TypeError for a key that a mutant does not have, or lacks."""
    rows = tomllib.loads(path.read_text("utf-8"))["mutant"]
    return [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]


def problems(mutants: Sequence[Mutant], root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each mutant that no longer applies, or is not declared as the others are."""
    names = Counter(mutant.name for mutant in mutants)
    for mutant in mutants:
        count = occurrences(mutant, root)
        if count != 1:
            yield f"{mutant.name}: its old text occurs {count} times in {mutant.file}"
        if mutant.old == mutant.new or names[mutant.name] > 1 or mutant.topic not in TOPICS:
            yield f"{mutant.name}: it changes nothing, its name is taken, or its topic is unknown"
        yield from (f"{mutant.name}: there is no {test}" for test in mutant.tests if not is_there(test, root))


def occurrences(mutant: Mutant, root: Path) -> int:
    path = root / mutant.file
    return path.read_text("utf-8").count(mutant.old) if path.exists() else 0


def is_there(test: str, root: Path) -> bool:
    """Whether there is such a file of tests, and such a test in it."""
    file, _, function = test.partition("::")
    path = root / file
    name = function.partition("[")[0]  # without the parameters of one case
    return path.exists() and (not name or f"def {name}(" in path.read_text("utf-8"))


class Copy:
    """A copy of the tree, with what git tracks or would track. It never writes to the checkout."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        (folder / ".script").mkdir()
        for command in ("init", "--quiet"), ("add", "."):  # some tests ask git for the files of the tree
            subprocess.run(("git", *command), cwd=folder, check=True)

    def write(self, name: str, text: str) -> None:
        """Write a source, and drop its bytecode, which could pass for that of another text of this second."""
        path = self.root / name
        path.write_text(text, "utf-8")
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)

    def judge(self, mutant: Mutant, suites: Sequence[str]) -> Verdict:
        """Plant the mutant, run its tests, and these suites, until a test fails. Take the mutant out again."""
        started, original = time.monotonic(), (self.root / mutant.file).read_text("utf-8")
        self.write(mutant.file, original.replace(mutant.old, mutant.new))
        try:
            for suite, tests in ((mutant.suite, mutant.tests), *((suite, ()) for suite in suites)):
                failed, problem = self.run(suite, tests)
                if failed or problem:
                    return Verdict(mutant, time.monotonic() - started, "".join(failed[:1]), suite, problem)
        finally:
            self.write(mutant.file, original)
        return Verdict(mutant, time.monotonic() - started)

    def run(self, suite: str, tests: Sequence[str], *, stops: bool = True) -> tuple[list[str], str]:
        """Run these tests, or all of a plain `script/test`. Return those that failed, or why nothing is known.

        Tests that were skipped, as stories are without Chromium, say nothing. Python writes bytecode in any
        environment: every run would compile all modules and tests again.
        """
        arguments = [*(["-x"] if stops else []), *REPORT, *(tests or SUITES[suite].places or ["tests"])]
        if suite == "services":
            arguments = ["-m", DAILY_SERVICES, *arguments]
        if suite in WITHOUT_SERVICES and tests:
            marks = SUITES[suite].marks
            command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "0", "-m", marks, *arguments]
        else:
            alone = ["-n", "1"] if tests else []
            command = [sys.executable, "-m", "script.checks", "--only", suite, "--", *alone, *arguments]
        variables = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.run(command, cwd=self.root, capture_output=True, text=True, env=variables)
        output = process.stdout + process.stderr
        failed = TEST_FAILED.findall(output) if process.returncode else []
        is_answered = failed or (not process.returncode and TEST_PASSED.search(output))
        return failed, "" if is_answered else f"NO ANSWER: {output.strip()[-300:]}"


def judge_all(mutants: Sequence[Mutant], workers: int, suites: Sequence[str]) -> list[Verdict]:
    """Judge these mutants, each worker in a copy of its own. Prints each verdict as it comes.

    At the end the tests that caught them run without any: one that fails then has caught nothing.
    """
    with tempfile.TemporaryDirectory(prefix="pitside-mutants-") as directory:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(workers):
            copies.put(Copy(Path(directory) / str(number)))

        def judge(mutant: Mutant) -> Verdict:
            copy = copies.get()
            try:
                verdict = copy.judge(mutant, suites)
            finally:
                copies.put(copy)
            print(verdict.line, flush=True)
            return verdict

        with ThreadPoolExecutor(workers) as pool:
            verdicts = list(pool.map(judge, mutants))
        failing = failing_without(copies.get(), verdicts)
    return [
        replace(verdict, problem=f"NO ANSWER: {verdict.caught_by} fails without it too")
        if verdict.caught_by in failing
        else verdict
        for verdict in verdicts
    ]


def failing_without(copy: Copy, verdicts: Sequence[Verdict]) -> set[str]:
    """The tests that caught a mutant, and fail in a copy without any."""
    failing: set[str] = set()
    for suite in SUITES:
        tests = sorted(
            {verdict.caught_by for verdict in verdicts if verdict.is_caught and verdict.suite == suite}
        )
        if tests:
            failed, problem = copy.run(suite, tests, stops=False)
            failing |= set(tests if problem else failed)
    return failing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="whose topic or name has one")
    parser.add_argument("--check", action="store_true", help="only whether each mutant still applies")
    parser.add_argument("--named", action="store_true", help="run the named tests, and no whole suite")
    parser.add_argument("--workers", type=int, default=1, help="copies of the tree in which tests run")
    options = parser.parse_args()
    mutants = read_list()
    obstacles = list(problems(mutants))
    print("\n".join([*obstacles, f"{len(mutants)} mutants, {len(obstacles)} problems."]), flush=True)
    if options.check or obstacles:
        return int(bool(obstacles))
    words = [word.lower() for word in options.only]
    mutants = [mutant for mutant in mutants if any(word in f"{mutant.topic}/{mutant.name}" for word in words)]
    verdicts = judge_all(mutants, options.workers, () if options.named else ("sqlite", "services"))
    caught = Counter(verdict.mutant.topic for verdict in verdicts if verdict.is_caught)
    planted = Counter(mutant.topic for mutant in mutants)
    print("\n".join(verdict.line for verdict in verdicts if not verdict.is_caught))
    for topic in planted:
        print(f"{topic}: {caught[topic]} of {planted[topic]} caught")
    print(f"{caught.total()} of {planted.total()} mutants caught.")
    return int(caught != planted)


if __name__ == "__main__":
    sys.exit(main())
