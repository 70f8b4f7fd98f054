"""Everything that depends on a language, as data: one directory per language, found by its language.toml."""

from steelyard.languages.detection import detect
from steelyard.languages.language import (
    CODES,
    capitalises_nouns,
    digest,
    has_file,
    list_with,
    load,
    read_settings,
    read_shared,
    read_toml,
)

__all__ = [
    "CODES", "capitalises_nouns", "detect", "digest", "has_file", "list_with", "load", "read_settings", "read_shared",
    "read_toml",
]  # fmt: skip
