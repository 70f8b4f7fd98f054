"""Keep keys and passwords out of what is shown and stored."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

HIDDEN = "[secret]"
_SECRET_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "api-key", "cookie")
_MIN_QUERY_SECRET_LENGTH = 8  # a key in a query is longer; `?format=json` is no secret


def strip_credentials(url: str) -> str:
    """Return the address without user, password, query and fragment, which often hold keys."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "(an address that cannot be read)"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def find_url_secrets(url: str) -> tuple[str, ...]:
    """Return the parts of an address that must not be shown: its password, also as sent, and long query values."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return (url,)
    secrets = [value for _, value in parse_qsl(parts.query) if len(value) >= _MIN_QUERY_SECRET_LENGTH]
    if password:
        secrets = [password, unquote(password), encode_credentials(parts), *secrets]
    return tuple(dict.fromkeys(secrets))


def encode_credentials(parts: SplitResult) -> str:
    """Return the user and the password of an address as the header of basic authorization holds them."""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return base64.b64encode(pair.encode("utf-8", "surrogatepass")).decode("ascii")


def redact(text: str, secrets: Iterable[str]) -> str:
    """Replace every secret in the text, as it is and as it is written in an address."""
    forms = {form for s in secrets if s for form in (s, quote(s), quote(s, safe=""))}
    for form in sorted(forms, key=len, reverse=True):  # a secret may be part of a longer one
        text = text.replace(form, HIDDEN)
    return text


def find_header_secrets(headers: Mapping[str, str]) -> list[str]:
    """Return the values of headers that hold keys, and the key alone where a word such as Bearer precedes it."""
    values = [value for name, value in headers.items() if name.lower() in _SECRET_HEADERS]
    return [secret for value in values for secret in (value, value.split(" ")[-1])]
