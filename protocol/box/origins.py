"""The name of a server: an origin such as https://trent.example, which the party signs when it logs in.

Both sides write it in one way, so that the same server never has two names.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from protocol.box.errors import BadOrigin

_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")


@dataclass(frozen=True, slots=True)
class Origin:
    """A server by scheme, host and port."""

    scheme: str
    host: str
    port: int

    @property
    def encrypted(self) -> bool:
        """Whether the connection is one of TLS."""
        return self.scheme == "https"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def parse(text: str) -> Origin:
    """The server that a text names. Plain HTTP goes to this computer alone."""
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise _bad(text) from None
    rest = parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password
    if parts.scheme not in _PORTS or rest or not _is_host(host) or port == 0:
        raise _bad(text)
    if parts.scheme == "http" and not is_loopback(host):
        raise BadOrigin(
            f"{text} is plain HTTP, which anybody on the way can read and change; it is accepted only for this "
            "computer (127.0.0.1). Use https://"
        )
    return Origin(parts.scheme, _canonical(host), port or _PORTS[parts.scheme])


def is_loopback(host: str) -> bool:
    """Whether a host is this computer."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _NAME.fullmatch(host) is not None
    return "%" not in host


def _canonical(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host


def _bad(text: str) -> BadOrigin:
    return BadOrigin(
        f"{text!r} does not name a server; write it as https://trent.example or https://trent.example:8470, "
        "without a path"
    )
