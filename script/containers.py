"""The engine that runs docker-compose.yml on this machine, Docker's or podman's, and the images that it starts from.

Docker is taken where its daemon answers. Else podman is started for the run, as root, with a storage of its own
(`STORAGE`), so that neither images nor networks of this machine are touched and the base images are made once. Where no
registry can be reached they are made of Debian's packages (script/debian/). tests/containers uses all of this.
"""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from script.service_finder import ROOT, Unavailable, end

DEBIAN = ROOT / "script" / "debian"
RELEASE = "bookworm"
OWN = "localhost/pitside-trial"
# The variables of .env.example that name an image of others, and the stage of script/debian/Containerfile beside it.
BASES = {
    "PYTHON_IMAGE": "python",
    "POSTGRES_IMAGE": "postgres",
    "REDIS_IMAGE": "redis",
    "CADDY_IMAGE": "caddy",
}
STORAGE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pitside-containers"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
MOST_FILES = "nofile=20000:20000"
# runc, because crun refuses control groups of both versions; files, because there is no journal in a container.
PODMAN_SETTINGS = f"""
[containers]
default_ulimits = ["{MOST_FILES}", "nproc=30000:30000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
network_backend = "netavark"
"""
BUILD_SECONDS = 1_800
HEALTH_SECONDS = 4.0


class Failed(RuntimeError):
    """A command of the engine failed. The message is the command and what it said last."""


@dataclass(frozen=True)
class Engine:
    """A command line that speaks with an engine at an address."""

    program: str  # docker or podman
    host: str  # unix://…

    @classmethod
    def read(cls, address: str) -> "Engine":
        """The engine with this `address`."""
        return cls(*address.split(" ", 1))

    @property
    def address(self) -> str:
        return f"{self.program} {self.host}"

    @property
    def checks_health(self) -> bool:
        """Whether the engine asks after the health of its containers: podman leaves it to systemd."""
        return self.program == "docker" or Path("/run/systemd/system").exists()

    def run(self, *words: str, typed: str = "", seconds: float = 300) -> str:
        """Run a command of the engine to its end. Returns what it printed. Raises Failed."""
        option = "--host" if self.program == "docker" else "--url"
        return run([self.program, option, self.host, *words], typed=typed, seconds=seconds)

    def build(self, tag: str, folder: Path, arguments: Mapping[str, str], *, target: str = "") -> None:
        """Build the image of a folder. Raises Failed."""
        words = ["build", "--network", "host", "--tag", tag]
        words += ["--target", target] if target else []
        words += ["--ulimit", MOST_FILES] if self.program == "podman" else []
        for name, value in arguments.items():
            words += ["--build-arg", f"{name}={value}"]
        file = next(folder / name for name in ("Containerfile", "Dockerfile") if (folder / name).exists())
        self.run(*words, "--file", str(file), str(folder), seconds=BUILD_SECONDS)

    def remove_leftovers(self, *, project: str = "") -> None:
        """Remove containers with their volumes and networks: those of a project, or of every run that was killed."""
        own = [f"--filter=label=com.docker.compose.project={project}"] if project else []
        containers = self.run("ps", "--all", "--quiet", *own).split()
        if containers:
            self.run("rm", "--force", "--time", "1", *containers)
        for kind in ("volume", "network"):
            self.run(kind, "prune", "--force", *own)

    def base_images(self) -> dict[str, str]:
        """The images of others that docker-compose.yml starts from, by their variables. Raises Failed."""
        with contextlib.suppress(Failed, subprocess.TimeoutExpired):
            self.run("pull", "docker.io/library/redis:7", seconds=60)
            return {}  # the compose file's own
        return self._images_of_debian()

    def _images_of_debian(self) -> dict[str, str]:
        made = self.run("images", "--format", "{{.Repository}}")
        if f"{OWN}/debian" not in made:
            self._import_debian()
        with contextlib.ExitStack() as stack:
            copied = DEBIAN / CERTIFICATES.name
            shutil.copy(CERTIFICATES, copied)
            stack.callback(copied.unlink)
            for stage in BASES.values():
                if f"{OWN}/{stage}" not in made:
                    self.build(f"{OWN}/{stage}", DEBIAN, {}, target=stage)
        return {variable: f"{OWN}/{stage}" for variable, stage in BASES.items()}

    def _import_debian(self) -> None:
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            raise Failed("no registry answers, and without root or debootstrap no image can be made here")
        root, archive = STORAGE / "debian", STORAGE / "debian.tar"
        if not archive.exists():
            run(["debootstrap", "--variant=minbase", RELEASE, str(root)], seconds=BUILD_SECONDS)
            run(
                ["tar", "-C", str(root), "--exclude=./var/cache/apt/archives/*.deb", "-cf", str(archive), "."]
            )
            shutil.rmtree(root)
        self.run("import", str(archive), f"{OWN}/debian")


def run(
    command: Sequence[str],
    *,
    typed: str = "",
    seconds: float = 300,
    environment: Mapping[str, str] | None = None,
    folder: Path = ROOT,
) -> str:
    """Run a command to its end, with `typed` as its input. Returns what it printed. Raises Failed."""
    done = subprocess.run(
        command,
        input=typed,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        cwd=folder,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        last_lines = "\n".join((done.stderr or done.stdout).strip().splitlines()[-20:])
        raise Failed(f"{' '.join(command)} ended with {done.returncode}: {last_lines}")
    return done.stdout


# Sources of the engine, for script/services.py


def docker_engine(stack: contextlib.ExitStack) -> str:
    """The daemon of Docker that answers here."""
    if not shutil.which("docker"):
        raise Unavailable("no docker on PATH")
    engine = Engine("docker", os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    try:
        engine.run("version", seconds=10)
    except (Failed, subprocess.TimeoutExpired):
        raise Unavailable("no daemon answers") from None
    return engine.address


def podman_engine(stack: contextlib.ExitStack) -> str:
    """A podman that is started until the stack ends."""
    missing = [name for name in ("podman", "runc") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        raise Unavailable(f"no {' and '.join(missing)} on PATH" if missing else "only as root")
    STORAGE.mkdir(parents=True, exist_ok=True)
    lock = stack.enter_context((STORAGE / "lock").open("w"))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Unavailable("another run uses it") from None
    settings, socket = STORAGE / "containers.conf", STORAGE / "podman.sock"
    settings.write_text(PODMAN_SETTINGS)
    socket.unlink(missing_ok=True)
    own = [f"--root={STORAGE / 'images'}", f"--runroot={STORAGE / 'run'}"]
    own += [f"--network-config-dir={STORAGE / 'networks'}"]
    host = f"unix://{socket}"
    process = subprocess.Popen(
        ["podman", *own, "system", "service", "--time=0", host],
        env={**os.environ, "CONTAINERS_CONF": str(settings)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stack.callback(end, process)
    deadline = time.monotonic() + 30
    while not socket.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise Unavailable("podman does not start")
        time.sleep(0.1)
    engine = Engine("podman", host)
    engine.remove_leftovers()
    return engine.address


# The installation


class Composition:
    """The services of a docker-compose.yml, under a name of their own.

    `settings` are the lines of its .env; the compose file and the files that it mounts are those of `folder`.
    """

    def __init__(self, engine: Engine, name: str, settings: Mapping[str, str], folder: Path) -> None:
        self.engine, self.name, self.settings, self.folder = engine, name, dict(settings), folder
        self.stopped = threading.Event()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start every service and, at the end, remove all of them with their volumes."""
        asking = None
        if not self.engine.checks_health:
            asking = threading.Thread(target=self._ask_after_health, daemon=True)
            asking.start()
        try:
            self.compose("up", "--detach", seconds=900)
            yield
        finally:
            self.stopped.set()
            if asking is not None:
                asking.join(60)
            try:
                self.compose("down", "--volumes", "--timeout", "5")
            except (Failed, subprocess.TimeoutExpired):
                self.engine.remove_leftovers(project=self.name)

    def compose(self, *words: str, typed: str = "", seconds: float = 300) -> str:
        """Run a command of compose. Returns what it printed. Raises Failed."""
        command = [*compose_command(), "--project-name", self.name, *words]
        environment = {**self.settings, "DOCKER_HOST": self.engine.host}
        return run(command, typed=typed, seconds=seconds, environment=environment, folder=self.folder)

    def type(self, service: str, *words: str, typed: str = "") -> str:
        """Run a command within a running service. Raises Failed."""
        return self.compose("exec", "-T", service, *words, typed=typed).strip()

    def once(self, service: str, *words: str, typed: str = "") -> str:
        """Run a command in a new container of a service, which ends with it. Raises Failed.

        `docker-compose run` asks for links, which podman does not have. So the container is described here.
        """
        declared = self.declared[service]
        options = ["run", "--rm", "--interactive", "--network", f"{self.name}_default"]
        for name, value in declared["environment"].items():
            options += ["--env", f"{name}={'' if value is None else value}"]
        for volume in declared.get("volumes", ()):
            source, target, *how = volume.split(":") if isinstance(volume, str) else _parts(volume)
            options += ["--volume", ":".join((f"{self.name}_{source}", target, *how))]
        return self.engine.run(*options, declared["image"], *words, typed=typed).strip()

    @property
    def declared(self) -> dict[str, Any]:
        """Each service as the compose file declares it, its variables filled in."""
        services: dict[str, Any] = yaml.safe_load(self.compose("--profile", "by-hand", "config"))["services"]
        return services

    def container(self, service: str) -> str:
        """The id of a running service's container."""
        return self.compose("ps", "--quiet", service).strip()

    def inspect(self, service: str) -> dict[str, Any]:
        """What the engine says of a service's container."""
        containers: list[dict[str, Any]] = json.loads(self.engine.run("inspect", self.container(service)))
        return containers[0]

    def health(self, service: str) -> str:
        """healthy, unhealthy or starting."""
        state = self.inspect(service)["State"]
        return str((state.get("Health") or state.get("Healthcheck"))["Status"])

    def wait_until_healthy(self, *services: str, seconds: float = 300) -> None:
        """Wait for the health of services. Raises Failed with what one that is not healthy said last."""
        deadline = time.monotonic() + seconds
        for service in services:
            while self.health(service) != "healthy":
                if time.monotonic() > deadline:
                    log = self.compose("logs", "--tail=20", service)
                    raise Failed(f"{service} is {self.health(service)}: {log}")
                time.sleep(1)

    def replace(self, *services: str) -> None:
        """Start services again with today's settings, one after the other, each when the one before is healthy."""
        for service in services:
            self.compose("up", "--detach", "--no-deps", service)
            self.wait_until_healthy(service)

    def run_to_end(self, service: str) -> None:
        """Run a service that ends by itself. Raises Failed."""
        self.compose("up", "--no-deps", "--exit-code-from", service, service)

    def _ask_after_health(self) -> None:
        """What a daemon does: run each container's health check again and again."""
        own = f"label=com.docker.compose.project={self.name}"
        while not self.stopped.wait(HEALTH_SECONDS):
            with contextlib.suppress(Failed, subprocess.TimeoutExpired):
                for container in self.engine.run("ps", "--quiet", "--filter", own).split():
                    with contextlib.suppress(Failed):
                        self.engine.run("healthcheck", "run", container, seconds=60)


def _parts(volume: Mapping[str, Any]) -> list[str]:
    """A volume in compose's long form, as source, target and how."""
    return [volume["source"], volume["target"], *(["ro"] if volume.get("read_only") else [])]


def compose_command() -> list[str]:
    """Docker's plugin, else the program of its own. Raises Failed."""
    for command in (["docker", "compose"], ["docker-compose"]):
        with contextlib.suppress(Failed, OSError):
            run([*command, "version"])
            return command
    raise Failed("neither docker compose nor docker-compose is here")
