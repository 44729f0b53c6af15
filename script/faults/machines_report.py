"""The page of what the faults of two machines did, which the run itself writes into the documents."""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence

from script.faults.ground import MachineFault
from script.faults.machines import PATH
from script.faults.price import Latency, Price
from script.faults.trial import Trial
from script.service_finder import ROOT

FILE = ROOT / "docs" / "faults.md"
# What a reader counts, by the names of the invariants that say it.
COUNTS = {
    "lost": ("acknowledged_acts_are_recorded",),
    "twice": ("acts_are_recorded_once", "rounds_are_settled_once", "fills_move_once"),
    "falsely said": ("refused_acts_are_not_recorded",),
    "out of order": ("acts_are_in_the_order_of_time",),
}
VERSIONS = {
    "PostgreSQL": ("postgres", "--version"),
    "etcd": ("etcd", "--version"),
    "HAProxy": ("haproxy", "-v"),
    "keepalived": ("keepalived", "--version"),
    "Redis": ("redis-server", "--version"),
}
HEAD = """# Two machines: what the faults did

For those who decide on two machines ([operation](operation.md#two-machines)). The run itself writes this page:

```
script/test --install-system --faults -- --machines
```

It needs Linux, root and about twenty minutes, and says what is missing. Each machine is a network namespace with the
files of `deploy/ha`: etcd, PostgreSQL under Patroni, Redis, a worker, ticker, sealer, HAProxy and keepalived; a third
has etcd alone. Four tables, a podium and the cage play while one fault after another is injected.

* **lost**: acts that were acknowledged and are not on the record. **twice**: acts or payouts that are there twice.
* **falsely said**: acts of which a tablet said *Not taken*, and which were taken.
* **out of order**: acts of a table that were acknowledged before another one was sent, and come after it.
* **pause**: the longest time in which one table took no act, in seconds. **who acts**: until tables play again.

A fault that did not happen counts as one that did not hold.
"""
PRICE = (
    "From the tap to the answer, in turns within the same run, at a load of {:.1f}. Both machines have one disk and no "
    "cable here: a network adds its round trip to each act."
)


def page(trials: Sequence[Trial], price: Price, seed: int) -> str:
    """The page, in Markdown."""
    lines = [
        HEAD,
        f"{headline(trials, seed)}. {system()}.",
        "",
        f"| fault | held | {' | '.join(COUNTS)} | pause | acts taken, asked again | load | who acts |",
        "|---|---|" + "---|" * len(COUNTS) + "---|---|---|---|",
        *map(row, trials),
        "",
        "## The price of the synchronous standby",
        "",
        PRICE.format(price.load_average),
        "",
        "| `synchronous` | acts | half within | 99 of 100 within |",
        "|---|---|---|---|",
        _price_row("true", price.synchronous),
        _price_row("false", price.asynchronous),
        "",
        "With `false` a primary that is lost takes the acts of its last moments with it.",
    ]
    return "\n".join([*lines, ""])


def headline(trials: Sequence[Trial], seed: int) -> str:
    """How many of the faults held."""
    return f"Seed {seed}: {sum(trial.held for trial in trials)} of {len(trials)} faults held"


def system() -> str:
    """Where the run was."""
    cores = f"{os.cpu_count()} cores with other work (their load is in the table)"
    return f"{platform.system()}, {cores}, Python {platform.python_version()}, {versions()}"


def row(trial: Trial) -> str:
    """One line of the table."""
    assert isinstance(trial.fault, MachineFault)
    problems = "; ".join(trial.problems[:2]).replace("|", "/")
    counts = [
        str(sum(len(trial.violations.get(name, ())) for name in names)) if trial.violations else "?"
        for names in COUNTS.values()
    ]
    return (
        f"| `{trial.fault.name}`: {trial.fault.title} | {f'**no**: {problems}' if problems else 'yes'} "
        f"| {' | '.join(counts)} | {trial.pause:.1f} | {trial.fates['taken']}, {trial.asked_again} "
        f"| {trial.load_average:.1f} | {trial.fault.who_acts} |"
    )


def _price_row(setting: str, latency: Latency) -> str:
    return f"| `{setting}` | {latency.acts} | {latency.half:.0f} ms | {latency.most:.0f} ms |"


def versions() -> str:
    """The versions of the programs of others."""
    lock = (ROOT / "requirements" / "patroni.txt").read_text()
    told = [
        next(line.split()[0].replace("==", " ") for line in lock.splitlines() if line.startswith("patroni=="))
    ]
    for name, command in VERSIONS.items():
        program = shutil.which(command[0], path=PATH)
        if program is None:
            continue
        done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
        words = (done.stdout + done.stderr).split()
        version = next(word.strip("v=,") for word in words if any(character.isdigit() for character in word))
        told.append(f"{name} {version}")
    return ", ".join(told).replace("patroni", "Patroni")


def write(trials: Sequence[Trial], price: Price, seed: int) -> None:
    """Replace the page."""
    FILE.write_text(page(trials, price, seed), "utf-8")
