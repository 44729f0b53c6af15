"""What the trial of the alarms does without its processes: rules that wait shorter, and hours from what was scraped.

The trial itself is `python -m script.faults.alarms_of_machines` (docs/testing.md).
"""

import re
import shutil

import pytest

from script.faults.alarms_of_machines import ALARMS, GIVEN, KEPT, Watch, every_series
from script.faults.monitored import names_of_rules, play_quiet_hours, quiet_case, scaled_rules
from tests.test_monitoring import RULES, alerts


class Scene:
    def __init__(self, factor: float) -> None:
        self.factor = factor


def rule(name: str, factor: float) -> dict:
    rules = (rule for group in scaled_rules(factor)["groups"] for rule in group["rules"])
    return next(rule for rule in rules if rule.get("alert") == name)


def series(name: str, *values: float, **labels: str) -> dict:
    return {
        "metric": {"__name__": name, **labels},
        "values": [[number, str(value)] for number, value in enumerate(values)],
    }


def test_each_fault_has_an_alert_of_its_own_of_the_committed_rules():
    assert len({alarm.alert for alarm in ALARMS}) == len(ALARMS) == 14
    assert {alarm.alert for alarm in ALARMS} <= {rule["alert"] for rule in alerts()}


def test_a_factor_shortens_waits_windows_and_long_ages_and_no_count_or_short_age():
    assert rule("ProcessDown", 6)["for"] == "20000ms"
    assert "[100000ms]) > 5" in rule("ActsFail", 6)["expr"].replace("\n", " ").replace("))", ")")
    assert "[1h]" not in rule("ActsFail", 6)["expr"] and "> 500" in rule("ActsFail", 6)["expr"]
    assert "> 150" in rule("WitnessBehind", 6)["expr"]
    assert "> 30" in rule("TickerSilent", 6)["expr"], "a ticker reports every second, whatever the factor"
    assert "8 * 86400" in rule("RestoreDue", 6)["expr"]


def test_a_factor_of_one_changes_no_number():
    def numbers(text: str) -> list[str]:
        return re.findall(r"\d+(?:\.\d+)?", re.sub(r"\[[^]]*\]", "", text))

    committed = {rule["alert"]: numbers(rule["expr"]) for rule in alerts()}
    assert {name: numbers(rule(name, 1)["expr"]) for name in committed} == committed


def test_a_bound_is_what_the_rule_waits_by_the_factor_and_what_the_metric_needs():
    alarm = next(alarm for alarm in ALARMS if alarm.alert == "CertificateEnds")
    committed, faster = (Watch(Scene(factor), None, 0.0).bound(alarm) for factor in (1, 10))
    assert committed == 60 + 600 + 3 * 15
    assert faster == 60 + 60 + 4.5
    witness = next(alarm for alarm in ALARMS if alarm.alert == "WitnessBehind")
    assert Watch(Scene(1), None, 0.0).bound(witness) == 30 + 900 + 60 + 45


def test_hours_repeat_what_was_scraped_and_a_counter_grows_on():
    case = quiet_case([series("pitside_ticker_age_seconds", 1, 4), series("pitside_acts_total", 5, 8)], 1)
    gauge, counter = (one["values"].split() for one in case["input_series"])
    assert (gauge[:3], counter[:3], len(counter)) == (["1", "4", "1"], ["5", "8", "11"], 120)


def scraped(*, but: tuple[str, ...] = ()) -> list[dict]:
    return [series(name, 1, 1) for name in sorted(names_of_rules() - {*but})]


def test_quiet_hours_try_every_rule_and_say_what_the_machine_did_not_have():
    everything = scraped()
    assert every_series(everything) == (everything, [])
    unkept = [*scraped(but=(KEPT,)), series(KEPT, 0, 0, machine="here")]
    tried, given = every_series(unkept)
    assert given == [KEPT] and tried[-1]["metric"] == {"__name__": KEPT, "machine": "database"}
    assert [value for _, value in tried[-1]["values"]] == ["1", "1"]
    assert every_series(scraped(but=tuple(GIVEN)))[1] == sorted(GIVEN)
    with pytest.raises(LookupError, match="pitside_acts_total"):
        every_series(scraped(but=("pitside_acts_total",)))


def test_the_names_of_the_rules_are_metrics_and_no_words():
    names = names_of_rules()
    assert {"up", "pitside_acts_total", "pitside_sealer_age_seconds"} <= names
    assert all(name in RULES.read_text() for name in names)
    assert set(GIVEN) <= names


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not on PATH")
def test_a_loud_hour_is_named(tmp_path):
    up = series("up", 1, job="pitside", role="web")
    assert play_quiet_hours([up, series("pitside_verified_restore_age_seconds", 60)], tmp_path, 1) == ""
    assert "TickerSilent" in play_quiet_hours([up, series("pitside_ticker_age_seconds", 90)], tmp_path, 1)
