"""What an installation carries, calculated from the committed figures of `script/bench` (docs/capacity.md).

Nothing here is measured: each row says from which figures it comes. A core counts as full at `USABLE`, because queues
grow beyond.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from script.figures import Committed, Run

USABLE = 0.7
ROUNDS_AN_HOUR = 60
ACTS_A_ROUND = 16
HOURS_A_YEAR = 365 * 16  # tables that are dealt for sixteen hours a day


@dataclass(frozen=True)
class TableCost:
    """What one table with its tablet and its share of the dashboards uses at `ROUNDS_AN_HOUR`, in cores and bytes."""

    web: float
    postgres: float
    redis: float
    act_bytes: float
    act_wal_bytes: float

    @classmethod
    def of(cls, run: Run) -> "TableCost":
        """The cost of a measured floor, for each act. Raises KeyError if a figure is missing."""
        figures = {figure.key.partition(".")[2]: figure.value for figure in run.figures}
        acts_a_second = ACTS_A_ROUND * ROUNDS_AN_HOUR / 3_600
        share = acts_a_second / figures["acts_a_second"] / 100  # of percents of a core
        web = sum(value for key, value in figures.items() if key.startswith("web-") and key.endswith("_core"))
        postgres, redis = (figures[f"{name}_core"] * share for name in ("postgres", "redis"))
        return cls(web * share, postgres, redis, figures["stored_bytes"], figures["wal_bytes"])

    def tables(self, *, web_cores: float, postgres_cores: float) -> int:
        """How many tables fit when web workers and PostgreSQL have cores of their own: the first limit counts."""
        return int(USABLE * min(web_cores / self.web, postgres_cores / self.postgres))


def lines(committed: Committed) -> Iterator[str]:
    """The page, in Markdown."""
    run = committed.runs.get("floor")
    if run is None:
        yield "The floor was not measured yet: `script/bench --only floor --write`."
        return
    cost = TableCost.of(run)
    figures = {figure.key: figure for figure in run.figures}
    floor = f"From the floor of {figures['floor.tables'].text} tables of {run.day}, commit {run.commit}: {run.machine};"
    yield f"{floor} load average before the run {run.load}."
    yield from _table(
        (f"one table at {ROUNDS_AN_HOUR} rounds an hour, {ACTS_A_ROUND} acts a round", ""),
        ("web workers", f"{1_000 * cost.web:.2f} thousandths of a core"),
        ("PostgreSQL", f"{1_000 * cost.postgres:.2f} thousandths of a core"),
        ("Redis", f"{1_000 * cost.redis:.2f} thousandths of a core"),
        ("database, with indexes", f"{cost.act_bytes / 1_000:.1f} kB an act"),
        ("write-ahead log", f"{cost.act_wal_bytes / 1_000:.1f} kB an act"),
    )
    shared = USABLE / (cost.web + cost.postgres + cost.redis)
    yield from _table(
        (f"calculated for cores that are used to {USABLE:.0%}", "tables"),
        ("everything on one machine of two cores", f"{int(2 * shared):,}"),
        ("everything on one machine of four cores", f"{int(4 * shared):,}"),
        *(
            (
                f"{workers} workers on cores of their own, PostgreSQL on {cores}",
                f"{cost.tables(web_cores=workers, postgres_cores=cores):,}",
            )
            for workers, cores in ((2, 2), (4, 2), (8, 4))
        ),
        (
            "what one core of PostgreSQL carries, with as many workers as it takes",
            f"{int(USABLE / cost.postgres):,}",
        ),
        ("what one Redis carries (it uses one core)", f"{int(USABLE / cost.redis):,}"),
    )
    years = []
    for tables in (20, 100, 300, 1_000):
        acts = tables * ROUNDS_AN_HOUR * ACTS_A_ROUND * HOURS_A_YEAR
        sizes = (f"{acts * size / 1e9:,.0f} GB" for size in (cost.act_bytes, cost.act_wal_bytes))
        years.append((f"{tables:,} tables", f"{acts / 1e6:,.0f} million", *sizes))
    head = "calculated for a year of sixteen hours a day"
    yield from _table((head, "entries", "database", "write-ahead log"), *years)


def _table(head: tuple[str, ...], *rows: tuple[str, ...]) -> Iterator[str]:
    """A table in Markdown, after an empty line."""
    yield ""
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"
