"""Run the checks and the tests. The table at the end says what ran, what was skipped, and why.

The checks (format, lint, types, migrations, imports) run one after the other, at the same time as the tests. The tests
are three suites: sqlite, services (PostgreSQL and Redis) and browser (Chromium); `--all` adds webkit and containers.
Each is one pytest run with a worker for each processor, three for two with services, which wait a lot. Arguments after
`--` go to pytest in each suite.
Two more steps are in docs/testing.md: schedules drawn from a seed, for half a minute after the tests, and faults of
real processes, beside the tests. These wait most of their time, so the tests run at a lower priority.
"""

import argparse
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from script import services
from script.service_finder import ROOT, Service

BIN = Path(sys.executable).parent
CHECKS = ("format", "lint", "types", "migrations", "imports")
FAULTS = "faults"
SCHEDULES = "schedules"
SCHEDULES_MINUTES = 0.5
ADDRESSES = {
    "postgres": "TEST_DATABASE_URL",
    "redis": "TEST_REDIS_URL",
    "browser": "CHROMIUM_PATH",
    "webkit": "WEBKIT_PATH",
    "display": "TEST_DISPLAY",
    "containers": "TEST_CONTAINERS",
}
EVERY_EXAMPLE = "TEST_EVERY_EXAMPLE"  # read by tests/services/examples.py
IN_TURN = "TEST_IN_TURN"  # read by tests/services/suites.py
DAY = "TEST_DAY"  # read by tests/services/examples.py
CATEGORIES = ("failed", "passed", "skipped", "error")
PATIENTLY = ("nice", "-n", "10")
OWN_PACKAGES = ("audit", "config", "games", "script", "tables", "tests")
NOT_IMPORTED = "/(pip|setuptools|pkg_resources|mypy|mypyc|pygments|selenium|trio|rich|markdown_it|coverage)/"
NO_TESTS = 5  # the exit status of pytest, and of script.faults
# Limits the database connections: a worker has a pool of eight.
MOST_WORKERS = 8


@dataclass(frozen=True)
class Suite:
    """A selection of the tests, and the services that it uses or requires.

    If `folders` is given, all of its tests are there, and nothing else has to be collected. If `words` are given, its
    tests are in files with one of them. Tests that wait a lot, for a browser or another process, have more workers than
    there are cores.
    """

    name: str
    uses: tuple[str, ...]
    needs_one_of: tuple[str, ...]
    marks: str
    marks_of_all: str
    marks_of_fast: str = ""
    folders: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    workers_per_core: float = 1
    options: tuple[str, ...] = ()  # further ones of pytest
    is_part_of_all_only: bool = False
    takes_turns: bool = False  # most of its tests run on one of three days, all of them with --all

    @property
    def places(self) -> list[str]:
        """Where its tests are, relative to the root; empty if they may be anywhere."""
        files = sorted((ROOT / "tests").rglob("test_*.py")) if self.words else []
        texts = {str(file.relative_to(ROOT)): file.read_text() for file in files}
        return [
            *self.folders,
            *(file for file, text in texts.items() if any(word in text for word in self.words)),
        ]

    @property
    def arguments(self) -> list[str]:
        count = min(MOST_WORKERS, round(self.workers_per_core * (os.cpu_count() or 1)))
        return ["-n", str(max(1, count)), "--dist", "worksteal", *self.options]


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "sqlite",
            ("node",),
            (),
            "not browser and not webkit and not postgres and not redis and not repeated",
            "not browser and not webkit and not postgres and not redis",
            "not browser and not webkit and not postgres and not redis and not repeated and not slow",
        ),
        Suite(
            "services",
            ("postgres", "redis", "node"),
            ("postgres", "redis"),
            "(both_databases or postgres or redis) and not browser and not repeated",
            "(database or postgres or redis) and not browser",
            words=("mark.both_databases", "mark.postgres", "mark.redis"),
            workers_per_core=1.5,
            takes_turns=True,
        ),
        Suite(
            "browser",
            ("postgres", "redis", "browser"),
            ("browser",),
            "browser and not repeated",
            "browser",
            folders=("tests/e2e", "tests/services"),
            workers_per_core=1.5,
            takes_turns=True,
        ),
        Suite(
            "webkit",
            ("webkit", "display"),
            ("webkit",),
            "webkit",
            "webkit",
            folders=("tests/webkit",),
            is_part_of_all_only=True,
        ),
        Suite(
            "containers",
            ("containers", "browser"),
            ("containers",),
            "containers",
            "containers",
            folders=("tests/containers",),
            workers_per_core=0,  # its tests follow each other on one installation
            options=(
                "-o",
                "faulthandler_timeout=1800",
            ),  # images are built, and rounds last as long as an upgrade
            is_part_of_all_only=True,
        ),
    )
}


@dataclass(frozen=True)
class Row:
    """One line of the table at the end; `outcome` is passed, failed or skipped."""

    step: str
    outcome: str
    seconds: float
    note: str = ""
    counts: Counter[str] = field(default_factory=Counter)


def table(rows: Sequence[Row], seconds: float) -> list[str]:
    """The table at the end: what ran, what did not, and why."""
    width = max(len(row.step) for row in rows)
    lines = [
        f"{row.step:<{width}}  {row.outcome:<7}  {row.seconds:6.1f} s  {row.note}".rstrip() for row in rows
    ]
    return [*lines, f"{'total':<{width}}  {'':<7}  {seconds:6.1f} s"]


def last_line(rows: Sequence[Row], seconds: float) -> str:
    """The tests of all suites, counted as pytest does. A step that failed without a test counts as an error."""
    total: Counter[str] = sum((row.counts for row in rows), Counter())
    total["error"] += sum(
        row.outcome == "failed" and not row.counts["failed"] + row.counts["error"] for row in rows
    )
    counts = ", ".join(f"{total[name]} {name}" for name in CATEGORIES if total[name]) or "no tests ran"
    return f" {counts} in {seconds:.2f}s ".center(80, "=")


def heading(step: str) -> None:
    print(f"\n── {step} ".ljust(80, "─"), flush=True)


class Commands:
    """Processes that end with the run: Ctrl-C reaches each of them, and each gets time to clean up."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[bytes]] = []
        self.stopped = False

    def run(
        self, command: Sequence[str], addresses: dict[str, str] | None = None, output: IO[bytes] | None = None
    ) -> int:
        """Run one command to its end. Python writes bytecode in any environment, because every worker reads it."""
        if self.stopped:
            return 1
        variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test", **(addresses or {})}
        unset = {name for name in ADDRESSES.values() if not variables.get(name)} | {"PYTHONDONTWRITEBYTECODE"}
        environment = {name: value for name, value in variables.items() if name not in unset}
        errors = subprocess.STDOUT if output else None
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=errors)
        self.running.append(process)
        return process.wait()

    def stop(self) -> None:
        self.stopped = True
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.running:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


# Checks


def commands_of(check: str) -> list[list[str]]:
    """The command lines of a check. Each must exit with status 0."""
    match check:
        case "format":
            templates = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*.html"))
            return [
                [str(BIN / "ruff"), "format", "--check", "."],
                [str(BIN / "djade"), "--check", *templates],
            ]
        case "lint":
            return [
                [str(BIN / "ruff"), "check", "."],
                [str(BIN / "oxlint"), "static/js", "games/catalog", "tests"],
            ]
        case "types":
            return [[str(BIN / "mypy")]]
        case "migrations":
            return [[sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]]
        case "imports":
            return [[str(BIN / "lint-imports"), "--no-logo"]]
    raise ValueError(check)


def run_check(check: str, commands: Commands, output: IO[bytes] | None = None) -> Row:
    started = time.monotonic()
    codes = [commands.run(command, output=output) for command in commands_of(check)]
    return Row(check, "failed" if any(codes) else "passed", time.monotonic() - started)


class Beside:
    """Steps that run at the same time as the tests. Their output is printed at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pools: list[ThreadPoolExecutor] = []
        self.rows: dict[str, Future[Row]] = {}

    def start(self, steps: Sequence[str], run: Callable[[str, IO[bytes]], Row]) -> None:
        """Run these steps one after the other in a thread."""
        pool = ThreadPoolExecutor(1)
        self.pools.append(pool)
        self.rows |= {step: pool.submit(self._run, step, run) for step in steps}

    def _run(self, step: str, run: Callable[[str, IO[bytes]], Row]) -> Row:
        with (self.folder / step).open("wb") as output:
            return run(step, output)

    def finish(self) -> dict[str, Row]:
        for pool in self.pools:
            pool.shutdown()
        rows = {step: row.result() for step, row in self.rows.items()}
        for step, row in rows.items():
            heading(step)
            print((self.folder / step).read_text(errors="replace").rstrip())
            print(f"{step} {row.outcome} in {row.seconds:.1f} s", flush=True)
        return rows


# Tests


class Tests:
    """The suites of tests, and the services that are available for them."""

    def __init__(
        self,
        found: dict[str, Service],
        required: set[str],
        arguments: list[str],
        *,
        choice: str = "",
        suites: Sequence[Suite] = (),
    ) -> None:
        self.found, self.required, self.arguments, self.choice = found, required, arguments, choice
        self.suites = suites
        self.day = str(int(time.time() / 86_400))

    def address(self, service: str) -> str:
        return self.found[service].address if service in self.found else ""

    def missing(self, suite: Suite) -> Row | None:
        """The row of a suite that cannot run, or lacks a service that `--require` names."""
        lacking = [name for name in suite.uses if not self.address(name)]
        note = ". ".join(f"no {name} ({self.found[name].note})" for name in lacking)
        if self.required & set(lacking):
            return Row(suite.name, "failed", 0, f"required: {note}")
        if suite.needs_one_of and set(suite.needs_one_of) <= set(lacking):
            return Row(suite.name, "skipped", 0, note)
        return None

    def marks(self, suite: Suite) -> str:
        marks = {"all": suite.marks_of_all, "fast": suite.marks_of_fast}.get(self.choice) or suite.marks
        if suite.name == "sqlite" and not self.choice and SUITES["services"] in self.suites:
            # The product runs on PostgreSQL: what takes seconds on both runs there.
            return f"{marks} and not (both_databases and long)" if self.address("postgres") else marks
        if suite.name != "services":
            return marks
        if not self.address("postgres"):
            return "redis and not postgres and not browser"  # the others ran on SQLite already
        return marks if self.address("redis") else f"{marks} and not redis"

    def note(self, suite: Suite) -> str:
        present = [f"{name}: {self.found[name].note}" for name in suite.uses if self.address(name)]
        lacking = [name for name in suite.uses if not self.address(name)]
        return "; ".join(present + [f"without {name} ({self.found[name].note})" for name in lacking])

    def variables(self, suite: Suite) -> dict[str, str]:
        """The addresses of its services, whether the tests try every example, and whether they take turns.

        Tests that are named run on any day, and the day of a run is that of its beginning.
        """
        addresses = {
            variable: self.address(name) if name in suite.uses else "" for name, variable in ADDRESSES.items()
        }
        take_turns = not self.choice and not self.arguments and suite.takes_turns
        return {
            **addresses,
            EVERY_EXAMPLE: "1" if self.choice == "all" else "",
            IN_TURN: "1" if take_turns else "",
            DAY: self.day,
        }

    def run(self, suite: Suite, commands: Commands, folder: Path) -> Row:
        heading(f"tests: {suite.name}")
        results = folder / f"{suite.name}.xml"
        # One word for each option: pytest takes a lone path for a place to look for its configuration.
        command = [sys.executable, "-m", "pytest", f"--junitxml={results}", "-m", self.marks(suite)]
        started = time.monotonic()
        places = self.arguments or ([] if self.choice == "all" and suite.words else suite.places)
        code = commands.run([*PATIENTLY, *command, *suite.arguments, *places], self.variables(suite))
        seconds, counts = time.monotonic() - started, counted(results)
        # Arguments may select no test of a suite; then it was skipped.
        no_tests = code == NO_TESTS and (self.arguments or not self.required & set(suite.uses))
        outcome = "skipped" if no_tests else "failed" if code else "passed"
        if code and not no_tests and not counts["failed"] + counts["error"]:
            return Row(suite.name, "failed", seconds, f"pytest ended with {code}", counts)
        tests = ", ".join(f"{counts[name]} {name}" for name in CATEGORIES if counts[name])
        return Row(suite.name, outcome, seconds, f"{tests or 'no tests'}; {self.note(suite)}", counts)


def run_faults(
    commands: Commands,
    required: set[str],
    arguments: Sequence[str],
    folder: Path,
    output: IO[bytes] | None = None,
) -> Row:
    """Inject faults into processes of their own: those of `arguments`. Each counts as a test."""
    results = folder / f"{FAULTS}.xml"
    command = [sys.executable, "-m", "script.faults", f"--results={results}", *arguments]
    if required & {"postgres", "redis"}:
        command.append("--required")
    started = time.monotonic()
    code = commands.run(command, output=output)
    outcome = {0: "passed", NO_TESTS: "skipped"}.get(code, "failed")
    counts = counted(results)
    note = ", ".join(f"{counts[name]} {name}" for name in CATEGORIES if counts[name])
    if outcome == "skipped":
        note = "PostgreSQL or Redis cannot be started here"
    return Row(FAULTS, outcome, time.monotonic() - started, note, counts)


def run_schedules(commands: Commands, required: set[str], folder: Path) -> Row:
    """Run schedules of the day's seed (`script/schedules`). Each counts as a test."""
    results, started = folder / f"{SCHEDULES}.xml", time.monotonic()
    command = [
        sys.executable,
        "-m",
        "script.schedules",
        f"--minutes={SCHEDULES_MINUTES}",
        f"--results={results}",
    ]
    code = commands.run([*PATIENTLY, *command])
    counts, is_required = counted(results), "node" in required
    outcome = {0: "passed", NO_TESTS: "failed" if is_required else "skipped"}.get(code, "failed")
    note = "no node" if code == NO_TESTS else f"{counts['passed']} held, {counts['failed']} did not"
    return Row(SCHEDULES, outcome, time.monotonic() - started, note, counts)


def counted(results: Path) -> Counter[str]:
    """The number of tests that passed, failed, had errors and were skipped, from pytest's report."""
    counts: Counter[str] = Counter()
    if results.exists():
        for suite in ElementTree.parse(results).iter("testsuite"):
            tests, failed, error, skipped = (
                int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
            )
            counts += Counter(
                failed=failed, error=error, skipped=skipped, passed=tests - failed - error - skipped
            )
    return counts


def compile_modules() -> None:
    """Compile what the tests import, once in a new clone and on every core.

    Otherwise each worker and each server that starts at the same time compiles it for itself.
    """
    if (ROOT / "tables" / "__pycache__").exists():
        return
    packages = sysconfig.get_path("purelib")
    command = [
        sys.executable,
        "-m",
        "compileall",
        "-q",
        "-j",
        "0",
        "-x",
        NOT_IMPORTED,
        packages,
        *OWN_PACKAGES,
    ]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)


def run_steps(
    steps: Sequence[str],
    required: set[str],
    arguments: list[str],
    *,
    install_system: bool,
    choice: str,
    faults: Sequence[str] = ("--quick",),
) -> int:
    """Run these steps. `arguments` go to pytest, `faults` to the step that injects them."""
    started = time.monotonic()
    suites = [suite for suite in SUITES.values() if suite.name in steps]
    checks = [check for check in CHECKS if check in steps]
    needed = {name for suite in suites for name in suite.uses}
    if install_system:
        faults = [*faults, "--install-system"]
    rows: list[Row] = []
    commands = Commands()
    with tempfile.TemporaryDirectory(prefix="pitside-test-") as directory:
        folder = Path(directory)
        try:
            if not suites:
                for check in checks:
                    heading(check)
                    rows.append(run_check(check, commands))
                if SCHEDULES in steps:
                    heading(SCHEDULES)
                    rows.append(run_schedules(commands, required, folder))
                if FAULTS in steps:
                    heading(FAULTS)
                    rows.append(run_faults(commands, required, faults, folder))
            else:
                compile_modules()
                beside = Beside(folder)
                beside.start(checks, lambda check, output: run_check(check, commands, output))
                with services.running(
                    needed, required, install_system=install_system, settings=services.FOR_TESTS
                ) as available:
                    if FAULTS in steps:  # not before: both may install the packages of the services
                        beside.start(
                            [FAULTS],
                            lambda _, output: run_faults(commands, required, faults, folder, output),
                        )
                    tests = Tests(available, required, arguments, choice=choice, suites=suites)
                    rows += [tests.missing(suite) or tests.run(suite, commands, folder) for suite in suites]
                if SCHEDULES in steps:
                    heading(SCHEDULES)
                    rows.append(run_schedules(commands, required, folder))
                beside_rows = beside.finish()
                rows = [*(beside_rows[check] for check in checks), *rows]
                rows += [beside_rows[FAULTS]] if FAULTS in steps else []
        finally:
            commands.stop()
    seconds = time.monotonic() - started
    heading("script/test")
    print("\n".join([*table(rows, seconds), "", last_line(rows, seconds)]), flush=True)
    return int(any(row.outcome == "failed" for row in rows))


def services_named(text: str) -> set[str]:
    names = {name.strip() for name in text.split(",") if name.strip()}
    if unknown := names - set(services.PACKAGES):
        choices = ", ".join(services.PACKAGES)
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: choose from {choices}")
    return names


def main(argv: list[str]) -> int:
    cut = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="script/test", description=__doc__)
    parser.add_argument(
        "--require",
        type=services_named,
        default=set(),
        metavar="postgres,redis,browser,node,webkit,containers",
    )
    parser.add_argument(
        "--install-system", action="store_true", help="install missing Debian packages with apt-get, as root"
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--fast", action="store_true", help="the checks, and the quick tests on SQLite")
    choice.add_argument(
        "--all",
        action="store_true",
        help="every test on both databases, all repeated browser stories, every example, and the stories in WebKit",
    )
    choice.add_argument(
        "--containers",
        action="store_true",
        help="docker-compose.yml in Docker or podman, from the first day to a restored backup, and nothing else",
    )
    choice.add_argument(
        "--faults",
        action="store_true",
        help="inject every fault, for half an hour, and nothing else",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[*CHECKS, *SUITES, SCHEDULES, FAULTS],
        metavar="STEP",
        help="run these steps only",
    )
    parser.add_argument("-k", metavar="EXPRESSION", help="passed to pytest")
    options = parser.parse_args(argv[:cut])
    arguments = argv[cut + 1 :] + (["-k", options.k] if options.k else [])
    # A selection of tests selects no schedule and no fault.
    suites = [name for name, suite in SUITES.items() if options.all or not suite.is_part_of_all_only]
    default = [*CHECKS, *suites] if arguments else [*CHECKS, *suites, SCHEDULES, FAULTS]
    steps = options.only or ([*CHECKS, "sqlite"] if options.fast else default)
    if options.faults or options.containers:
        steps = [FAULTS] if options.faults else ["containers"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run_steps(
            steps,
            options.require,
            arguments,
            install_system=options.install_system,
            choice="fast" if options.fast else "all" if options.all else "",
            faults=arguments if options.faults else ["--quick"] if options.all else ["--quick", "--of-today"],
        )
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
