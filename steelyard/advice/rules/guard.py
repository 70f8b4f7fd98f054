"""guard: a page that is no text."""

from __future__ import annotations

from steelyard.advice.rule import Rule


class Guard(Rule):
    topic = "text"
    about = "pages that are empty, or no text of their language"
    what = "The page is nearly empty, or holds no sentences of its language, so its score is fixed."
    why = "Densities of a page without text mean nothing."
    how = "A guard of the score applies: near-empty, gibberish or word-salad. `check` reports it."
    action = "{action}"
    certain_when = "always: the guard decides the score."
