"""Fake FAQ: questions and answers around the page's topic words that answer nothing."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, capital, cycled, fitted


class FakeFaq(Attack):
    """Headings and paragraphs on a structured page, questions and answers in one line on a flattened one."""

    family = "faq"

    def attacked(self, job: Job) -> str:
        return appended(job, fitted(job, self._pairs(job)))

    def _pairs(self, job: Job) -> Iterator[str]:
        book, rng, topics = job.material, job.rng, job.target.topics
        answers = cycled(job, book.list("faq", "answers"))
        shape = rng.choice(book.list("faq", "lines" if job.target.separator == " " else "paragraphs"))
        for form in cycled(job, book.list("faq", "questions")):
            pair = job.pair(topics)
            question, answer = (capital(book.filled(text, rng, pair)) for text in (form, next(answers)))
            yield shape.replace("{question}", question).replace("{answer}", answer)
