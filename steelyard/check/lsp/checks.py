"""Check the text of a document as `steelyard check` would check its file, outside the event loop."""

from __future__ import annotations

import os
import re

from steelyard.check.lsp.documents import CheckedText, CheckFailure
from steelyard.check.result import CheckedPage
from steelyard.check.run import Checker
from steelyard.configuration.file import OWN_NAME, PROJECT_NAME, find_configuration
from steelyard.configuration.globs import IGNORE_FILE, read_ignore_file
from steelyard.errors import InvalidFile, PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse
from steelyard.text.positions import EditorLines

MAX_LENGTH = 1_000_000  # characters; checking these takes some seconds, and every edit would start again
CONFIGURATION_FILES = (OWN_NAME, PROJECT_NAME, IGNORE_FILE)
# As the editors name them: "plaintext" in VS Code, "text" in Neovim and Helix.
LANGUAGES = ("markdown", "mdx", "markdown.mdx", "plaintext", "text", "html", "xhtml")
_TOML_PLACE = re.compile(r"at line ([0-9]{1,9}), column ([0-9]{1,9})")


def examine(checker: Checker, text: str, path: str, encoding: str) -> CheckedText:
    """Check a page, or the file of a configuration."""
    is_configuration = os.path.basename(path) in CONFIGURATION_FILES
    outcome = check_configuration(path) if is_configuration else check_page(checker, text, path)
    return CheckedText(text, EditorLines(text, encoding), outcome)


def check_page(checker: Checker, text: str, path: str) -> CheckedPage | CheckFailure | None:
    """Return the checked page, or why it could not be checked, or None where the configuration leaves it out."""
    try:
        if not checker.find_configuration(path).covers(path):
            return None
        if len(text) > MAX_LENGTH:
            size = f"{len(text):,} characters are over the {MAX_LENGTH:,} that are checked in an editor"
            raise PageUnreadable(f"{size}; `steelyard check` checks the file")
        return checker.check_text(text, path)
    except InvalidFile as error:
        return CheckFailure(str(error), is_configuration=True)
    except SteelyardError as error:
        return CheckFailure(str(error))
    except Exception as error:  # noqa: BLE001 - a bug on one page must not end the server
        return CheckFailure(f"checking failed ({type(error).__name__}: {error}); this is a bug, please report the page")


def check_configuration(path: str) -> CheckFailure | None:
    """Return the error in a configuration file on disk, if the file is used and wrong."""
    folder = os.path.dirname(path)
    try:
        find_configuration(folder)
        read_ignore_file(folder)
    except SteelyardError as error:
        reason = str(error)
        match = _TOML_PLACE.search(reason)
        place = (int(match[1]) - 1, int(match[2]) - 1) if match else (0, 0)
        return CheckFailure(reason, is_configuration=True, place=place) if reason.startswith(path) else None
    except ValueError:  # a path that no file can have
        return None
    return None


def explain(checker: Checker, text: str, path: str) -> PageResult:
    """Return the result from which a page's explanation is made, with the settings of its check.

    Raises:
        SteelyardError: The page cannot be scored, or the configuration cannot be used.
    """
    settings, _ = checker.find_settings(path)
    return analyse(PageRef.from_text(path, text), settings)
