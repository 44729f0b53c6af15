"""Rules, board and runbook name what the product has, and the rules call for faults and for nothing else."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from audit import metrics
from config import handler  # its figure is in the registry once it is imported
from tables.monitoring import FIGURES, Installation, Pool

ROOT = Path(__file__).resolve().parents[1]
MONITORING = ROOT / "deploy" / "monitoring"
RULES = MONITORING / "rules.yml"
# Of Prometheus itself, and of node_exporter on the database's machine
OF_OTHERS = {"up", "ALERTS", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"}
OF_A_PROCESS = {"process_resident_memory_bytes", "process_cpu_seconds_total"}
OF_COLLECTORS = {
    "pitside_figures_missing", "pitside_figures_read_seconds", "pitside_database_connections",
    "pitside_database_waiting",
}  # fmt: skip
METRIC = re.compile(r"\b((?:pitside|node|process)_\w+)")


def rules() -> list[dict]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def alerts() -> list[dict]:
    return [rule for rule in rules() if "alert" in rule]


def product_metrics() -> set[str]:
    """Every name that a process serves, with what a histogram and a counter append."""
    assert handler.metrics is metrics
    families = list(metrics.REGISTRY.collect())
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
    names = {f"{family.name}{suffix}" for family in families for suffix in suffixes.get(family.type, ("",))}
    return names | {figure.name for figure in FIGURES} | OF_COLLECTORS | OF_A_PROCESS


def expressions() -> list[str]:
    board = json.loads((MONITORING / "grafana" / "pitside.json").read_text())
    shown = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    return [rule["expr"] for rule in rules()] + shown


def test_every_metric_of_the_rules_and_the_board_is_one_of_the_product():
    named = {name for expression in expressions() for name in METRIC.findall(expression)}
    assert len(named) > 30
    assert named - product_metrics() - OF_OTHERS == set()


@pytest.mark.django_db
def test_the_names_that_collectors_make_themselves_are_those_that_are_listed(monkeypatch):
    monkeypatch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.close", lambda _self: None)
    made = {family.name for family in Installation("default").collect()}
    assert made - {figure.name for figure in FIGURES} <= OF_COLLECTORS
    source = Path(ROOT / "tables" / "monitoring.py").read_text()
    assert all(f'"{name}"' in source for name in OF_COLLECTORS) and Pool().collect() is not None


def test_every_figure_of_the_product_is_on_the_board():
    text = "\n".join(expressions())
    families = [family.name for family in metrics.REGISTRY.collect() if family.name.startswith("pitside_")]
    missing = [name for name in [*families, *(figure.name for figure in FIGURES)] if name not in text]
    assert missing == []


def test_the_second_of_an_act_that_is_slow_is_a_bucket_of_its_histogram():
    bounds = {float(bound) for bound in re.findall(r'le="([\d.]+)"', RULES.read_text())}
    assert bounds <= set(metrics.SECONDS)
    metrics.TAP_TO_COMMIT.labels("table")
    labels = {
        sample.labels["le"]
        for family in metrics.TAP_TO_COMMIT.collect()
        for sample in family.samples
        if sample.name.endswith("_bucket")
    }
    assert set(re.findall(r'le="([\d.]+)"', RULES.read_text())) <= labels


def test_every_alert_says_who_is_called_and_what_has_happened():
    names = [rule["alert"] for rule in alerts()]
    assert len(names) == len(set(names)) > 20
    assert {rule["labels"]["severity"] for rule in alerts()} == {"page", "ticket"}
    assert all(rule["annotations"]["summary"].endswith(".") for rule in alerts())


def test_every_process_of_the_installation_is_asked_and_listens():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    own = yaml.safe_load((MONITORING / "docker-compose.yml").read_text())["services"]
    jobs = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["scrape_configs"]
    targets = [target for job in jobs for config in job["static_configs"] for target in config["targets"]]
    listening = {
        name for name, service in own.items() if "PITSIDE_METRICS_LISTEN" in service.get("environment", {})
    }
    assert {target.partition(":")[0] for target in targets} == listening
    assert listening == {"web-1", "web-2", "ticker", "exporter", "sealer"} < set(compose)
    named = {
        target.partition(":")[0]: config["labels"]["process"]
        for job in jobs
        for config in job["static_configs"]
        for target in config["targets"]
    }
    assert named == {
        name: name for name in listening
    }  # by this name the runbook restarts what a call is about
    ports = {
        service["environment"]["PITSIDE_METRICS_LISTEN"].rpartition(":")[2]
        for service in own.values()
        if "PITSIDE_METRICS_LISTEN" in service.get("environment", {})
    }
    assert ports == {target.partition(":")[2] for target in targets}
    published = [port for service in own.values() for port in service.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in published)


# The runbook


def paragraphs() -> dict[str, str]:
    """The text under each heading of the runbook; headings that follow each other share one."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    for part in re.split(r"^### ", (ROOT / "docs" / "runbook.md").read_text(), flags=re.MULTILINE)[1:]:
        name, _, text = part.partition("\n")
        waiting.append(name.strip())
        if text.partition("\n## ")[0].strip():
            found |= dict.fromkeys(waiting, text.partition("\n## ")[0])
            waiting = []
    assert waiting == []
    return found


def for_administrators() -> set[str]:
    """The kinds of alert of the product at which the alarm book calls the system administrator."""
    book = (ROOT / "docs" / "alarms.md").read_text().partition("## Each kind")[2]
    rows = [line.split("|") for line in book.splitlines() if line.startswith("| `")]
    return {row[1].strip(" `") for row in rows if "system administrator" in row[5]}


def test_every_alert_of_the_rules_and_of_administrators_has_its_paragraph_and_no_other_has_one():
    assert {"clock", "disk-low", "restore-due"} <= for_administrators()
    assert set(paragraphs()) == {rule["alert"] for rule in alerts()} | for_administrators()


def test_each_paragraph_says_where_to_look_what_to_do_and_who_decides():
    deciding = ("You", "shift manager", "Shift manager", "Two people", "two people", "Pit manager")
    incomplete = [
        name
        for name, text in paragraphs().items()
        if "Look:" not in text
        or "Act:" not in text
        or not any(word in text.replace("\n", " ").partition("Act:")[2] for word in deciding)
    ]
    assert incomplete == []
    assert len((ROOT / "docs" / "runbook.md").read_text().split()) <= 1_500


# The rules, in time: what promtool evaluates

promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not on PATH")
INTERVAL = 30
HOURS = 12
SAMPLES = HOURS * 3600 // INTERVAL
BEGIN = 30 * 60 // INTERVAL  # the sample at which a fault begins
WEB = 'up{job="pitside", role="web", instance="web-%d:9464"}'
ACTS = 'pitside_acts_total{instance="web-1:9464", place="table", outcome="%s", code=""}'
COUNT = 'pitside_tap_to_commit_seconds_count{place="table"}'
STOP = 'pitside_oldest_alert_seconds{kind="dice-expired", level="stop"}'
FAST = 'pitside_tap_to_commit_seconds_bucket{place="table", le="1.0"}'


def steady(value: float) -> str:
    return f"{value}x{SAMPLES}"


# An evening of twenty acts a minute, with a refusal now and then and one act that was refused for a busy database, and
# a night in which nobody plays.
EVENING = SAMPLES // 2
QUIET = {
    WEB % 1: steady(1),
    WEB % 2: steady(1),
    'up{job="pitside", role="exporter", instance="exporter:9464"}': steady(1),
    'pitside_build{version="1"}': steady(1),
    ACTS % "taken": f"0+5x{EVENING} {5 * EVENING}x{EVENING}",
    ACTS % "refused": f"0+1x{EVENING} {EVENING}x{EVENING}",
    ACTS % "busy": f"0x{EVENING // 2} 1x{SAMPLES - EVENING // 2}",
    COUNT: f"0+5x{EVENING} {5 * EVENING}x{EVENING}",
    FAST: f"0+4.98x{EVENING} {4.98 * EVENING:.2f}x{EVENING}",
    "pitside_database_waiting": steady(0),
    "pitside_requests_waiting": steady(0),
    "pitside_heartbeat_age_seconds": f"{' '.join(['1', '4', '2', '6'] * (SAMPLES // 4))}",
    "pitside_lost_pushes_total": steady(0),
    "pitside_ticker_age_seconds": steady(4),
    "pitside_oldest_waiting_job_seconds": steady(20),
    'pitside_late_delivery_seconds{kind="webhook"}': steady(40),
    'pitside_deliveries{kind="webhook", status="failed"}': steady(0),
    STOP: f"{' '.join(['20', '45', '5', '0'] * (SAMPLES // 4))}",
    "pitside_figures_missing": steady(0),
    "pitside_oldest_unsealed_entry_seconds": steady(1),
    "pitside_sealer_age_seconds": steady(3),
    'pitside_cosignature_lag_seconds{log="first", witness="w"}': steady(2),
    "pitside_standbys": steady(1),
    'pitside_standby_lag_seconds{standby="b"}': steady(0),
    'pitside_standby_lag_bytes{standby="b"}': steady(4_000),
    "pitside_wal_archive_age_seconds": steady(40),
    "pitside_wal_archive_failing": steady(0),
    "pitside_verified_restore_age_seconds": f"90000+{INTERVAL}x{SAMPLES}",
    'pitside_restore_drill{outcome="passed"}': steady(1),
    "pitside_clock_offset_seconds": steady(-0.02),
    'pitside_machine_clock_offset_seconds{machine="a"}': steady(0.4),
    'pitside_clock_synchronized{machine="a"}': steady(1),
    'pitside_disk_free_ratio{machine="a", folder="/"}': f"0.6-0.0001x{SAMPLES}",
    'pitside_certificate_ending{certificate="pitside.casino"}': steady(0),
}  # fmt: skip


def from_begin(before: float, then: str) -> str:
    return f"{before}x{BEGIN} {then}"


def changes(name: str, before: float, to: float) -> dict[str, str]:
    return {name: from_begin(before, f"{to}x{SAMPLES - BEGIN}")}


def grows(name: str, by: float = INTERVAL) -> dict[str, str]:
    return {name: from_begin(0, f"0+{by}x{SAMPLES - BEGIN}")}


@dataclass(frozen=True)
class Fault:
    """What a fault changes of quiet hours, and within how many seconds its alert calls."""

    alert: str
    seconds: int
    series: dict[str, str]
    also: set[str] = field(default_factory=set)


FAULTS = [
    Fault("NoWorker", 60, {**changes(WEB % 1, 1, 0), **changes(WEB % 2, 1, 0)}),
    Fault("ProcessDown", 150, changes('up{job="pitside", role="exporter", instance="exporter:9464"}', 1, 0)),
    Fault("ActsFail", 90, {ACTS % "busy": from_begin(0, f"0+3x{SAMPLES - BEGIN}")}),
    Fault("ActsSlow", 900, {FAST: f"0+5x{BEGIN} {5 * BEGIN}x{SAMPLES - BEGIN}"}),
    Fault("ConnectionsWait", 90, changes("pitside_database_waiting", 0, 3)),
    Fault("ScreensStale", 120, grows("pitside_heartbeat_age_seconds")),
    Fault("PushesLost", 240, grows("pitside_lost_pushes_total", 4)),
    Fault("TickerSilent", 150, grows("pitside_ticker_age_seconds")),
    Fault("TickerFails", 330, changes('pitside_ticker_failing{check="write_rollups"}', 0, 1)),
    Fault("JobsWait", 690, grows("pitside_oldest_waiting_job_seconds")),
    Fault("DeliveriesFail", 660, changes('pitside_deliveries{kind="webhook", status="failed"}', 0, 1)),
    Fault("AlertUnanswered", 690, grows(STOP)),
    Fault("FiguresMissing", 330, changes("pitside_figures_missing", 0, 1)),
    Fault("DatabaseAway", 60, changes("pitside_figures_missing", 0, 30)),
    Fault("RecordNotSealed", 180, grows("pitside_oldest_unsealed_entry_seconds")),
    Fault("SealerRefuses", 60, changes('pitside_log_not_sealed{log="first", reason="went-back"}', 0, 1)),
    Fault("WitnessBehind", 1050, grows('pitside_cosignature_lag_seconds{log="first", witness="w"}')),
    Fault("StandbyLost", 330, changes("pitside_standbys", 1, 0)),
    Fault("StandbyBehind", 330, changes('pitside_standby_lag_bytes{standby="b"}', 0, 1e9)),
    Fault("ArchiveFails", 660, changes("pitside_wal_archive_failing", 0, 1)),
    Fault("RestoreDue", 3660, changes("pitside_verified_restore_age_seconds", 90_000, 700_000)),
    Fault("DrillFailed", 30, changes('pitside_restore_drill{outcome="could-not-run"}', 0, 1)),
    Fault("ClocksDiffer", 90, changes('pitside_machine_clock_offset_seconds{machine="a"}', 0, -2.5)),
    Fault("ClockNotKept", 3660, changes('pitside_clock_synchronized{machine="a"}', 1, 0)),
    Fault("DiskLow", 660, changes('pitside_disk_free_ratio{machine="a", folder="/"}', 0.5, 0.15)),
    Fault("DiskNearlyFull", 90, changes('pitside_disk_free_ratio{machine="a", folder="/"}', 0.5, 0.05)),
    Fault("CertificateEnds", 660, changes('pitside_certificate_ending{certificate="pitside.casino"}', 0, 1)),
]  # fmt: skip


def test_every_alert_of_the_rules_has_a_fault_that_calls_it():
    assert sorted(fault.alert for fault in FAULTS) == sorted(rule["alert"] for rule in alerts())


def case(series: dict[str, str], firing: list[tuple[int, str, list[str]]]) -> dict:
    return {
        "interval": f"{INTERVAL}s",
        "input_series": [{"series": name, "values": values} for name, values in {**QUIET, **series}.items()],
        "promql_expr_test": [
            {
                "expr": expression,
                "eval_time": f"{seconds}s",
                "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in names],
            }
            for seconds, expression, names in firing
        ],
    }


def evaluate(folder: Path, cases: list[dict]) -> subprocess.CompletedProcess[str]:
    shutil.copy(RULES, folder / "rules.yml")
    tests = {"rule_files": ["rules.yml"], "evaluation_interval": f"{INTERVAL}s", "tests": cases}
    (folder / "tests.yml").write_text(yaml.safe_dump(tests, width=10_000))
    return subprocess.run(
        ["promtool", "test", "rules", folder / "tests.yml"], capture_output=True, text=True, check=False
    )


NOW_FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})'
EVER_FIRING = 'group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[12h]))'


@promtool
def test_each_fault_calls_within_its_time_and_calls_nothing_else(tmp_path):
    begin = BEGIN * INTERVAL
    cases = [
        case(
            fault.series,
            [
                (begin, EVER_FIRING, []),
                (begin + fault.seconds, NOW_FIRING, sorted({fault.alert, *fault.also})),
            ],
        )
        for fault in FAULTS
    ]
    done = evaluate(tmp_path, cases)
    assert done.returncode == 0, done.stdout + done.stderr


@promtool
def test_twelve_quiet_hours_call_nobody(tmp_path):
    done = evaluate(tmp_path, [case({}, [(HOURS * 3600, EVER_FIRING, [])])])
    assert done.returncode == 0, done.stdout + done.stderr


@promtool
def test_a_night_without_play_calls_for_a_few_acts_that_fail(tmp_path):
    idle = {name: steady(0) for name in (ACTS % "taken", ACTS % "refused", COUNT, FAST)}
    few = {ACTS % "busy": from_begin(0, f"6x{SAMPLES - BEGIN}")}
    done = evaluate(tmp_path, [case({**idle, **few}, [(BEGIN * INTERVAL + 60, NOW_FIRING, ["ActsFail"])])])
    assert done.returncode == 0, done.stdout + done.stderr


# How long a call stands after its cause has ended: of all rules only those that look back at counters say another time
# than the two minutes of the runbook.
LASTING = 40  # samples
CALLS_AFTER = {
    "ActsFail": (
        600,
        {ACTS % "busy": from_begin(0, f"0+3x{LASTING} {3 * LASTING}x{SAMPLES - BEGIN - LASTING}")},
    ),
    "PushesLost": (
        300,
        {
            "pitside_lost_pushes_total": from_begin(
                0, f"0+4x{LASTING} {4 * LASTING}x{SAMPLES - BEGIN - LASTING}"
            )
        },
    ),
    "ActsSlow": (300, {FAST: f"0+5x{BEGIN} {5 * BEGIN}x{LASTING} {5 * BEGIN}+5x{SAMPLES - BEGIN - LASTING}"}),
}


@promtool
def test_what_counts_failures_calls_as_long_after_the_last_one_as_the_runbook_says(tmp_path):
    over = (BEGIN + LASTING) * INTERVAL
    cases = [
        case(series, [(over + seconds // 2, NOW_FIRING, [name]), (over + seconds + 60, NOW_FIRING, [])])
        for name, (seconds, series) in CALLS_AFTER.items()
    ]
    done = evaluate(tmp_path, cases)
    assert done.returncode == 0, done.stdout + done.stderr
    words = {600: "calls for ten minutes", 300: "calls for five minutes"}
    unsaid = [
        name
        for name, (seconds, _) in CALLS_AFTER.items()
        if words[seconds] not in " ".join(paragraphs()[name].split())
    ]
    assert unsaid == []


@promtool
def test_the_configurations_are_read_by_their_programs(tmp_path):
    text = (MONITORING / "prometheus.yml").read_text().replace("/etc/prometheus/", f"{MONITORING}/")
    (tmp_path / "prometheus.yml").write_text(text)
    commands = [["promtool", "check", "config", tmp_path / "prometheus.yml"]]
    if shutil.which("amtool"):
        commands.append(["amtool", "check-config", MONITORING / "alertmanager.yml"])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
