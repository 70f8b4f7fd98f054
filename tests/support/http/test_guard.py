"""Only public addresses, and hosts that somebody typed, are connected to."""

from __future__ import annotations

from steelyard.support.http.guard import AddressGuard, is_public

PUBLIC = ("8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8",
          "64:ff9b::808:808", "2002:808:808::1")  # fmt: skip
NOT_PUBLIC = (
    "127.0.0.1", "127.255.255.254", "0.0.0.1", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.2.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "192.88.99.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1",
    "2001:db8::1", "100::1", "2001::1", "3fff::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "localhost", "", "2130706433", "127.1",
)  # fmt: skip


def test_public_addresses_are_public_and_everything_else_is_not() -> None:
    assert [address for address in PUBLIC if not is_public(address)] == []
    assert [address for address in (*NOT_PUBLIC, ".".join("0000")) if is_public(address)] == []


def test_a_typed_host_may_be_private_and_no_other() -> None:
    guard = AddressGuard({"preview.local", "[::1]:8000", "127.0.0.1:8000"})
    for host, port, address, allowed in (
        ("preview.local", 80, "10.0.0.1", True),
        ("PREVIEW.local.", 80, "10.0.0.1", True),
        ("::1", 8000, "::1", True),
        ("127.0.0.1", 8000, "127.0.0.1", True),
        ("127.0.0.1", 8001, "127.0.0.1", False),
        ("other.local", 80, "10.0.0.1", False),
        ("10.0.0.1", 80, "10.0.0.1", False),
        ("example.org", 80, "8.8.8.8", True),
    ):
        assert guard.allows(host, port, address) is allowed, (host, port)
    assert AddressGuard(allow_private=True).allows("any.example", 80, "169.254.169.254")


def test_a_host_that_was_public_stays_so_however_its_name_is_written() -> None:
    guard = AddressGuard({"typed.example"})
    assert guard.allows("typed.example", 80, "8.8.8.8")
    assert not guard.allows("typed.example", 80, "127.0.0.1")
    assert not guard.allows("TYPED.example.", 80, "127.0.0.1")
