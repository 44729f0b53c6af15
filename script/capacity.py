"""What an installation carries, calculated from the committed figures of `script/bench`, for docs/capacity.md.

Nothing here is measured: each row says from which figures it comes. A core counts as full at `USABLE`, because queues
grow beyond.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from script.figures import Committed, Run

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "capacity.md"
BEGIN, END = "<!-- begin capacity -->", "<!-- end capacity -->"
USABLE = 0.7
ROUNDS_AN_HOUR = 60
ACTS_A_ROUND = 16
HOURS_A_YEAR = 365 * 16  # tables that are dealt for sixteen hours a day
PART = "floor"


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
        return cls(
            web * share,
            figures["postgres_core"] * share,
            figures["redis_core"] * share,
            figures["stored_bytes"],
            figures["wal_bytes"],
        )

    @property
    def all(self) -> float:
        return self.web + self.postgres + self.redis

    def tables(self, *, web_cores: float, postgres_cores: float) -> int:
        """How many tables fit when web workers and PostgreSQL have cores of their own: the first limit counts."""
        return int(USABLE * min(web_cores / self.web, postgres_cores / self.postgres))

    def tables_on_shared(self, cores: float) -> int:
        """How many tables fit when everything shares these cores."""
        return int(USABLE * cores / self.all)


def lines(committed: Committed) -> Iterator[str]:
    """The generated part of docs/capacity.md."""
    run = committed.runs.get(PART)
    if run is None:
        yield "The floor was not measured yet: `script/bench --only floor --write`."
        return
    cost = TableCost.of(run)
    figures = {figure.key: figure for figure in run.figures}
    floor = f"From the floor of {figures['floor.tables'].text} tables of {run.day}, commit {run.commit}: {run.machine};"
    yield f"{floor} load average before the run {run.load}."
    yield ""
    yield f"| one table at {ROUNDS_AN_HOUR} rounds an hour, {ACTS_A_ROUND} acts a round | |"
    yield "|---|---|"
    yield f"| web workers | {1_000 * cost.web:.2f} thousandths of a core |"
    yield f"| PostgreSQL | {1_000 * cost.postgres:.2f} thousandths of a core |"
    yield f"| Redis | {1_000 * cost.redis:.2f} thousandths of a core |"
    yield f"| database, with indexes | {cost.act_bytes / 1_000:.1f} kB an act |"
    yield f"| write-ahead log | {cost.act_wal_bytes / 1_000:.1f} kB an act |"
    yield ""
    yield f"| calculated for cores that are used to {USABLE:.0%} | tables |"
    yield "|---|---|"
    yield f"| everything on one machine of two cores | {cost.tables_on_shared(2):,} |"
    yield f"| everything on one machine of four cores | {cost.tables_on_shared(4):,} |"
    for workers, postgres_cores in ((2, 2), (4, 2), (8, 4)):
        tables = cost.tables(web_cores=workers, postgres_cores=postgres_cores)
        yield f"| {workers} workers on cores of their own, PostgreSQL on {postgres_cores} | {tables:,} |"
    alone = int(USABLE / cost.postgres)
    yield f"| what one core of PostgreSQL carries, with as many workers as it takes | {alone:,} |"
    yield f"| what one Redis carries (it uses one core) | {int(USABLE / cost.redis):,} |"
    yield ""
    yield "| calculated for a year of sixteen hours a day | entries | database | write-ahead log |"
    yield "|---|---|---|---|"
    for tables in (20, 100, 300, 1_000):
        acts = tables * ROUNDS_AN_HOUR * ACTS_A_ROUND * HOURS_A_YEAR
        stored, wal = acts * cost.act_bytes / 1e9, acts * cost.act_wal_bytes / 1e9
        yield f"| {tables:,} tables | {acts / 1e6:,.0f} million | {stored:,.0f} GB | {wal:,.0f} GB |"


def write_page(committed: Committed, path: Path = PAGE) -> None:
    """Replace the generated part of docs/capacity.md."""
    head, _, remainder = path.read_text("utf-8").partition(BEGIN)
    _, _, tail = remainder.partition(END)
    generated = "\n".join(lines(committed))
    path.write_text(f"{head}{BEGIN}\n\n{generated}\n\n{END}{tail}", "utf-8")
