"""From an answer to the outcome of its address: a score, or the reason why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from steelyard.errors import MissingExtra, PageUnreadable, ReadingFailed
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.site.access.read import Answer, read_access
from steelyard.site.charset import decode_answer
from steelyard.site.duplicates import fingerprint
from steelyard.site.model import FAILED, NOT_MEASURED, PAGE_TYPES, SCORED, Fetched, Visit
from steelyard.site.page_kinds import FEW_WORDS, describe_shell, describe_soft_404, read_canonical
from steelyard.text.html import is_html, needs_scripts


def read_answer(fetched: Fetched) -> PageRef:
    """Return the page of an answer.

    Raises:
        PageUnreadable: It is no page, or the answer is an error; the message says which.
    """
    where = fetched.url
    if fetched.outcome is not None:
        raise PageUnreadable(f"{where}: {fetched.reason}")
    if fetched.status is not None and fetched.status >= 400:
        raise PageUnreadable(f"{where}: answered with status {fetched.status}")
    if fetched.content_type not in PAGE_TYPES:
        raise PageUnreadable(f"{where}: is {fetched.content_type}, not a page")
    text = decode_answer(fetched.body, where, fetched.charset)
    return PageRef(where, text=text, url=where, html=is_html(text, content_type=fetched.content_type))


def measure(fetched: Fetched, settings: Settings) -> Visit:
    """Return the visit of an address; a bug on one page must not lose the others."""
    visit = Visit(
        link=fetched.link, state=FAILED, status=fetched.status, final_url=fetched.url, content_type=fetched.content_type
    )
    if fetched.outcome is not None:
        return replace(visit, state=fetched.outcome, reason=fetched.reason)
    try:
        ref = read_answer(fetched)
    except PageUnreadable as error:
        failed = fetched.status is not None and fetched.status >= 400
        return replace(visit, state=FAILED if failed else NOT_MEASURED, reason=_shorten(error, fetched.url))
    except Exception as error:  # noqa: BLE001 - decoding is other people's code as well
        return replace(visit, reason=_describe_bug(error))
    return measure_ref(ref, visit, settings, fetched)


def measure_ref(ref: PageRef, visit: Visit, settings: Settings, fetched: Fetched | None = None) -> Visit:
    """Return a visit with the score of its page, or with the reason why it has none, and with its access."""
    answer = Answer(visit.final_url or visit.link.url, ref.text if ref.html else None)
    answer = replace(answer, x_robots_tag=fetched.x_robots_tag, link=fetched.link_header) if fetched else answer
    try:
        visit, answer = _try_to_score(ref, visit, answer, settings)
        access = replace(read_access(answer), forbidden=fetched.forbidden if fetched else None)
        return replace(visit, access=access)
    except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
        return replace(visit, state=FAILED, reason=_describe_bug(error), page=None)


def _try_to_score(ref: PageRef, visit: Visit, answer: Answer, settings: Settings) -> tuple[Visit, Answer]:
    try:
        return _score(ref, visit, answer, settings)
    except (PageUnreadable, MissingExtra) as error:
        reason = _shorten(error, ref.source)
        is_scripted = isinstance(error, ReadingFailed) and needs_scripts(error.reason)
        return replace(visit, state=NOT_MEASURED, reason=reason), replace(
            answer, scripted=reason if is_scripted else ""
        )


def _score(ref: PageRef, visit: Visit, answer: Answer, settings: Settings) -> tuple[Visit, Answer]:
    """Return the visit with the score of its page, and the answer with what reading it showed."""
    result = analyse(ref, replace(settings, keep_text=True, sections=False))
    scripted, other = _find_reason(ref, result, visit.status)
    shown = [text for text, _ in result.outline]
    answer = replace(answer, title=result.page.title, shown=shown, scripted=scripted or "")
    reason = scripted or other
    if reason is not None:
        return replace(visit, state=NOT_MEASURED, reason=reason), answer
    text = result.text or ""
    visit = replace(
        visit,
        state=SCORED,
        canonical=read_canonical(ref.text or "", visit.final_url or visit.link.url) if ref.html else None,
        content=_hash_content(result.page.title, text),
        simhash=fingerprint(text),
        page=result.to_dict(with_text=settings.keep_text, with_evidence=False),
    )
    return visit, answer


def _hash_content(title: str | None, text: str) -> str:
    """Return the name of a page's content: what is scored, and nothing of where it came from."""
    return hashlib.sha256(f"{title or ''}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _describe_bug(error: Exception) -> str:
    return f"scoring failed ({type(error).__name__}: {error}); this is a bug, please report the page"


def _find_reason(ref: PageRef, result: PageResult, status: int | None) -> tuple[str | None, str | None]:
    """Return why a page is none: because it needs scripts, or for another reason."""
    page = result.page
    if ref.html and page.words < FEW_WORDS and (shell := describe_shell(ref.text or "")):
        return shell, None
    return None, describe_soft_404(page.title, (result.text or "").strip().partition("\n")[0], page.words, status)


def _shorten(error: Exception, source: str) -> str:
    """Return a message without the address in front of it, which the visit has already."""
    return str(error).removeprefix(f"{source}: ")
