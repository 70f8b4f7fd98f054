"""Fake FAQ: questions and answers around the page's topic words that answer nothing."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_blocks, draw_endlessly, select_units
from steelyard.lab.edits.phrasebook import capitalise


class FakeFaq(Attack):
    """Headings and paragraphs on a structured page, questions and answers in one line on a flattened one."""

    family = "faq"

    def rewrite(self, job: Job) -> str:
        return append_blocks(job, select_units(job, self._write_pairs(job)))

    def _write_pairs(self, job: Job) -> Iterator[str]:
        faq = job.texts.lists["faq"]
        answers = draw_endlessly(job, faq["answers"])
        layout = job.rng.choice(faq["lines" if job.target.separator == " " else "paragraphs"])
        for template in draw_endlessly(job, faq["questions"]):
            topics = job.draw_pair(job.target.topics)
            question, answer = (capitalise(job.fill(text, topics)) for text in (template, next(answers)))
            yield layout.replace("{question}", question).replace("{answer}", answer)
