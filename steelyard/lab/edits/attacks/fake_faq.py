"""Fake FAQ: questions and answers around the page's topic words that answer nothing."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import AppendingAttack
from steelyard.lab.edits.phrasebook import capitalise


class FakeFaq(AppendingAttack):
    """Headings and paragraphs on a structured page, questions and answers in one line on a flattened one."""

    family = "faq"

    def write_units(self, job: Job) -> Iterator[str]:
        faq = job.texts.lists["faq"]
        answers = job.draw_endlessly(faq["answers"])
        layout = job.rng.choice(faq["lines" if job.target.separator == " " else "paragraphs"])
        for template in job.draw_endlessly(faq["questions"]):
            topics = job.draw_pair(job.target.topics)
            question, answer = (capitalise(job.fill(text, topics)) for text in (template, next(answers)))
            yield layout.replace("{question}", question).replace("{answer}", answer)
