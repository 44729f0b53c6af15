"""Serve the demo floor: start uvicorn with one worker, which creates the database and seeds it once.

HOST and PORT change the address (127.0.0.1:8000). A host that tablets can reach is added to ALLOWED_HOSTS. DEBUG=on
shows Django's pages of errors, on the loopback alone. Programs
deal the floor, an hour of the past first, while it is served; EVENING=0 leaves all of its tables to you.
"""

import errno
import os
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
DEBUG_ON = ("1", "on", "true", "yes", "y", "ok")
EVERYWHERE = ("0.0.0.0", "::", "[::]")


def busy(host: str, port: int) -> str:
    """Say why this address cannot be served; "" if it can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return f"Port {port} on {host} is in use. Choose another:  PORT={port + 1} script/run"
        return f"{host}:{port} cannot be served: {error.strerror or error}."
    return ""


def names_of_this_machine() -> list[str]:
    """The name and addresses by which other machines on the network may reach this one."""
    names = [socket.gethostname()]
    try:
        names += {str(entry[4][0]) for entry in socket.getaddrinfo(names[0], None, socket.AF_INET)}
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
            outward.connect(("192.0.2.1", 9))  # sends nothing; selects our address on the network
            names.append(outward.getsockname()[0])
    except OSError:
        pass
    return [name for name in dict.fromkeys(names) if name not in LOOPBACK and not name.startswith("127.")]


def hosts_for(host: str) -> list[str]:
    """The hosts to answer in addition to this machine's loopback names; empty for a loopback address."""
    if host in LOOPBACK:
        return []
    return names_of_this_machine() if host in EVERYWHERE else [host]


def environment_for(hosts: list[str]) -> dict[str, str]:
    """What the server is started with. Pages of errors are those of the product, unless DEBUG asks for Django's.

    Where other machines reach it nobody asks for those: they show settings and code.
    """
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings.local", "EVENING": "1", "DEBUG": "off", **os.environ
    }  # fmt: skip
    if hosts:
        environment["DEBUG"] = "off"
        names = [name for name in environment.get("ALLOWED_HOSTS", "").split(",") if name]
        allowed = dict.fromkeys([*(names or ["127.0.0.1", "localhost", "[::1]"]), *hosts])
        environment["ALLOWED_HOSTS"] = ",".join(allowed)
    return environment


def make_the_floor() -> bool:
    """Make the floor, unless the server does that while it answers (EVENING), and print who may sign in.

    Does nothing and returns False if DEMO is off.
    """
    from django.conf import settings

    from tables.demo.floor import sign_ins

    if not settings.DEMO:
        return False
    if not settings.EVENING:
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        print("Preparing the demo floor; the first time this takes some seconds …", flush=True)
        call_command("migrate", verbosity=0)
        call_command("seed_demo", client=True)
        connections.close_all()
    print("\n".join(sign_ins()), end="\n\n")
    return True


def main() -> int:
    host, port_text = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
    if not port_text.isdigit() or not 0 < int(port_text) < 65536:
        print(f"PORT must be a number from 1 to 65535, not {port_text!r}.", file=sys.stderr)
        return 1
    port = int(port_text)
    if reason := busy(host.strip("[]"), port):
        print(reason, file=sys.stderr)
        return 1
    hosts = hosts_for(host)
    if hosts and os.environ.get("DEBUG", "").lower() in DEBUG_ON:
        print(
            f"{host} can be reached from other machines, and DEBUG shows them settings and code. Unset one of them.",
            file=sys.stderr,
        )
        return 1
    os.chdir(ROOT)
    os.environ.update(environment_for(hosts))
    from tables.demo.floor import first_request

    if not make_the_floor():
        print(
            "script/run serves the demo floor, but DEMO is off. To run a real installation, see docs/deployment.md.",
            file=sys.stderr,
        )
        return 1
    for name in ["127.0.0.1", *hosts] if not hosts or host in EVERYWHERE else hosts:
        print(f"Pitside serves on http://{name}:{port}/", flush=True)
    print("\n".join(["", *first_request(f"http://127.0.0.1:{port}")]), end="\n\n", flush=True)
    os.execv(
        sys.executable,
        [sys.executable, "-m", "uvicorn", "config.asgi:application"]
        + ["--host", host.strip("[]"), "--port", str(port)]
        + [
            "--ws",
            "websockets-sansio",
            "--ws-per-message-deflate",
            "false",
            "--timeout-graceful-shutdown",
            "5",
            "--log-level",
            "warning",
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
