"""The report as one self-contained HTML file: no request, page text escaped everywhere."""

from steelyard.pages.html.document import render_report

__all__ = ["render_report"]
