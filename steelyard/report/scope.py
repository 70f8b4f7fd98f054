"""The one sentence that every output carries."""

SCOPE = "text quality, not a forecast of citations"
