"""Everything that depends on a language, as data: one directory per language, found by its language.toml."""

from steelyard.languages.detection import detect
from steelyard.languages.language import ALL_CODES, CODES, digest, load, read_settings, read_toml

__all__ = ["ALL_CODES", "CODES", "detect", "digest", "load", "read_settings", "read_toml"]
