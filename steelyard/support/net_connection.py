"""One connection per call, within the call's deadline and byte limits.

The timeouts of httpx and httpcore start again with every read, so a server that sends a byte now and then is never
late, and nothing counts what surrounds a body. Here every wait ends at the deadline, and every byte counts.

No connection is used twice: a server that sends more than it announced would answer the next call with the rest.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

MOST_HEADERS = 100
MOST_HEAD_BYTES = 64 * 1024  # the status line and the headers, with every 1xx answer before them
_CHUNK = 16 * 1024


class ConnectTimedOut(TimeoutError):
    """There was no connection in time."""


class TooManyBytes(Exception):
    """The server sent more than the call allows."""


class BadHead(Exception):
    """The headers of the answer are more or longer than allowed; the text says which."""


class Budget:
    """What one call may still use: seconds until its deadline, and bytes.

    Args:
        clock: The clock of the deadline.
        deadline: When the call must be over.
        most_bytes: How many bytes may come after the headers.
    """

    def __init__(self, clock: Callable[[], float], deadline: float, most_bytes: int) -> None:
        self._clock, self._deadline, self._most = clock, deadline, most_bytes
        self._received = 0
        self._in_head = True

    def wait_for(self, timeout: float | None) -> float:
        """Return the seconds that the next step may take, at most `timeout`; raise TimeoutError when none are left."""
        left = self._deadline - self._clock()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left if timeout is None else min(left, timeout)

    def check_bytes(self) -> None:
        """Refuse to read on when the limit is reached."""
        if self._in_head and self._received >= MOST_HEAD_BYTES:
            raise BadHead(f"over {MOST_HEAD_BYTES:,} bytes before the answer itself")
        if self._received > MOST_HEAD_BYTES + self._most:
            raise TooManyBytes

    def add_bytes(self, count: int) -> None:
        self._received += count

    def end_head(self) -> None:
        """From here on the bytes are the body's."""
        self._in_head = False


class _Stream:
    """A socket as httpcore uses it."""

    def __init__(self, connected: socket.socket, budget: Budget) -> None:
        self._socket, self._budget = connected, budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._budget.check_bytes()
        self._socket.settimeout(self._budget.wait_for(timeout))
        piece = self._socket.recv(min(max_bytes, _CHUNK))
        self._budget.add_bytes(len(piece))
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        import httpcore

        rest = memoryview(buffer)
        while rest:
            self._socket.settimeout(self._budget.wait_for(timeout))
            try:
                rest = rest[self._socket.send(rest) :]
            except TimeoutError:
                raise
            except OSError as error:  # httpcore then looks for an answer, which may say why the server reads no more
                raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Stream:
        try:
            # Python's handshake keeps this timeout as a whole, however slowly the bytes come.
            self._socket.settimeout(self._budget.wait_for(timeout))
            return _Stream(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname), self._budget)
        except BaseException as error:
            self.close()
            if isinstance(error, TimeoutError):
                raise ConnectTimedOut from error
            if isinstance(error, ValueError):  # a host name that cannot be checked
                raise OSError(str(error)) from error
            raise

    def get_extra_info(self, _name: str) -> None:
        """Know nothing: httpcore asks for what HTTP/2 and kept connections need."""


class _Backend:
    """What httpcore asks for a connection."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **_: Any) -> _Stream:
        try:
            addresses = _look_up(host, port, self._budget.wait_for(timeout))
            for number, address in enumerate(addresses):
                # Each address gets its part: one that swallows packets must not use up the time of the others.
                seconds = self._budget.wait_for(timeout) / (len(addresses) - number)
                try:
                    return _Stream(_connect(address, seconds), self._budget)
                except OSError:
                    if number + 1 == len(addresses):
                        raise
        except TimeoutError as error:
            raise ConnectTimedOut from error
        raise OSError("the name has no address")


def _look_up(host: str, port: int, seconds: float) -> list[Any]:
    """Return the addresses of a name; in a thread of its own, because the system's resolver knows no deadline."""
    answers: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            answers.put(error)
        except ValueError as error:  # a name that cannot be encoded
            answers.put(OSError(str(error)))

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(found, Exception):
        raise found
    return found


def _connect(address: Any, seconds: float) -> socket.socket:
    family, kind, protocol, _, where = address
    connected = socket.socket(family, kind, protocol)
    try:
        connected.settimeout(seconds)
        connected.connect(where)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connected.close()
        raise
    return connected


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose body has not been read; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


@contextmanager
def send(
    request: httpx.Request, certificates: ssl.SSLContext, budget: Budget, *, connect: float, read: float
) -> Iterator[Answer]:
    """Send a request on a connection of its own, which is closed at the end of the block.

    Args:
        request: An http or https request with a body.
        certificates: Those that are trusted.
        budget: What the call may use.
        connect: Seconds to connect, and again for TLS.
        read: Seconds between two pieces of the answer.

    Raises:
        TimeoutError: The deadline has passed, or one of the other times; before the connection, ConnectTimedOut.
        OSError: The connection failed.
        BadHead: The headers are too many or too long.
        TooManyBytes: The answer is too long.
        httpcore.ProtocolError: The answer is no HTTP.
    """
    import httpcore

    url = request.url
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    backend: Any = _Backend(budget)
    timeouts = {"connect": connect, "read": read, "write": read}
    with httpcore.HTTPConnection(target.origin, ssl_context=certificates, network_backend=backend) as connection:
        answer = connection.handle_request(
            httpcore.Request(
                request.method,
                target,
                headers=request.headers.raw,
                content=request.read(),
                extensions={"timeout": timeouts},
            )
        )
        if len(answer.headers) > MOST_HEADERS:
            raise BadHead(f"over {MOST_HEADERS} headers")
        budget.end_head()
        yield Answer(answer.status, _join_headers(answer.headers), answer.iter_stream())


def _join_headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name; the values of one that occurs several times are joined."""
    joined: dict[str, list[str]] = {}
    for name, value in pairs:
        joined.setdefault(name.decode("latin-1").lower(), []).append(value.decode("utf-8", "replace"))
    return {name: ", ".join(values) for name, values in joined.items()}
