"""What a run prints, and docs/faults.json with the page that is made of it."""

import json
import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict
from xml.etree import ElementTree

from script.faults.ground import MachineFault
from script.faults.trial import Trial
from script.service_finder import ROOT

FILE = ROOT / "docs" / "faults.json"
# Folders and addresses of memory, which differ in every run.
OF_THIS_RUN = re.compile(r"/\S*pitside-faults-\w+/| at 0x[0-9a-f]+")
MESSAGES_SHOWN = 4


class Result(TypedDict):
    """What one fault did. `problems` is empty if everything held; `lines` are those that an operator read."""

    fault: str
    title: str
    problems: list[str]
    seconds: float
    taken: int
    refused: int
    asked_again: int
    slowest: float
    log_kb: int
    lines: list[str]


class Run(TypedDict):
    """A run of all faults. `skipped`: why a fault was not tried, by its name."""

    seed: int
    system: str
    before: str
    skipped: dict[str, str]
    trials: list[Result]


def headline(trial: Trial) -> str:
    """One line about a trial."""
    outcome = "held" if trial.held else "FAILED"
    return (
        f"{trial.fault.name:<28} {outcome:<6}  right after {trial.seconds:4.1f} s  "
        f"{trial.fates['taken']:3d} acts taken, {trial.fates['refused']:2d} refused, "
        f"{trial.asked_again:2d} asked again  ({trial.duration:.0f} s)  {refusals(trial)}".rstrip()
    )


def refusals(trial: Trial) -> str:
    """The refused acts by status and code."""
    return ", ".join(f"{count} × {refusal}" for refusal, count in trial.refusals.most_common())


def write_log(trial: Trial) -> Path:
    """Write all that was logged since a fault, to find its cause in. Returns the file."""
    path = ROOT / ".script" / f"faults-{trial.fault.name}.log"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line.moment:.2f} {line.process} {line.text}\n" for line in trial.log), "utf-8")
    return path


def how_to_repeat(trial: Trial, seed: int) -> str:
    machines = "--machines " if isinstance(trial.fault, MachineFault) else ""
    return f"Run it again:  script/test --faults -- {machines}--seed {seed} --only {trial.fault.name}"


def operator_lines(trial: Trial) -> list[str]:
    """What an operator read: each message of each process, with how often, the most frequent first."""
    counts: Counter[str] = Counter()
    for line in trial.log:
        fields = line.fields
        process = line.process.partition("-")[0]
        if not line.is_of_product:
            continue
        if fields is not None and fields["level"] != "info":
            message = OF_THIS_RUN.sub("", str(fields["message"]).splitlines()[0])
            counts[f"{process} {fields['level']}: {message[:110]}"] += 1
        elif fields is None and line.text.startswith(("ERROR", "Traceback")):
            counts[f"{process}, not JSON: {line.text[:110]}"] += 1
    return [f"{count} × {message}" for message, count in counts.most_common()]


def kilobytes(trial: Trial) -> float:
    """What the product's processes logged."""
    own = (line for line in trial.log if line.is_of_product)
    return sum(len(line.text) + 1 for line in own) / 1_000


def run_of(
    trials: Sequence[Trial], seed: int, before: str = "", skipped: Mapping[str, str] | None = None
) -> Run:
    """What `docs/faults.json` keeps of a run. `before` is what the run before said of itself."""
    return {
        "seed": seed,
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "before": before,
        "skipped": dict(skipped or {}),
        "trials": [_result(trial) for trial in trials],
    }


def _result(trial: Trial) -> Result:
    messages = operator_lines(trial)
    more = [f"and {len(messages) - MESSAGES_SHOWN} more"] if len(messages) > MESSAGES_SHOWN else []
    return {
        "fault": trial.fault.name,
        "title": trial.fault.title,
        "problems": trial.problems[:2],
        "seconds": round(trial.seconds, 1),
        "taken": trial.fates["taken"],
        "refused": trial.fates["refused"],
        "asked_again": trial.asked_again,
        "slowest": round(trial.slowest, 1),
        "log_kb": round(kilobytes(trial)),
        "lines": [*messages[:MESSAGES_SHOWN], *more],
    }


def headline_of(run: Run) -> str:
    held = sum(not result["problems"] for result in run["trials"])
    return f"Seed {run['seed']}: {held} of {len(run['trials'])} faults held"


def page(run: Run) -> str:
    """The page of a run, in Markdown."""
    lines = [
        "# What the faults did",
        "",
        f"{headline_of(run)}. {run['system']}."
        + (run["before"] and f" Run before: {run['before']}.")
        + "".join(f" Not tried: `{name}`, because {why}." for name, why in run["skipped"].items()),
        "",
        "| fault | held | seconds until right | acts taken, refused, asked again | slowest act, s | log, kB |",
        "|---|---|---|---|---|---|",
    ]
    for result in run["trials"]:
        held_text = (
            "**no**: " + "; ".join(result["problems"]).replace("|", "/") if result["problems"] else "yes"
        )
        fates = f"{result['taken']}, {result['refused']}, {result['asked_again']}"
        lines.append(
            f"| `{result['fault']}`: {result['title']} | {held_text} | {result['seconds']:.1f} | {fates} "
            f"| {result['slowest']:.1f} | {result['log_kb']} |"
        )
    lines += [
        "",
        "## What an operator read",
        "",
        "| fault | lines above `info`, the most frequent first |",
        "|---|---|",
    ]
    for result in run["trials"]:
        text = "; ".join(result["lines"]) or "nothing"
        lines.append(f"| `{result['fault']}` | {text.replace('|', '/')} |")
    return "\n".join([*lines, ""])


def write_results(trials: Sequence[Trial], path: Path) -> None:
    """Write how many faults held and failed, as pytest does, for the last line of script/test."""
    write_counts(path, len(trials), sum(not trial.held for trial in trials))


def write_counts(path: Path, tests: int, failed: int) -> None:
    """Write how many tests there were, and how many failed, as pytest does."""
    counts = {"tests": str(tests), "failures": str(failed), "errors": "0", "skipped": "0"}
    ElementTree.ElementTree(ElementTree.Element("testsuite", counts)).write(path)


def write(trials: Sequence[Trial], seed: int, skipped: Mapping[str, str] | None = None) -> None:
    """Replace docs/faults.json. `python -m script.reference` makes a page of it."""
    before = headline_of(read()) if FILE.exists() else ""
    run = run_of(trials, seed, before, skipped)
    FILE.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read() -> Run:
    """The newest committed run."""
    run: Run = json.loads(FILE.read_text("utf-8"))
    return run
