"""A text that is too long to be scored is refused by its length, and one within the limit needs bounded memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from steelyard import pipeline
from steelyard.errors import PageUnreadable
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import read_page, score_text
from steelyard.text.html import DEFAULT_LIMITS
from tests.conftest import ROOT
from tests.native.test_equality import AS_OF

BASE, MAX_MEGABYTES = 150, 550  # of a short page, and of one at the limit
OPTIONS = ("--language", "en", "--edition", "2026")
FEW = replace(DEFAULT_LIMITS, text=1_000)


@pytest.mark.parametrize(
    "text", ["a " * 501, "<!DOCTYPE html><html><body><p>" + "The sea. " * 400 + "</p></body></html>"]
)
def test_a_text_over_the_limit_is_refused_and_one_within_it_is_read(text: str) -> None:
    with pytest.raises(PageUnreadable, match=r"page: [0-9,]+ characters of text is over the limit of 1,000; split"):
        read_page(PageRef("page", text=text), limits=FEW)
    assert read_page(PageRef("page", text=text)).text


def test_html_counts_by_the_text_that_is_taken_from_it() -> None:
    source = f"<!DOCTYPE html><html><body><!-- {'x' * 5_000} --><p>{'The sea is calm. ' * 20}</p></body></html>"
    assert len(read_page(PageRef("page", text=source), limits=FEW).text) < 1_000


def test_a_text_given_to_the_library_may_have_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "DEFAULT_LIMITS", FEW)
    assert score_text("The sea is calm. " * 100, as_of=AS_OF).words == 400


SHAPES: dict[str, Callable[[int], str]] = {
    "letters and digits": lambda size: "".join(f"{chr(97 + n % 23)}{n % 7}" for n in range(size // 2)),
    "headings": lambda size: "# a\n" * (size // 4),
    "sentences": lambda size: "A. " * (size // 3),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("shape", "core", "part"),
    [
        ("letters and digits", "python", 4),
        ("headings", "native", 4),
        *(
            pytest.param(shape, core, 1, marks=pytest.mark.full)
            for shape, core in (
                ("letters and digits", "python"),
                ("headings", "python"),
                ("headings", "native"),
                ("sentences", "python"),
                ("letters and digits", "native"),
                ("sentences", "native"),
            )
        ),
    ],
)
def test_a_page_at_the_limit_is_examined_within_bounded_memory(
    tmp_path: Path, shape: str, core: str, part: int
) -> None:
    """Of a part of the limit, as much as the same part of the bound; the rest is what Python and the words take."""
    if core == "native" and find_spec("steelyard_core") is None:
        pytest.skip("the native core is not built here")
    (tmp_path / "page.md").write_text(SHAPES[shape](DEFAULT_LIMITS.text // part))
    code = (
        "import re, sys\nfrom pathlib import Path\nfrom steelyard.cli.main import main\n"
        "try:\n    main()\nfinally:\n"
        "    used = re.search('VmHWM:\\\\s+([0-9]+)', Path('/proc/self/status').read_text())[1]\n"
        "    print('KILOBYTES', used, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "score", str(tmp_path / "page.md"), "--detect", *OPTIONS],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "STEELYARD_CORE": core}, timeout=580,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert int(done.stderr.rpartition("KILOBYTES")[2]) / 1024 < BASE + (MAX_MEGABYTES - BASE) / part
