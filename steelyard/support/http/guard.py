"""Tell public IP addresses from others, and decide which of the others may be connected to."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

# Public by their number, but answered by the cloud that the machine runs in.
_INTERNAL = frozenset({IPv4Address("168.63.129.16")})
# Beyond what `is_global` knows in every version of Python.
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "224.0.0.0/3",
            "2001::/23",
            "3fff::/20",
        ),
    )
)
_ASSIGNED = ipaddress.ip_network("2000::/3")  # everything public in IPv6
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet.

    False for private, loopback, link-local, metadata, shared (100.64/10), multicast, reserved and unspecified ones,
    for forms that hold one of those inside (IPv4-mapped, 6to4, NAT64), and for what is no IP address.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inside = _find_inner(parsed)
        if inside is not None:
            return is_public(str(inside))
        if parsed not in _ASSIGNED:
            return False
    if parsed in _INTERNAL or any(parsed in network for network in _NOT_PUBLIC if network.version == parsed.version):
        return False
    return parsed.is_global and not parsed.is_multicast


def _find_inner(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that a network would turn this one into."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64 or int(address) >> 32 == 0:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


class AddressGuard:
    """Decides which connections are allowed: to public addresses, and to private ones of hosts that somebody typed.

    A host that was public once must stay so, whoever typed it.

    Args:
        private_hosts: Hosts that may be private, as `localhost` (every port) or `localhost:8000`.
        allow_private: Allow every address.
    """

    def __init__(self, private_hosts: Iterable[str] = (), *, allow_private: bool = False) -> None:
        self._private_hosts = {host.lower().replace("[", "").replace("]", "") for host in private_hosts}
        self._allow_private = allow_private
        self._public_hosts: set[str] = set()

    def allows(self, host: str, port: int, address: str) -> bool:
        """Return whether a connection is allowed.

        Args:
            host: The host as the URL names it.
            port: The port to connect to.
            address: The IP address that the host's name leads to.
        """
        if self._allow_private:
            return True
        name = host.lower().strip("[]").removesuffix(".")
        if is_public(address):
            self._public_hosts.add(name)
            return True
        is_typed = name in self._private_hosts or f"{name}:{port}" in self._private_hosts
        return is_typed and name not in self._public_hosts
