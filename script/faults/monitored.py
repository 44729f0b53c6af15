"""A scene that is watched as `deploy/monitoring` watches an installation: real metrics, and Prometheus with its rules.

Every process serves its metrics on a port of 127.0.0.1, and a witness cosigns. One disk is a small one in memory, and
one certificate is of a server of the harness, so that both can be troubled.

Waiting is scaled: `scaled_rules` divides what the rules wait for, and ages of ten minutes and more, by one factor.
"""

import contextlib
import datetime as dt
import itertools
import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from script.faults.processes import Process
from script.faults.scene import HOST, Binaries, Scene, free_port
from script.service_finder import ROOT

RULES = ROOT / "deploy" / "monitoring" / "rules.yml"
ROLES = {"web-1": "web", "web-2": "web", "ticker": "ticker", "exporter": "exporter", "sealer": "sealer"}
SCRAPE_SECONDS = 15.0
WITNESS = ROOT / "audit" / "witness.py"
DISK_BYTES = 8 * 2**20
LONG_AGE_SECONDS = 600  # an age of a rule from which on it is scaled
WINDOW = re.compile(r"\[(\d+)([smhd])(:\d+[smhd])?\]")
AGE = re.compile(r"(_seconds(?:\{[^}]*\})?\)* > )(\d+)\b(?! \*)")
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


class Certificates:
    """A server that shows one certificate, whose end the harness sets."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.listener = folder, socket.create_server((HOST, 0))
        self.renew(days_left=60)
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def renew(self, *, days_left: float) -> None:
        """Show a certificate that began thirty days ago and ends in so many days."""
        key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pitside.example")])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=30))
            .not_valid_after(now + dt.timedelta(days=days_left))
            .sign(key, hashes.SHA256())
        )
        path = self.folder / "certificate.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(path)

    def _serve(self) -> None:
        while True:
            line, _ = self.listener.accept()
            with contextlib.suppress(OSError), line:
                line.settimeout(5)
                self.context.wrap_socket(line, server_side=True).close()


class MonitoredScene(Scene):
    """The scene with an exporter, a witness, and a Prometheus whose rules wait `factor` times shorter.

    Raises OSError where no disk in memory can be mounted.
    """

    has_failing_disk = False

    def __init__(self, stack: contextlib.ExitStack, binaries: Binaries, factor: float) -> None:
        self.factor = factor
        self.metrics_ports = {name: free_port() for name in ROLES}
        self.prometheus_port, self.witness_port = free_port(), free_port()
        self.others: list[Process] = []
        super().__init__(stack, binaries)
        self.others = [self.exporter()]
        self.small_disk = mounted_disk(stack, self.folder)
        self.certificates = Certificates(self.folder)
        self.witness_key = self.folder / "witness.key"
        made = subprocess.run(
            [sys.executable, "-I", WITNESS, "keygen", "witness.example/alarms", self.witness_key],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        for process in self.processes:
            if process.name not in ROLES:
                continue
            process.environment.update(
                PITSIDE_METRICS_LISTEN=f"{HOST}:{self.metrics_ports[process.name]}",
                PITSIDE_WITNESSES=f"http://{HOST}:{self.witness_port} {made.stdout.strip()}",
                PITSIDE_WATCHED_FOLDERS=str(self.small_disk),
                PITSIDE_WATCHED_CERTIFICATES=f"pitside.example@{HOST}:{self.certificates.port}",
            )

    def environment(self, role: str, name: str) -> dict[str, str]:
        return {**super().environment(role, name), "PITSIDE_WEBHOOK_NETWORKS": "127.0.0.0/8"}

    @property
    def processes(self) -> list[Process]:
        return [*super().processes, *self.others]

    def watch(self) -> None:
        """Start the witness, which needs the lines of the sealer's keys, and Prometheus."""
        self.others += [self._witness(), self._prometheus()]
        for process in self.others[-2:]:
            process.start()
            process.wait_until_ready()

    def _witness(self) -> Process:
        from audit.models import SigningKey
        from audit.sealing import keys
        from games.models import Facility

        while (
            SigningKey.objects.count() < Facility.objects.count()
        ):  # the sealer makes that of each further log
            time.sleep(0.5)
        lines = [keys.verifier_of(key).vkey for key in SigningKey.objects.all()]
        command = [sys.executable, "-I", str(WITNESS), "serve", "--key", str(self.witness_key)]
        command += ["--state", str(self.folder / "witness.json"), "--listen", f"{HOST}:{self.witness_port}"]
        command += [word for line in lines for word in ("--log", line)]
        return Process("witness", command, {}, lambda: is_open(self.witness_port), self.log)

    def _prometheus(self) -> Process:
        folder = self.folder / "prometheus"
        folder.mkdir()
        (folder / "rules.yml").write_text(yaml.safe_dump(scaled_rules(self.factor), width=10_000))
        seconds = f"{1_000 * SCRAPE_SECONDS / self.factor:.0f}ms"
        targets = [
            {"targets": [f"{HOST}:{self.metrics_ports[name]}"], "labels": {"role": role, "process": name}}
            for name, role in ROLES.items()
        ]
        job = {"job_name": "pitside", "static_configs": targets}
        configuration = {
            "global": {
                "scrape_interval": seconds,
                "evaluation_interval": seconds,
                "scrape_timeout": seconds,
            },
            "rule_files": ["rules.yml"],
            "scrape_configs": [job],
        }
        (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
        command = [
            "prometheus",
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
        ]
        command += [f"--web.listen-address={HOST}:{self.prometheus_port}", "--log.level=error"]
        return Process("prometheus", command, {}, lambda: is_open(self.prometheus_port), self.log)

    # What Prometheus says

    def query(self, path: str, **parameters: Any) -> Any:
        """The data of an answer of its API."""
        address = f"http://{HOST}:{self.prometheus_port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(address, timeout=20) as answer:
            return json.load(answer)["data"]

    def firing(self) -> set[str]:
        """The alerts that call now."""
        alerts = self.query("alerts")["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}


def is_open(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection((HOST, port), 1).close()
        return True
    return False


def mounted_disk(stack: contextlib.ExitStack, folder: Path) -> Path:
    """A disk of some megabytes in memory, for as long as the stack is open. Raises OSError where none can be made."""
    place = folder / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=0777", "tmpfs", str(place)]
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        raise OSError("no disk can be mounted here")
    stack.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)
    return place


# The rules, faster


def scaled_rules(factor: float) -> dict[str, Any]:
    """The rules of deploy/monitoring with every wait, window and long age divided by a factor."""
    content: dict[str, Any] = yaml.safe_load(RULES.read_text())
    for group in content["groups"]:
        for rule in group["rules"]:
            rule["expr"] = _scaled(rule["expr"], factor)
            if "for" in rule:
                rule["for"] = f"{1_000 * seconds_of(rule['for']) / factor:.0f}ms"
    return content


def seconds_of(duration: str) -> float:
    return float(duration[:-1]) * UNITS[duration[-1]]


def _scaled(expression: str, factor: float) -> str:
    def window(match: re.Match[str]) -> str:
        seconds = float(match[1]) * UNITS[match[2]]
        step = f":{max(1, round(seconds_of(match[3][1:]) / factor))}s" if match[3] else ""
        return f"[{max(1_000, 1_000 * seconds / factor):.0f}ms{step}]"

    def age(match: re.Match[str]) -> str:
        seconds = float(match[2])
        return f"{match[1]}{seconds / factor:.0f}" if seconds >= LONG_AGE_SECONDS else match[0]

    return AGE.sub(age, WINDOW.sub(window, expression))


# Quiet hours, from what was really scraped


INTERVAL = 30
NAMED = re.compile(r"\b((?:pitside|node)_\w+|up)\b")
COUNTERS = ("_total", "_count", "_sum", "_bucket")
EVER_FIRING = 'group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[%dh]))'


def quiet_case(series: Iterable[dict[str, Any]], hours: int) -> dict[str, Any]:
    """The case of `promtool test rules` in which what was scraped repeats for so many hours and calls nobody."""
    samples = hours * 3_600 // INTERVAL
    return {
        "interval": f"{INTERVAL}s",
        "input_series": [
            {"series": _name_of(scrape["metric"]), "values": " ".join(_repeated(scrape, samples))}
            for scrape in series
        ],
        "promql_expr_test": [
            {"expr": EVER_FIRING % hours, "eval_time": f"{hours * 3_600}s", "exp_samples": []}
        ],
    }


def _name_of(labels: dict[str, str]) -> str:
    rest = ", ".join(f"{name}={json.dumps(text)}" for name, text in labels.items() if name != "__name__")
    return f"{labels['__name__']}{{{rest}}}"


def _repeated(series: dict[str, Any], samples: int) -> Iterator[str]:
    """The values again and again; those of a counter grow on by what they grew in each step."""
    values = [float(value) for _, value in series["values"]]
    grows = series["metric"]["__name__"].endswith(COUNTERS)
    steps = [max(0.0, later - earlier) for earlier, later in itertools.pairwise(values)] or [0.0]
    total = values[0]
    for number in range(samples):
        yield f"{total:.6g}" if grows else f"{values[number % len(values)]:.6g}"
        total += steps[number % len(steps)]


def names_of_rules() -> set[str]:
    """The metrics that the rules read."""
    content = yaml.safe_load(RULES.read_text())
    expressions = (rule["expr"] for group in content["groups"] for rule in group["rules"])
    return {name for expression in expressions for name in NAMED.findall(expression)}


def play_quiet_hours(series: list[dict[str, Any]], folder: Path, hours: int) -> str:
    """Evaluate the committed rules over so many hours of what was scraped. Returns what called; empty if nothing."""
    shutil.copy(RULES, folder / "rules.yml")
    tests = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": f"{INTERVAL}s",
        "tests": [quiet_case(series, hours)],
    }
    (folder / "tests.yml").write_text(yaml.safe_dump(tests, width=10_000_000))
    began = time.monotonic()
    done = subprocess.run(
        ["promtool", "test", "rules", folder / "tests.yml"], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    return (
        f"{done.stdout}{done.stderr}".strip()
        or f"promtool ended with {done.returncode} after {time.monotonic() - began:.0f} s"
    )
