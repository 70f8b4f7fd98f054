"""Requests and responses of HTTP, and the error where there is no response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from steelyard.errors import SteelyardError

TOO_MANY_REQUESTS = 429
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_TYPE = 200  # characters of a content type
_MAX_CHARSET = 40

# Why there is no response.
UNREACHABLE = "unreachable"  # no connection, or it broke off
NO_NAME = "no name"  # the name of the host leads to no address
PRIVATE = "private"  # the guard does not allow the address
TIMED_OUT = "timed out"  # the deadline has passed
NOT_HTTP = "not http"  # what came is no HTTP, or has too many headers
TOO_LARGE = "too large"  # over the limit of bytes, packed or unpacked
UNPACKABLE = "unpackable"  # packed in a way that was not asked for, or damaged
OTHER_TYPE = "other type"  # of a content type that was not asked for
REDIRECTED = "redirected"  # to where the caller does not follow
NOT_SENT = "not sent"  # the address or a header cannot be sent


@dataclass(frozen=True, slots=True)
class Request:
    """A request, and how much of its answer is wanted.

    Attributes:
        url: An http or https address in ASCII.
        max_bytes: Bytes of the body, packed and unpacked, at most.
        headers: Sent besides those of the connection. They may be secret.
        method: GET, or POST with `content`.
        content: The body that is sent.
        types: Content types whose body is read; None for all.
        cut: Keep the first `max_bytes` of a longer body instead of refusing it.
        packed: Ask for packed bodies, and unpack them. Otherwise a packed one is refused.
        error_bodies: Read the body of every status, not only of a success.
    """

    url: str
    max_bytes: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    content: bytes = field(default=b"", repr=False)
    types: tuple[str, ...] | None = None
    cut: bool = False
    packed: bool = True
    error_bodies: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """A response of any status.

    Attributes:
        status: The status.
        headers: Names are in lower case; the values of one that occurs several times are joined.
        body: Unpacked; empty where it was not asked for.
        attempts: How often its address was asked.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    attempts: int = 1

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """The type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(",")[0].partition(";")[0].strip().lower()[:_MAX_TYPE]

    @property
    def charset(self) -> str | None:
        """The charset that the content type names."""
        for part in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() == "charset":
                return value.partition(",")[0].strip().strip("\"'").strip()[:_MAX_CHARSET] or None
        return None

    def describe_status(self) -> str:
        """Return `answered with status 404 (Not Found)`."""
        try:
            return f"answered with status {self.status} ({HTTPStatus(self.status).phrase})"
        except ValueError:
            return f"answered with status {self.status}"


class FetchError(SteelyardError):
    """There is no response to use.

    Attributes:
        reason: Why, as the end of a sentence about the address.
        kind: One of the constants of this module.
        is_temporary: Another attempt may help.
        response: The response without its body, where there was one.
    """

    def __init__(
        self, reason: str, kind: str = UNREACHABLE, *, is_temporary: bool = False, response: Response | None = None
    ) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.is_temporary, self.response = reason, kind, is_temporary, response


def too_large(max_bytes: int) -> FetchError:
    """Return the error for a body over its limit."""
    return FetchError(f"is larger than {max_bytes:,} bytes", TOO_LARGE)
