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


def test_a_digest_covers_the_files_that_a_score_in_its_language_reads(copy: Path):
    def digests() -> dict[str, str]:
        forget()
        return {code: languages.digest(code) for code in ("en", "fr")}

    before = digests()
    shutil.copytree(copy / "fr", copy / "xx")
    assert digests() == before, "a new language"
    path = copy / "en" / "words.toml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digests() == before, "other line ends"
    change(copy / "fr" / "paper" / "quotable.toml", "regex = '''", "regex = '''x")
    assert (digests()["en"], digests()["fr"] != before["fr"]) == (before["en"], True), "a French pattern"
    for name in ("shared_words.toml", "shared_macros.toml", "fr/language.toml"):
        before = digests()
        change(copy / name, "\n", "\n\n")
        assert all(digest != before[code] for code, digest in digests().items()), name


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


def test_an_unknown_language_and_one_of_another_edition_are_refused_by_name():
    for read in (languages.load, languages.read_settings):
        with pytest.raises(UnknownName, match="unknown language 'nl'"):
            read("nl")
    with pytest.raises(UnknownName, match=r"unknown language 'de' .*en, fr"):
        languages.load("de")
    assert languages.load("de", "2026", "careful", "unicode").code == "de"


def test_the_languages_of_the_paper_share_their_stop_words_and_months():
    english, french = map(languages.load, editions.load("paper").languages)
    assert 170 <= len(english.stop) <= 190
    assert english.stop == french.stop
    assert {english.months[name] for name in ("may", "mai")} == {5}
    assert set(english.months.values()) == set(range(1, 13))


def test_a_language_is_detected_by_its_function_words_and_script():
    for text, code in {
        "": "en",
        "The tide is high and the board of the harbour is not in the town.": "en",
        "La marée est haute et le registre du port est conservé à la mairie de la ville.": "fr",
        "Der Hund und die Katze sind nicht im Haus, und das ist auch gut für den Garten und für die Vögel.": "de",
        "El puerto y la ciudad no son lo que eran, pero los barcos están en el muelle desde la mañana y hay más.": "es",
        "Ωμέγα Σίσυφος " * 20: "other",
    }.items():
        words = text.lower().replace(",", "").replace(".", "").split()
        assert languages.detect(text, {word: words.count(word) for word in words}) == code, text
