"""The options of `steelyard serve`, and the limits of a request."""

from __future__ import annotations

import os
from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MIN_TOKEN = 16  # characters; a shorter one could be guessed


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The settings of a server; the defaults are those of one person on one machine."""

    store: str | None = None  # None: the default store of audits
    token: str | None = None  # None: nobody is asked for one, which is allowed on loopback only
    hosts: tuple[str, ...] = ()  # names besides those of loopback under which requests may come in
    behind_proxy: bool = False  # whether the client's address is in X-Forwarded-For
    allow_private: bool = False  # whether private addresses may be fetched
    rate: float = 20.0  # requests a second for each client; 0: no limit
    max_body: int = 2_000_000  # bytes
    max_upload_seconds: float = 30.0  # seconds to receive a request's body
    max_work_seconds: float = 60.0  # seconds to answer
    processes: int = max(2, os.cpu_count() or 1)  # that score
    waiting: int = 200  # requests that may wait for one
    fetches: int = 4  # pages that are fetched at a time
