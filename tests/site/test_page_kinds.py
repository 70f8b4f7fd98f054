"""Answers that are no pages: shells of scripts, and "not found" with status 200."""

from __future__ import annotations

from steelyard.site.page_kinds import describe_shell, describe_soft_404, read_canonical

SHELL = """<!doctype html><html><head><title>Shop</title><script src="/app.js"></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"""
WORDS = "The harbour has three basins and a lock. " * 6


def test_a_shell_is_told_from_a_page() -> None:
    needs_script = "needs JavaScript: 0 visible words without it"
    hidden = f"<body><script>{WORDS}</script><style>{WORDS}</style><template>{WORDS}</template></body>"
    for page, reason in (
        (SHELL, needs_script),
        (SHELL.replace('<div id="root"></div>', f"<nav>{WORDS}</nav>"), None),
        ("<html><body><p>short, and without a script</p></body></html>", None),
        (hidden, needs_script),
        (f"<head><title>x</title><script></script><body><p>{WORDS}</p>", None),  # a head without its end
        ("<script>" * 300_000, needs_script),
    ):
        assert describe_shell(page) == reason, page[:200]


def test_a_title_or_heading_may_say_that_the_page_was_not_found() -> None:
    for title in ("404", "Page not found – Shop", "Error 404", "Page introuvable", "Seite nicht gefunden", "Not Found"):
        assert describe_soft_404(title, "", 40) is not None, title
        assert describe_soft_404("Shop", f"# {title}" if title != "Not Found" else title, 40) is not None, title
        assert describe_soft_404(title, "", 900) is None, title  # an article about it
    for other in (
        None, "", "Lost and found", "What we found in 2024", "Peugeot 4040", "Peugeot 404: a car", "The 404 bus",
        "404 ways to cook rice",
    ):  # fmt: skip
        assert describe_soft_404(other, "Our harbour", 40) is None, other


def test_a_declaration_that_pythons_parser_cannot_read() -> None:
    for broken in ("<![ x", "<![ endif]>", "<![foo[", "<!-"):
        head = f'<head>{broken}<link rel="canonical" href="/b"></head>'
        assert read_canonical(head, "https://a.example/") in (None, "https://a.example/b"), broken
        assert describe_shell(f"{broken}<script></script>") in (None, "needs JavaScript: 0 visible words without it")
