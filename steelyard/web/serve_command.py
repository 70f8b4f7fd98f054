"""`steelyard serve`: the app in the browser, and its JSON API."""

from __future__ import annotations

import os

import click

from steelyard.errors import MissingExtra, SteelyardError, explain_os_error
from steelyard.support.regular_file import open_regular_file, require_regular_file
from steelyard.terminal.output import warn

VARIABLE = "STEELYARD_TOKEN"
HOST, PORT, RATE = "127.0.0.1", 8377, 20.0
MAX_TOKEN = 4_096  # bytes of a token file


@click.command("serve")
@click.option("--host", default=HOST, show_default=True, help="Address to listen on; any but loopback needs a token.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 takes a free one."
)
@click.option(
    "--store",
    metavar="URL",
    help="Audits: an SQLite file or a postgresql:// address. [default: STEELYARD_STORE, else your data directory]",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help=f"Ask for the token in this file. [default: {VARIABLE}, if it is set]",
)
@click.option(
    "--public-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Also answer for this name, under which a proxy is reached; repeatable.",
)
@click.option("--allow-private", is_flag=True, help="Fetch and audit private addresses as well, such as localhost.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 100_000),
    default=RATE,
    show_default=True,
    help="Requests a second for each client; 0 for no limit.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def command(  # noqa: PLR0917 - click passes them by name
    host: str,
    port: int,
    store: str | None,
    token_file: str | None,
    names: tuple[str, ...],
    allow_private: bool,
    rate: float,
    opens: bool,
) -> int:
    """Serve a web app: score and compare pages, audit sites, and see their history.

    It listens on this machine only, and needs no account. Texts are scored and forgotten; only audits are stored.
    docs/serve.md says how to run it for others, behind a proxy.
    """
    try:
        from steelyard.web.options import ServeOptions
        from steelyard.web.server import serve
    except ImportError as error:
        raise MissingExtra("web", error.name or "starlette") from error
    from steelyard.native.core import choose_core

    choose_core()  # no page is at fault when it cannot be used
    wildcard = host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
    options = ServeOptions(
        store=store,
        token=_read_token(token_file),
        hosts=(*names, *(() if wildcard else (host,))),
        behind_proxy=bool(names),
        allow_private=allow_private,
        rate=rate,
    )
    serve(options, host, port, lambda url: _announce(url, opens=opens))
    return 0


def _read_token(path: str | None) -> str | None:
    """Return the token of a file, else that of the environment; it is never an argument, which others can read."""
    if path is None:
        return _check_token(os.environ.get(VARIABLE, "").strip(), VARIABLE) or None
    require_regular_file(path, f"save the token to a file, or set {VARIABLE}")
    try:
        with open_regular_file(path) as file:
            data = file.read(MAX_TOKEN + 1)
    except OSError as error:
        raise explain_os_error(path, error) from error
    if len(data) > MAX_TOKEN:
        raise SteelyardError(f"{path}: over {MAX_TOKEN:,} bytes; put nothing but a token into it")
    token = data.decode("utf-8", "replace").strip()
    if not token:
        raise SteelyardError(f"{path}: empty; put a token into it")
    return _check_token(token, path)


def _check_token(token: str, where: str) -> str:
    if not token.isascii() or not token.isprintable():
        raise SteelyardError(
            f"{where}: a token is made of ASCII letters, digits and marks, so that a header can hold it"
        )
    return token


def _announce(url: str, *, opens: bool) -> None:
    warn(f"steelyard: serving {url} (Ctrl-C stops)")
    if opens:
        import webbrowser

        webbrowser.open(url)
