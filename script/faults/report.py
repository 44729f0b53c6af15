"""What a run prints, and the table of docs/faults.md."""

import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from script.faults.trial import Trial
from script.generated_docs import GeneratedPart
from script.service_finder import ROOT

PART = GeneratedPart(ROOT / "docs" / "faults.md", "faults", "script/test --faults")
OUTCOME = re.compile(r"Seed \d+: \d+ of \d+ faults held")
# Folders and addresses of memory, which differ in every run.
OF_THIS_RUN = re.compile(r"/\S*pitside-faults-\w+/| at 0x[0-9a-f]+")
MESSAGES_SHOWN = 4


def headline(trial: Trial) -> str:
    """One line about a trial."""
    outcome = "FAILED" if trial.failed else "held" if trial.held else "gap"
    return (
        f"{trial.fault.name:<28} {outcome:<6}  right after {trial.seconds:4.1f} s  "
        f"{trial.fates['taken']:3d} acts taken, {trial.fates['refused']:2d} refused, "
        f"{trial.asked_again:2d} asked again  ({trial.duration:.0f} s)  {refusals(trial)}".rstrip()
    )


def refusals(trial: Trial) -> str:
    """The refused acts by status and code."""
    return ", ".join(f"{count} × {refusal}" for refusal, count in trial.refusals.most_common())


def how_to_repeat(trial: Trial, seed: int) -> str:
    return f"Run it again:  script/test --faults -- --seed {seed} --only {trial.fault.name}"


def operator_lines(trial: Trial) -> list[str]:
    """What an operator read: each message of each process, with how often, the most frequent first."""
    counts: Counter[str] = Counter()
    for line in trial.log:
        fields = line.fields
        process = line.process.partition("-")[0]
        if process in ("postgres", "redis"):
            continue
        if fields is not None and fields["level"] != "info":
            message = OF_THIS_RUN.sub("", str(fields["message"]).splitlines()[0])
            counts[f"{process} {fields['level']}: {message[:110]}"] += 1
        elif fields is None and line.text.startswith(("ERROR", "Traceback")):
            counts[f"{process}, not JSON: {line.text[:110]}"] += 1
    return [f"{count} × {message}" for message, count in counts.most_common()]


def kilobytes(trial: Trial) -> float:
    """What the product's processes logged."""
    own = (line for line in trial.log if line.process not in ("postgres", "redis"))
    return sum(len(line.text) + 1 for line in own) / 1_000


def table(
    trials: Sequence[Trial], seed: int, before: str = "", skipped: Mapping[str, str] | None = None
) -> str:
    """The tables of docs/faults.md.

    `before` is what the run before said of itself, `skipped` why faults were not tried, by their names.
    """
    held = sum(trial.held for trial in trials)
    outcome = f"Seed {seed}: {held} of {len(trials)} faults held"
    lines = [
        f"{outcome}. {platform.system()}, Python {platform.python_version()}."
        + (before and f" Run before: {before}.")
        + "".join(f" Not tried: `{name}`, because {why}." for name, why in (skipped or {}).items()),
        "",
        "| fault | held | seconds until right | acts taken, refused, asked again | slowest act, s | log, kB |",
        "|---|---|---|---|---|---|",
    ]
    for trial in trials:
        reasons = [trial.fault.gap] if trial.fault.gap else trial.problems[:2]
        held_text = "yes" if trial.held else "**no**: " + "; ".join(reasons).replace("|", "/")
        fates = f"{trial.fates['taken']}, {trial.fates['refused']}, {trial.asked_again}"
        lines.append(
            f"| `{trial.fault.name}`: {trial.fault.title} | {held_text} | {trial.seconds:.1f} | {fates} "
            f"| {trial.slowest:.1f} | {kilobytes(trial):.0f} |"
        )
    lines += [
        "",
        "### What an operator read",
        "",
        "| fault | lines above `info`, the most frequent first |",
        "|---|---|",
    ]
    for trial in trials:
        messages = operator_lines(trial)
        more = [f"and {len(messages) - MESSAGES_SHOWN} more"] if len(messages) > MESSAGES_SHOWN else []
        text = "; ".join([*messages[:MESSAGES_SHOWN], *more]) or "nothing"
        lines.append(f"| `{trial.fault.name}` | {text.replace('|', '/')} |")
    return "\n".join(lines)


def write_results(trials: Sequence[Trial], path: Path) -> None:
    """Write how many faults held and failed, as pytest does, for the last line of script/test."""
    failed = sum(trial.failed for trial in trials)
    counts = {"tests": str(len(trials)), "failures": str(failed), "errors": "0", "skipped": "0"}
    ElementTree.ElementTree(ElementTree.Element("testsuite", counts)).write(path)


def write(trials: Sequence[Trial], seed: int, skipped: Mapping[str, str] | None = None) -> None:
    """Replace the table of docs/faults.md."""
    text = PART.page.read_text("utf-8")
    newest = OUTCOME.search(PART.current(text))
    generated = table(trials, seed, newest[0] if newest else "", skipped)
    PART.page.write_text(PART.replaced(text, generated), "utf-8")
