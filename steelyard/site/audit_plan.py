"""The options of `steelyard audit` as a plan and the options of a crawl."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import click

from steelyard.errors import SteelyardError
from steelyard.inputs.page_ref import read_bytes
from steelyard.site.addresses import name_site, normalise, same_site
from steelyard.site.audit import Plan
from steelyard.site.crawl.options import USER_AGENT, CrawlOptions
from steelyard.support.escape import make_visible
from steelyard.text.decoding import decode

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")  # and no host with its port
MAX_LIST_BYTES = 50_000_000  # bytes of a file with addresses


def make_plan(url: str | None, options: Mapping[str, Any]) -> tuple[Plan, CrawlOptions | None]:
    """Return what is audited, and how.

    Raises:
        SteelyardError: Nothing, or too much, is named.
    """
    directory, listed, sitemaps = options["directory"], options["urls"], options["sitemaps"]
    logs = tuple(options["logs"])
    if options["public_only"] and options["allow_private"]:
        raise click.UsageError("--public-only and --allow-private exclude each other")
    if sum(map(bool, (directory, listed, url or sitemaps))) != 1:
        raise click.UsageError("give an address (or --sitemap), or --urls FILE, or --from-dir DIR")
    if directory is not None:
        if options["max_time"] is not None:
            raise click.UsageError("--max-time is for a site; --from-dir reads files")
        if not os.path.isdir(directory):
            raise SteelyardError(f"{directory}: no such directory")
        return Plan(os.path.basename(os.path.abspath(directory)) or directory, directory=directory, logs=logs), None
    typed = [_normalise(url, "URL")] if url else []
    addresses = read_addresses(listed) if listed else typed
    maps = tuple(_normalise(address, "--sitemap") for address in sitemaps)
    first = (addresses or list(maps))[0]
    plan = Plan(name_site(first), tuple(addresses), listed=bool(listed), logs=logs)
    return plan, _make_options(options, [*addresses, *maps], maps, follow=not listed and bool(addresses))


def _make_options(
    options: Mapping[str, Any], typed: Sequence[str], sitemaps: tuple[str, ...], *, follow: bool
) -> CrawlOptions:
    names = ("max_pages", "max_depth", "concurrency", "delay", "timeout", "max_bytes", "retries", "allow_private")
    return CrawlOptions(
        **{name: options[name] for name in names},
        user_agent=options["user_agent"] or USER_AGENT,
        max_seconds=options["max_time"],
        site=typed[0],
        obey_robots=not options["ignore_robots"],
        headers=_read_headers(options["headers"]),
        private_hosts=frozenset(() if options["public_only"] else (urlsplit(address).netloc for address in typed)),
        follow=follow,
        sitemaps=sitemaps,
        use_sitemaps=follow,
    )


def _normalise(address: str, option: str) -> str:
    normal = normalise(_complete(address))
    if normal is None:
        raise SteelyardError(f"{option}: {address!r} is no address; give one such as https://example.org/")
    return normal


def _complete(address: str) -> str:
    """Return an address with its scheme: "example.org" is https, a preview such as "localhost:3000" is http."""
    if "://" in address or _SCHEME.match(address):
        return address
    host = urlsplit(f"//{address}").hostname or ""
    is_own = host == "localhost" or host.replace(".", "").isdigit() or ":" in host
    return f"{'http' if is_own else 'https'}://{address}"


def read_addresses(path: str) -> list[str]:
    """Return the addresses in a file, all of one site.

    Raises:
        SteelyardError: A line is no address, or of another site, or there is none.
    """
    lines = decode(read_bytes(path, MAX_LIST_BYTES, "give fewer addresses"), path).splitlines()
    addresses: list[str] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        address = normalise(text)
        if address is None:
            raise SteelyardError(f"{path}:{number}: {make_visible(text[:100])!r} is no address")
        if addresses and not same_site(address, addresses[0]):
            site = name_site(addresses[0])
            raise SteelyardError(
                f"{path}:{number}: {make_visible(text[:100])} is not on {site}; audit one site at a time"
            )
        addresses.append(address)
    if not addresses:
        raise SteelyardError(f"{path}: holds no addresses; give one per line")
    return addresses


def _read_headers(options: Sequence[str]) -> dict[str, str]:
    headers = {}
    for text in options:
        name, separator, variable = text.partition("=")
        if not separator or not name.strip() or not variable:
            raise SteelyardError("--header: give NAME=VARIABLE, where the environment variable holds the value")
        value = os.environ.get(variable)
        if value is None:
            raise SteelyardError(f"--header: the environment variable {variable} is not set")
        if any(ord(c) < 32 or ord(c) == 127 for c in value) or not value.isascii():
            raise SteelyardError(f"--header: the value of {variable} is no header value (one line of ASCII)")
        headers[name.strip()] = value
    return headers
