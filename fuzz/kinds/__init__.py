"""The kinds of inputs that are fuzzed, one file for each group."""

from __future__ import annotations

from collections.abc import Mapping

from fuzz.case import Kind
from fuzz.kinds.answers import Answers
from fuzz.kinds.configuration import Baselines, Configurations, IgnoreFiles, Weightings
from fuzz.kinds.journals import Journals
from fuzz.kinds.models import Models
from fuzz.kinds.pages import Characters, Comments, FrontMatter, Html, LongHtml, LongPages, Markdown
from fuzz.kinds.records import OutcomeRecords, Records
from fuzz.kinds.repository import Repositories

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Markdown(), Characters(), FrontMatter(), Comments(), Html(), LongPages(), LongHtml(), Records(),
        OutcomeRecords(), Journals(), Configurations(), IgnoreFiles(), Baselines(), Weightings(), Models(), Answers(),
        Repositories(),
    )
}  # fmt: skip
