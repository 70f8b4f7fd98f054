"""Reading ease by textstat, clipped to 0 to 100; runs in the environment of that package, outside ours."""

from __future__ import annotations

import textstat  # type: ignore[import-not-found, import-untyped, unused-ignore]

_LOCALES = {"en": "en_US", "fr": "fr_FR"}
_locale = "en_US"


def score(text: str, *, language: str) -> float:
    global _locale  # noqa: PLW0603 - textstat keeps its language in a global of its own
    wanted = _LOCALES.get(language, "en_US")
    if wanted != _locale:
        textstat.set_lang(wanted)
        _locale = wanted
    return min(100.0, max(0.0, float(textstat.flesch_reading_ease(text))))
