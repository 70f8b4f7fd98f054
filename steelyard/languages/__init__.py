"""Everything that depends on a language, as data: one directory per language, found by its language.toml."""

from steelyard.languages.detection import detect
from steelyard.languages.language import CODES, Language, digest, load, read_toml, settings

__all__ = ["CODES", "Language", "detect", "digest", "load", "read_toml", "settings"]
