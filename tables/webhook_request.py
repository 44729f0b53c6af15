"""The request of a webhook: to the very address that was checked, with a limit of time, and without redirects.

A receiver chooses what its name stands for, and could let it stand for a machine of the casino, also between a check
and the request. So the name is resolved once, an address is chosen that may be reached, and the connection is made to
that address, with TLS for the name. Private addresses, and requests without TLS, are allowed only in the networks of
`PITSIDE_WEBHOOK_NETWORKS`.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from audit.delivery import Undelivered

TIMEOUT_SECONDS = 20.0
ANSWER_BYTES = 1024  # of an answer are read, and thrown away
LOOPBACK = "127.0.0.1"
NAT64 = ipaddress.ip_network("64:ff9b::/96")
PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")  # Python calls others global, too, such as the old fec0::/10

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class MalformedAddress(ValueError):
    """The text is no address of a webhook; says why."""


class Receiver(NamedTuple):
    """Where a request goes. `path` begins with a slash and has the query."""

    is_tls: bool
    host: str
    port: int
    path: str


def read_address(url: str) -> Receiver:
    """Parse the address of a webhook. Raises MalformedAddress."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise MalformedAddress(f"it cannot be read ({error})") from None
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise MalformedAddress("it must begin with https:// and a host")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise MalformedAddress("it must have no user name, no password and no fragment")
    if not url.isascii() or any(character <= " " or character == "\x7f" for character in url):
        raise MalformedAddress("it must be ASCII without spaces")
    if parts.scheme == "http" and not settings.WEBHOOK_NETWORKS:
        raise MalformedAddress("it must begin with https://")
    is_tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Receiver(is_tls, parts.hostname, port or (443 if is_tls else 80), path)


def verify_reachable(receiver: Receiver) -> None:
    """Refuse a receiver that is named by an address, or `localhost`, to which no request may go. Names nobody resolves.

    A name may lead elsewhere by the time of the request, which is checked then. Raises MalformedAddress.
    """
    host = LOOPBACK if receiver.host == "localhost" else receiver.host
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return
    if not may_reach(address, is_tls=receiver.is_tls):
        raise MalformedAddress(_not_reached(receiver, [str(address)]))


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Send a POST once, within 20 seconds, and return the status of its answer. Raises Undelivered."""
    try:
        receiver = read_address(url)
        address = reachable_address(receiver)
    except MalformedAddress as error:
        raise Undelivered(f"{url} is no address for a webhook: {error}.") from None
    request = _CheckedConnection(receiver, address)
    limit = threading.Timer(TIMEOUT_SECONDS, request.cut)
    limit.start()
    try:
        request.request("POST", receiver.path, body, headers)
        answer = request.getresponse()
        with suppress(OSError, http.client.HTTPException):
            answer.read(ANSWER_BYTES)
        return answer.status
    except ssl.SSLError as error:
        raise Undelivered(f"TLS failed: {error.reason or error}.") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if request.is_cut or isinstance(error, TimeoutError):
            raise Undelivered(f"It did not answer within {TIMEOUT_SECONDS:g} seconds.") from None
        raise Undelivered(f"No answer: {_in_words(error)}.") from None
    finally:
        limit.cancel()
        request.close()


def reachable_address(receiver: Receiver) -> str:
    """Resolve a receiver's name, and return an address that may be reached. Raises Undelivered."""
    try:
        resolved = socket.getaddrinfo(receiver.host, receiver.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Undelivered(f"The name {receiver.host} was not found: {_in_words(error)}.") from None
    addresses = [str(place[0]) for *_rest, place in resolved]
    for address in addresses:
        if may_reach(ipaddress.ip_address(address.partition("%")[0]), is_tls=receiver.is_tls):
            return address
    raise Undelivered(f"{_not_reached(receiver, addresses)}.")


def _not_reached(receiver: Receiver, addresses: list[str]) -> str:
    without = "" if receiver.is_tls else " without TLS"
    resolved = ", ".join(dict.fromkeys(addresses))
    which = "" if resolved == receiver.host else f" is {resolved}, which"
    return (
        f"{receiver.host}{which} is not reached{without}. PITSIDE_WEBHOOK_NETWORKS does not name its network"
    )


def may_reach(address: Address, *, is_tls: bool) -> bool:
    """Whether a request may go to this address: a public one with TLS, or one in a network of the settings."""
    address = _embedded(address)
    if any(address in network for network in settings.WEBHOOK_NETWORKS if network.version == address.version):
        return True
    is_public = address.is_global and (address.version == 4 or address in PUBLIC_IPV6)
    return is_tls and is_public and not address.is_multicast


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 address leads to, or the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


class _CheckedConnection(http.client.HTTPConnection):
    """A connection to one address, with the name of the receiver in TLS and in `Host`. `cut` ends it at any time."""

    def __init__(self, receiver: Receiver, address: str) -> None:
        super().__init__(receiver.host, receiver.port, timeout=TIMEOUT_SECONDS)
        self.receiver, self.address = receiver, address
        self.default_port = 443 if receiver.is_tls else 80  # `Host` has the port where it is another one
        self.is_cut = False

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)
        if self.receiver.is_tls:
            context, host = ssl.create_default_context(), self.receiver.host
            self.sock = context.wrap_socket(self.sock, server_hostname=host, do_handshake_on_connect=False)
        if self.is_cut:
            raise TimeoutError
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()

    def cut(self) -> None:
        """End the connection from another thread, whatever it is waiting for."""
        self.is_cut = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def _in_words(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text or type(error).__name__
