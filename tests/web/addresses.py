"""The addresses of the app, from its routes."""

from __future__ import annotations

from urllib.parse import quote

from steelyard.web.app import HANDLERS
from steelyard.web.openapi import OPERATIONS

REPORT = "/sites/{site}/audits/{number}/report"  # a file to keep
NO_PAGES = {REPORT, "/healthz", "/api/openapi.json", "/static/{name}", *(operation.path for operation in OPERATIONS)}
NOT_IN_NAVIGATION = {"/login"}  # who is logged in needs it no more

# Of one site or one audit as well: `fill_address` puts these in.
PAGES = [path for method, path, _ in HANDLERS if method == "GET" and path.replace(":audit", "") not in NO_PAGES]
NAVIGATION = [path for path in PAGES if "{" not in path and path not in NOT_IN_NAVIGATION]


def fill_address(path: str, site: str = "example.org", audit: int = 1) -> str:
    """Return the address of a route for one site and one audit."""
    asked = f"?url={quote(f'https://{site}/page-1', safe='')}" if path.endswith("/page") else ""
    return path.replace("{number:audit}", str(audit)).replace("{site}", site) + asked
