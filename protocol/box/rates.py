"""How many requests are too many: a bucket for each address and each party, which refills with time.

Behind a proxy all requests come from this computer. So an address of this computer counts only by what the proxy says
of it, and a party that has logged in counts by itself.
"""

import ipaddress
from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import ceil
from time import monotonic

_SUBNET = 64  # of IPv6, which one holder has as a whole


class Rates:
    """Buckets of `burst` requests that refill at `rate` a second; at most `most` of them are remembered."""

    def __init__(self, *, rate: float, burst: int, most: int = 10_000, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # what is left, and as of when

    def wait(self, key: Hashable) -> int:
        """Takes one request from a bucket: 0 if it had one, or after how many seconds it will."""
        now = self._clock()
        left, then = self._buckets.pop(key, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._rate)
        self._buckets[key] = (left - 1 if left >= 1 else left), now
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0 if left >= 1 else ceil((1 - left) / self._rate)


def counted(peer: str, forwarded: str) -> str | None:
    """The address by which a request counts: the peer's, or what a proxy on this computer says last; None for none."""
    own = _address(peer)
    if own is None:
        return None
    if not own.is_loopback:
        return _whole(own)
    said = _address(forwarded.rpartition(",")[2].strip())
    return None if said is None else _whole(said)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _whole(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """All that one holder has."""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, _SUBNET), strict=False))
