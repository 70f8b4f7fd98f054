"""Forms as browsers send them: read into memory within limits, and only from our own pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import FormParser, MultiPartException, MultiPartParser
from starlette.requests import Request

from steelyard.errors import PageUnreadable
from steelyard.text.decoding import decode
from steelyard.text.html import is_html
from steelyard.web.responses import HTTPError
from steelyard.web.schemas import CHOICES
from steelyard.web.state import get_state

MAX_FIELDS = 20
MAX_FILES = 2
MAX_NAME = 200  # characters of a file's name


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent: its name and its text."""

    name: str
    text: str

    @property
    def is_html(self) -> bool:
        """Whether its name says that it is HTML."""
        return is_html(name=self.name)


@dataclass(frozen=True, slots=True)
class FormValues:
    """The fields of a form as strings, and the files that were chosen."""

    fields: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return a field with the line breaks of the text that was typed; empty where it is missing."""
        return self.fields.get(name, "").replace("\r\n", "\n")

    def choices(self) -> dict[str, Any]:
        """Return language, edition and date, where they were chosen."""
        return {name: value for name in CHOICES if (value := self.fields.get(name, "").strip())}


class _InMemory(MultiPartParser):
    spool_max_size = 1 << 30  # never on disk; the body is smaller than that


async def read_form(request: Request) -> FormValues:
    """Return the fields of a form.

    Raises:
        HTTPError: It is no form, or was not made for the browser that sends it.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    largest = get_state(request).options.max_body
    parser: FormParser | MultiPartParser
    if kind == "multipart/form-data":
        stream = request.stream()
        limits = {"max_files": MAX_FILES, "max_fields": MAX_FIELDS, "max_part_size": largest}
        parser = _InMemory(request.headers, stream, **limits)
    elif kind == "application/x-www-form-urlencoded":
        parser = FormParser(request.headers, request.stream(), max_fields=MAX_FIELDS, max_part_size=largest)
    else:
        raise HTTPError(415, "send this as a form")
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeError):
        raise HTTPError(400, "this form cannot be read; reload the page and send it again") from None
    try:
        items = form.multi_items()
        fields = {name: value for name, value in items if isinstance(value, str)}
        get_state(request).access.check_form(request.headers, fields.pop("csrf", ""))
        return FormValues(fields, await _read_files(items))
    finally:
        await form.close()


async def _read_files(items: list[tuple[str, str | UploadFile]]) -> dict[str, Upload]:
    files = {}
    for name, item in items:
        if isinstance(item, UploadFile) and item.filename:
            shown = item.filename.replace("\\", "/").rpartition("/")[2][:MAX_NAME] or "file"
            try:
                files[name] = Upload(shown, decode(await item.read(), shown))
            except PageUnreadable as error:
                raise HTTPError(422, str(error)) from None
    return files
