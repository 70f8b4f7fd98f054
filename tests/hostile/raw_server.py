"""A server on loopback that sends exactly the bytes a test wants, at the pace it wants."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Script = Callable[["Peer"], None]


class Peer:
    """One connection, seen from the server."""

    def __init__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connection, self.over = connection, over

    def read_request(self) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            if not (piece := self.connection.recv(65536)):
                return
            received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        missing = int(lengths[0].split(b":")[1]) - len(body) if lengths else 0
        while missing > 0 and (piece := self.connection.recv(65536)):
            missing -= len(piece)

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def drip(self, data: bytes, *, gap: float = 0.02) -> None:
        """Send a byte now and then, over and over, until the client or the test gives up."""
        while not self.over.is_set():
            for byte in data:
                self.send(bytes([byte]))
                if self.over.wait(gap):
                    return

    def repeat(self, data: bytes) -> None:
        """Send without end, as fast as the client reads."""
        while not self.over.is_set():
            self.send(data)


class RawServer:
    """Where the server listens, and how many connections came."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connections = 0


@contextmanager
def raw_server(script: Script, *, host: str = "127.0.0.1", reads: bool = True) -> Iterator[RawServer]:
    """Run the script on every connection, after the request has been read unless `reads` is false."""
    over = threading.Event()
    listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.settimeout(0.02)
    shown = f"[{host}]" if ":" in host else host
    server = RawServer(f"http://{shown}:{listener.getsockname()[1]}")

    def handle(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(30)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = Peer(connection, over)
            if reads:
                peer.read_request()
            script(peer)

    def accept() -> None:
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                server.connections += 1
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        over.set()
        thread.join()
        listener.close()
