"""Runs every check and every test, and tells in a closing table what ran, what was left out, and why.

Steps: format, lint, types, migrations, imports; then the tests, as three legs: sqlite (and the in-memory layer),
services (PostgreSQL and Redis) and browser (Chromium). The first two run beside each other where the third follows;
the browser's has the machine to itself. What follows `--` goes to pytest in each leg.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from script import services
from script.ladder import ROOT, Found
from script.results import Results, Row, table

BIN = Path(sys.executable).parent
CHECKS = ("format", "lint", "types", "migrations", "imports")
LEGS = ("sqlite", "services", "browser")
NEEDS = {
    "sqlite": {"node"},
    "services": {"postgres", "redis", "node"},
    "browser": {"postgres", "redis", "browser"},
}
REQUIRABLE = tuple(services.PACKAGES)
ADDRESSES = ("TEST_DATABASE_URL", "TEST_REDIS_URL", "CHROMIUM_PATH")


def commands(check: str) -> list[list[str]]:
    """The command lines of a check, each of which must end with 0."""
    match check:
        case "format":
            templates = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*.html"))
            ours = [[str(BIN / "ruff"), "format", "--check", "."]]
            return ours + ([[str(BIN / "djade"), "--check", *templates]] if templates else [])
        case "lint":
            return [[str(BIN / "ruff"), "check", "."], [str(BIN / "oxlint"), "static/js", "tests"]]
        case "types":
            return [[str(BIN / "mypy")]]
        case "migrations":
            return [[sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]]
        case "imports":
            return [[str(BIN / "lint-imports"), "--no-logo"]]
    raise ValueError(check)


def start(
    command: Sequence[str], addresses: dict[str, str] | None = None, output: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """One command, begun. With `output`, what it says is kept there."""
    given = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test", **(addresses or {})}
    environment = {name: value for name, value in given.items() if value or name not in ADDRESSES}
    errors = subprocess.STDOUT if output else None
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=errors)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C reaches a command too, and it gets the time to clear up."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def run(command: Sequence[str], addresses: dict[str, str] | None = None) -> int:
    """One command to its end."""
    with start(command, addresses) as process:
        try:
            return process.wait()
        except BaseException:
            stop(process)
            raise


def heading(step: str) -> None:
    print(f"\n── {step} ".ljust(80, "─"), flush=True)


def run_check(check: str) -> Row:
    heading(check)
    started = time.monotonic()
    codes = [run(command) for command in commands(check)]
    outcome = "failed" if any(codes) else "passed"
    row = Row(check, outcome, time.monotonic() - started)
    print(f"{check} {outcome} in {row.seconds:.1f} s", flush=True)
    return row


class Tests:
    """The legs of the tests, with the services that were found for them."""

    def __init__(self, found: dict[str, Found], required: set[str], arguments: list[str], path: Path) -> None:
        self.found, self.required, self.arguments, self.path = found, required, arguments, path

    def address(self, service: str) -> str:
        return self.found[service].address if service in self.found else ""

    def missing(self, leg: str) -> Row | None:
        """The row of a leg that cannot run, or that lacks what `--require` names."""
        lacking = [name for name in REQUIRABLE if name in NEEDS[leg] and not self.address(name)]
        why = ". ".join(f"no {name} ({self.found[name].told})" for name in lacking)
        if self.required & set(lacking):
            return Row(leg, "failed", 0, f"required: {why}")
        needed = {"postgres", "redis"} if leg == "services" else {"browser"}
        if leg != "sqlite" and needed <= set(lacking):
            return Row(leg, "skipped", 0, why)
        return None

    def marks(self, leg: str) -> str:
        if leg == "browser":
            return "browser"
        if leg == "sqlite":
            return "not browser and not postgres and not redis"
        left_out = [name for name in ("postgres", "redis") if not self.address(name)]
        only = "redis and " if "postgres" in left_out else ""  # the rest ran on SQLite already
        return only + " and ".join(f"not {name}" for name in ["browser", *left_out])

    def note(self, leg: str) -> str:
        told = [f"{n}: {self.found[n].told}" for n in REQUIRABLE if n in NEEDS[leg] and self.address(n)]
        lacking = [n for n in REQUIRABLE if n in NEEDS[leg] and not self.address(n)]
        return "; ".join(told + [f"without {n} ({self.found[n].told})" for n in lacking])

    def addresses(self, leg: str) -> dict[str, str]:
        return {
            "TEST_DATABASE_URL": self.address("postgres") if leg != "sqlite" else "",
            "TEST_REDIS_URL": self.address("redis") if leg != "sqlite" else "",
            "CHROMIUM_PATH": self.address("browser") if leg == "browser" else "",
        }

    def command(self, leg: str, path: Path, *, last: bool) -> list[str]:
        # One word for each option: pytest takes a lone path for a place to look for its configuration.
        return (
            [
                sys.executable,
                "-m",
                "pytest",
                "-p",
                "script.legs",
                f"--leg={leg}",
                f"--leg-note={self.note(leg)}",
            ]
            + [f"--leg-started={time.time()}", f"--results={path}", "-m", self.marks(leg)]
            + (["--leg-required"] if NEEDS[leg] & self.required and not self.arguments else [])
            + (["--database-only"] if leg == "services" else [])
            + (["--closing"] if last else [])
            + self.arguments
        )

    def run(self, leg: str, *, last: bool) -> Row | None:
        """Runs a leg. Its pytest notes its own row; a row is returned only when it could not."""
        heading(f"tests: {leg}")
        before = len(Results.read(self.path).rows)
        started = time.monotonic()
        code = run(self.command(leg, self.path, last=last), self.addresses(leg))
        if len(Results.read(self.path).rows) == before:
            return Row(leg, "failed", time.monotonic() - started, f"pytest ended with {code}")
        return None

    @contextmanager
    def beside(self, leg: str) -> Iterator[None]:
        """Runs a leg while the body runs another; then what it said and its results, in one piece."""
        path, said = self.path.with_name(f"{leg}.json"), self.path.with_name(f"{leg}.txt")
        Results().write(path)
        started = time.monotonic()
        with said.open("wb") as output:
            process = start(self.command(leg, path, last=False), self.addresses(leg), output)
            try:
                yield
                code = process.wait()
            finally:
                stop(process)
        heading(f"tests: {leg}")
        print(said.read_text(errors="replace"), flush=True)
        mine = Results.read(path)
        mine.rows = mine.rows or [Row(leg, "failed", time.monotonic() - started, f"pytest ended with {code}")]
        Results.read(self.path).joined(mine).write(self.path)


def go(steps: list[str], required: set[str], install_system: bool, arguments: list[str]) -> int:
    legs = [step for step in LEGS if step in steps]
    wanted = set[str]().union(*(NEEDS[leg] for leg in legs))
    results = Results()
    with tempfile.TemporaryDirectory(prefix="pitside-test-") as directory:
        path = Path(directory) / "results.json"
        for check in CHECKS:
            if check in steps:
                results.rows.append(run_check(check))
        with services.running(wanted, required, install_system=install_system) as found:
            tests = Tests(found, required, arguments, path)
            missing = {leg: row for leg in legs if (row := tests.missing(leg))}
            results.rows += missing.values()
            results.write(path)
            ready = [leg for leg in legs if leg not in missing]
            told, alone = False, ready
            if ready[:2] == ["sqlite", "services"] and len(ready) == len(LEGS):
                alone = ready[2:]
                with tests.beside("sqlite"):
                    failed = tests.run("services", last=False)
                results = Results.read(path)
                results.rows += [failed] if failed else []
                results.write(path)
            for leg in alone:
                row = tests.run(leg, last=leg == ready[-1])
                results = Results.read(path)
                told = leg == ready[-1] and row is None
                if row:
                    results.rows.append(row)
                    results.write(path)
        if not told:
            heading("script/test")
            print("\n".join(table(results.rows)))
    return int(any(row.outcome == "failed" for row in results.rows))


def services_named(text: str) -> set[str]:
    names = {name.strip() for name in text.split(",") if name.strip()}
    if unknown := names - set(REQUIRABLE):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: choose from {', '.join(REQUIRABLE)}")
    return names


def main(argv: list[str]) -> int:
    cut = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="script/test", description=__doc__)
    parser.add_argument(
        "--require", type=services_named, default=set(), metavar="postgres,redis,browser,node"
    )
    parser.add_argument(
        "--install-system", action="store_true", help="may apt-get what is missing, as root on Debian"
    )
    parser.add_argument(
        "--only", nargs="+", choices=[*CHECKS, *LEGS], metavar="STEP", help="run these steps only"
    )
    parser.add_argument("-k", metavar="EXPRESSION", help="passed to pytest")
    asked = parser.parse_args(argv[:cut])
    arguments = argv[cut + 1 :] + (["-k", asked.k] if asked.k else [])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return go(asked.only or [*CHECKS, *LEGS], asked.require, asked.install_system, arguments)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
