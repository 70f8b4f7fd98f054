"""Answers that are no pages: shells of scripts, and "not found" with status 200."""

from __future__ import annotations

import pytest

from steelyard.site.page_kinds import describe_shell, describe_soft_404, read_canonical

SHELL = """<!doctype html><html><head><title>Shop</title><script src="/app.js"></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"""
WORDS = "The harbour has three basins and a lock. " * 6


def test_a_shell_is_told_from_a_page() -> None:
    assert describe_shell(SHELL) == "needs JavaScript: 0 visible words without it"
    assert describe_shell(SHELL.replace('<div id="root"></div>', f"<nav>{WORDS}</nav>")) is None
    assert describe_shell("<html><body><p>short, and without a script</p></body></html>") is None


def test_what_only_a_script_or_a_style_says_is_not_visible() -> None:
    page = f"<body><script>{WORDS}</script><style>{WORDS}</style><template>{WORDS}</template></body>"
    assert describe_shell(page) is not None


def test_a_head_without_its_end_hides_no_body() -> None:
    assert describe_shell(f"<head><title>x</title><script></script><body><p>{WORDS}</p>") is None


def test_a_long_hostile_page_is_read_in_part() -> None:
    assert describe_shell("<script>" * 300_000) is not None


@pytest.mark.parametrize(
    "title", ["404", "Page not found – Shop", "Error 404", "Page introuvable", "Seite nicht gefunden", "Not Found"]
)
def test_a_title_that_says_not_found(title: str) -> None:
    assert describe_soft_404(title, "", 40) is not None
    assert describe_soft_404("Shop", f"# {title}" if title != "Not Found" else title, 40) is not None
    assert describe_soft_404(title, "", 900) is None  # an article about it


@pytest.mark.parametrize("title", [None, "", "Lost and found", "What we found in 2024", "Peugeot 4040"])
def test_other_titles(title: str | None) -> None:
    assert describe_soft_404(title, "Our harbour", 40) is None


@pytest.mark.parametrize("title", ["Peugeot 404: a car", "The 404 bus", "404 ways to cook rice"])
def test_a_number_alone_is_no_error(title: str) -> None:
    assert describe_soft_404(title, "", 40) is None


@pytest.mark.parametrize("broken", ["<![ x", "<![ endif]>", "<![foo[", "<!-"])
def test_a_declaration_that_pythons_parser_cannot_read(broken: str) -> None:
    head = f'<head>{broken}<link rel="canonical" href="/b"></head>'
    assert read_canonical(head, "https://a.example/") in (None, "https://a.example/b")
    assert describe_shell(f"{broken}<script></script>") in (None, "needs JavaScript: 0 visible words without it")
