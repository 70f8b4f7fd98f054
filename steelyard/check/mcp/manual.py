"""The manual for assistants, made from the code: how the score is made, what findings are, how to use both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from steelyard.advice.rules import RULES
from steelyard.check.measure import GUARD_ACTIONS
from steelyard.check.rule_list import make_component_table, make_table
from steelyard.check.silence import FORM
from steelyard.check.use import USE
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.edition_list import describe_editions, make_tables
from steelyard.scoring.caps import CAPS, CONTENT_CAPS
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE


@dataclass(frozen=True, slots=True)
class ManualPage:
    """A page of the manual: its address, and how its text is made."""

    name: str
    title: str
    about: str
    write: Callable[[], str]

    @property
    def uri(self) -> str:
        """The address by which it is read."""
        return f"steelyard://manual/{self.name}"


def _write_use() -> str:
    return "# Using scores and findings responsibly\n\n" + "".join(f"- {rule}\n" for rule in USE)


def _write_score() -> str:
    blend = f"score = {CONTENT_SHARE} × content + {FRESHNESS_SHARE} × freshness"
    terms = " + ".join(f"{weight:.2f} × {name}" for name, weight in TERMS)
    by_words = "; ".join(f"{limit:g} below {words} words" for words, limit in CAPS)
    (_, lowest), (enough, _) = CONTENT_CAPS
    lines = [
        "# How the score is made",
        "",
        f"The score is {SCOPE}. It sees form, not truth: it follows no link and knows no fact.",
        "",
        "1. Each of the components below measures the page from 0 to 100.",
        "2. Its points are its weight × 100 × √(value / 100). Content is the sum of the points.",
        f"3. Freshness is {terms}; a term without evidence is {NEUTRAL:g}.",
        f"4. {blend}.",
        f"5. A cap limits short pages, by the edition: {by_words}; or rising from {lowest:g} with the different "
        f"content words, up to {enough:g} of them.",
        f"6. A text that is not prose ({', '.join(GUARD_ACTIONS)}) gets a fixed low score instead.",
        "",
        "The weights below are those of the edition `paper`.",
        "",
    ]
    return "\n".join(lines) + "\n" + make_component_table().to_markdown()


def _write_findings() -> str:
    lines = [
        "# Findings",
        "",
        "A finding is a place that a change would improve. `line` and `column` count from 1, `start` and `end` count "
        "code points from 0, all in the page as it was given; the end is just behind the last character. `cost` is "
        "what one repair there would add by the formula. `counted` says what would count as evidence. The "
        "`fingerprint` stays the same while the words of the place stay the same, and equals that of `steelyard "
        "check`.",
        "",
        "Levels, languages, editions and thresholds come from the `steelyard.toml` (or `[tool.steelyard]` in "
        f"`pyproject.toml`) above the file. A comment in the page silences findings: `{FORM}`. Leave both to the "
        "author.",
        "",
    ]
    return "\n".join(lines) + "\n" + make_table(RULES.values()).to_markdown()


def _write_editions() -> str:
    about = "\n".join(f"- `{edition['name']}`: {edition['about']}" for edition in describe_editions())
    tables = "\n".join(table.to_markdown() for table in make_tables())
    return f"# Editions\n\nScores of different editions cannot be compared.\n\n{about}\n\n{tables}"


MANUAL = (
    ManualPage("use", "Responsible use", "What an assistant may and may not do with scores and findings.", _write_use),
    ManualPage(
        "score", "How the score is made", "The components with formulas and weights, and the steps.", _write_score
    ),
    ManualPage("findings", "Findings", "The kinds of findings, their fields and levels.", _write_findings),
    ManualPage("editions", "Editions", "What the editions of the score do differently.", _write_editions),
)
BY_URI = {page.uri: page for page in MANUAL}
