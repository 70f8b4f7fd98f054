"""Languages as directories: which exist, what their digests cover, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from steelyard import languages
from steelyard.errors import InvalidLanguageData, UnknownName
from steelyard.languages import language
from steelyard.scoring import editions

FOLDER = Path(language.__file__).parent


def forget() -> None:
    """Clear everything that was read from the language directories."""
    for function in (language.digest, language.load, language.read_settings):
        function.cache_clear()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the language directories, without the word tables, which the module under test reads instead."""
    folder = tmp_path / "languages"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "*.txt", "__pycache__"))
    forget()
    monkeypatch.setattr(language, "_ROOT", folder)
    yield folder
    forget()


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    forget()


def test_the_supported_languages_are_the_directories_with_a_language_file():
    assert set(languages.CODES) == {path.parent.name for path in FOLDER.glob("*/language.toml")}
    assert languages.CODES[0] == "en"
    assert sorted(languages.CODES[1:]) == list(languages.CODES[1:])
    assert editions.load("2026").languages == ("en", "fr", "de", "es")
    assert editions.load("paper").languages == ("en", "fr")


def test_a_new_language_directory_leaves_the_other_digests_unchanged(copy: Path):
    before = {code: languages.digest(code, "2026") for code in languages.CODES}
    shutil.copytree(copy / "fr", copy / "xx")
    forget()
    assert {code: languages.digest(code, "2026") for code in languages.CODES} == before


def test_a_changed_french_pattern_changes_the_french_digest_only(copy: Path):
    english, french = languages.digest("en"), languages.digest("fr")
    assert english != french
    change(copy / "fr" / "paper" / "quotable.toml", "regex = '''", "regex = '''x")
    assert languages.digest("fr") != french
    assert languages.digest("en") == english


@pytest.mark.parametrize("name", ["shared_words.toml", "shared_macros.toml", "fr/language.toml"])
def test_a_changed_file_that_both_languages_read_changes_both_digests(copy: Path, name: str):
    before = {code: languages.digest(code) for code in ("en", "fr")}
    change(copy / name, "\n", "\n\n")
    assert all(languages.digest(code) != before[code] for code in before)


def test_line_ends_do_not_change_a_digest(copy: Path):
    before = languages.digest("en")
    path = copy / "en" / "words.toml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    forget()
    assert languages.digest("en") == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("why = ", "because = ", "missing why"),
        ("regex = '''", "regex = '''.", "not in the dialect"),
        ("regex = '''", "regex = '''<NOPE>", "unknown macro"),
    ],
)
def test_an_invalid_pattern_is_refused_with_its_file_and_id(copy: Path, old: str, new: str, message: str):
    change(copy / "en" / "paper" / "quotable.toml", old, new)
    with pytest.raises(InvalidLanguageData, match=rf"en/paper/quotable\.toml: .+{message}"):
        languages.load("en")


def test_an_id_that_is_used_twice_is_refused(copy: Path):
    path = copy / "en" / "patterns" / "opener.toml"
    first = path.read_text("utf-8").split("[[pattern]]")[1]
    path.write_text(f"{path.read_text('utf-8')}\n[[pattern]]{first}", "utf-8")
    with pytest.raises(InvalidLanguageData, match="used twice"):
        languages.load("en")


@pytest.mark.parametrize("read", [languages.load, languages.read_settings])
def test_an_unknown_language_is_refused_by_name(read):
    with pytest.raises(UnknownName, match="unknown language 'nl'"):
        read("nl")


def test_a_language_of_another_edition_is_refused_by_name():
    with pytest.raises(UnknownName, match=r"unknown language 'de' .*en, fr"):
        languages.load("de")
    assert languages.load("de", "2026", "careful", "unicode").code == "de"


def test_the_stop_words_are_shared_by_the_languages_of_the_paper():
    stop = languages.load("en").stop
    assert 170 <= len(stop) <= 190
    assert all(languages.load(code).stop == stop for code in editions.load("paper").languages)


def test_months_are_read_in_both_languages():
    months = languages.load("en").months
    assert {months[name] for name in ("may", "mai")} == {5}
    assert set(months.values()) == set(range(1, 13))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "en"),
        ("The tide is high and the board of the harbour is not in the town.", "en"),
        ("La marée est haute et le registre du port est conservé à la mairie de la ville.", "fr"),
        ("Der Hund und die Katze sind nicht im Haus, und das ist auch gut für den Garten und für die Vögel.", "de"),
        (
            "El puerto y la ciudad no son lo que eran, pero los barcos están en el muelle desde la mañana y hay más.",
            "es",
        ),
        ("Ωμέγα Σίσυφος " * 20, "other"),
    ],
)
def test_a_language_is_detected_by_its_function_words_and_script(text: str, code: str):
    words = text.lower().replace(",", "").replace(".", "").split()
    assert languages.detect(text, {word: words.count(word) for word in words}) == code
