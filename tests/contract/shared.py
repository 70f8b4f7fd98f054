"""What several suites share: a fixed date, a Document or a command in one call, and texts of every kind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import steelyard
from steelyard import languages
from steelyard.components.base import Evidence
from steelyard.scoring.page import PageScore
from steelyard.text.document import Document
from steelyard.text.source import Source
from tests.conftest import run_here
from tests.hostile.pages import within

ROOT = Path(__file__).resolve().parents[2]
AS_OF = "2026-07-01"
LANGUAGES = ("en", "fr")


def score_text(text: str, **options: Any) -> PageScore:
    """Score a text at a fixed date."""
    return steelyard.score(text, as_of=AS_OF, **options)


def document(text: str, language: str = "en", title: str | None = None) -> Document:
    """Return a fresh Document; nothing of it is computed yet."""
    return Document(Source(text), languages.load(language), title)


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a command: a fixed date, and an output that refuses what UTF-8 cannot hold.

    Python's C locale would let half a surrogate pass; a user's UTF-8 locale does not.
    """
    own = {"PYTHONPATH": str(ROOT), "STEELYARD_AS_OF": AS_OF, "PYTHONIOENCODING": "utf-8:strict", "NO_COLOR": "1"}
    return {**os.environ, **own, **(changes or {})}


def run_steelyard(
    *arguments: str | bytes, seconds: float = 120, cwd: Path | None = None, changes: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `steelyard …` in this process; `changes` are variables of its environment."""
    variables: dict[str, Any] = {"NO_COLOR": "1", **(changes or {})}
    with within(seconds):
        done = run_here(*map(os.fsdecode, arguments), cwd=cwd, **variables)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    out, err = (text.encode("utf-8") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def run_process(
    *arguments: str | bytes, seconds: float = 120, cwd: Path | None = None, changes: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `steelyard …` in a process of its own."""
    line: list[str | bytes] = [sys.executable, "-m", "steelyard", *arguments]
    done = subprocess.run(line, capture_output=True, env=environment(changes), cwd=cwd, timeout=seconds, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode("utf-8", "replace")[-2000:]
    return done


def assert_inside(evidence: Evidence, text: str) -> None:
    """Assert that the span is in the text and that the line is that of its start."""
    assert 0 <= evidence.start <= evidence.end <= len(text)
    assert evidence.line == text.count("\n", 0, evidence.start) + 1
    assert evidence.pattern


PROSE = (
    "The harbour board measured the tide for a century, and the record is kept in the town hall. "
    "A tide gauge is an instrument that records the height of the sea against a fixed mark on land. "
    "In 2019 the Harrow Institute reported that the mean level had risen by 14% since 1960. "
    '"We read the gauge twice a day," said Anna Weir, who keeps the ledger. '
    "However, the early readings were taken by eye, and they differ by up to 3 cm from the later ones. "
    "According to a 2021 report by the Harrow Institute, the difference is smaller than the trend."
)
PROSE_FR = (
    "Le port mesure la marée depuis un siècle, et le registre est conservé à la mairie de la ville. "
    "Un marégraphe est un instrument qui enregistre la hauteur de la mer par rapport à un repère fixe. "
    "En 2019, l'Institut Harrow a indiqué que le niveau moyen avait augmenté de 14 % depuis 1960. "
    "« Nous lisons l'échelle deux fois par jour », explique Anne Vasseur, qui tient le registre. "
    "Cependant, les premières lectures étaient faites à l'œil, et elles diffèrent de 3 cm des suivantes. "
    "Selon un rapport de l'Institut Harrow, cet écart reste plus petit que la tendance."
)
STRUCTURED = f"""---
title: How a harbour reads its tide
date: 2026-03-04
---

# How a harbour reads its tide

{PROSE}

## What the ledger holds

{PROSE.replace("harbour", "estuary").replace("gauge", "staff")}

#### What it leaves out

- the hours of fog, when nobody could see the mark
- the years 1914 to 1918, whose pages were lost
- anything read by a visitor

> The sea is never level, wrote the first keeper in 1871, and neither is the man who reads it.

| year | mean level (cm) |
| ---- | --------------: |
| 1960 |             412 |
| 2020 |             431 |

See [the Harrow Institute](https://harrow.example/tides) and [the ledger][1]; <b>both</b> are open.
<!-- nobody reads this -->

```python
level = 431  # <div hidden>
```

[1]: https://ledger.example/
"""
TEXTS: Mapping[str, str] = {
    "empty": "",
    "white space": " \t\n\n \r\n",
    "one word": "Harbour",
    "nine words": "The board of the harbour measured the tide daily.",
    "a paragraph": PROSE,
    "a French paragraph": PROSE_FR,
    "four paragraphs": "\n\n".join([PROSE, PROSE_FR, PROSE.upper(), PROSE[::-1]]),
    "the same block twice": f"{PROSE}\n\n{PROSE}",
    "every kind of mark": STRUCTURED,
    "every kind of mark, CRLF": STRUCTURED.replace("\n", "\r\n"),
    "front matter only": "---\ntitle: Nothing else\ndate: 2026-01-01\n---\n",
    "headings only": "# One\n## Two\n###### Six\n# One more\n",
    "a list only": "".join(f"- item {i} of the list is here and it has a few words\n" for i in range(30)),
    "code only": "```\n" + "for x in range(10): print(x)\n" * 20 + "```\n",
    "a table only": "| a | b |\n|---|---|\n" + "| the first | the second |\n" * 20,
    "hidden only": "<!-- " + PROSE + " -->",
    "stop words": "the of and to in is it that for on with as at by from " * 20,
    "one word often": "harbour " * 400,
    "numbers": " ".join(str(n) for n in range(400)),
    "punctuation": ". ! ? ... ?! " * 100,
    "letters of many scripts": "naïve café ÅNGSTRÖM İstanbul straße Ωμέγα Σίσυφος 水 שלום مرحبا नमस्ते 😀 ﬁn K " * 30,
    "controls": "The \0 harbour \x1b[31m board \x07 measured \u202e the \u2066 tide \ufeff and \ud800 wrote it. " * 10,
    "a long page": "\n\n".join(f"## Part {i}\n\n{PROSE}" for i in range(12)),
    "unclosed marks": "# [ ( < ` * _ | > ~~~ <!-- " * 20,
}
