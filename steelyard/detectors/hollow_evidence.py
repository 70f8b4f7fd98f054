"""hollow_evidence: figures, quotations and sources in sentences that say hardly anything."""

from __future__ import annotations

from bisect import bisect_left

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import is_lower, is_upper

MIN_LETTERS = 3  # letters of a content word
HOLLOW = 3  # content words up to which a sentence is reported
USUAL = 0.003  # per word, so that a long page is not hollow by its length


class HollowEvidence(Detector):
    """Pieces of evidence, each divided by one plus the number of plain content words in its sentence, in the worst run.

    "In 2023 it was 41%." has no content words, so its evidence counts in full. Names and numbers say nothing by
    themselves and are not counted as content words. The cell of a table, which has no function word, is no sentence.
    """

    lowest_threshold = 1.5
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        places = page.evidence
        values, spans, at = [], [], 0
        for first, last in page.sentences:
            end = bisect_left(places, last, at)
            share = 0.0
            if end > at and any(page.is_function_word[first:last]):
                content = _count_content_words(page, first, last)
                share = (end - at) / (1 + content)
                if content <= HOLLOW:
                    spans.append(page.span(first, last - 1))
            values.append(share - USUAL * (last - first))
            at = end
        best, _, _ = find_best_run(values)
        parts = {"evidence": len(places), "hollow_sentences": len(spans)}
        return Measurement(best, parts, tuple(spans[:MAX_PLACES]))


def _count_content_words(page: PageWords, first: int, last: int) -> int:
    """Count the words of a sentence that are neither function words nor names nor numbers."""
    return sum(
        not page.is_function_word[at] and not page.is_name[at] and _is_cased(word) and len(word) >= MIN_LETTERS
        for at, word in enumerate(page.originals[first:last], first)
    )


def _is_cased(word: str) -> bool:
    """Tell whether a word begins with a letter of a script with capitals: others have no plain words to tell apart."""
    return is_lower(word[0]) or is_upper(word[0])
