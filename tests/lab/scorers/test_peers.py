"""The peers: what they measure, within their range, and that the installed ones need no network once made."""

from __future__ import annotations

import subprocess
import time
from datetime import date
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import POINTS, Passage
from steelyard.lab.scorers.peers import environments
from steelyard.lab.scorers.peers.gopher_rules import apply_rules, measure_share_passed
from steelyard.support import cache as caches
from tests.conftest import ROOT
from tests.packaging.hostile import list_imported, plant_modules

AS_OF = date(2026, 7, 1)
SITE = ROOT / "examples" / "site"
PAGE = (SITE / "science" / "city-noise.md").read_text("utf-8")
HERE = [p for p in peers.PEERS.values() if p.measure]
INSTALLED = [p for p in peers.PEERS.values() if p.adapter]


def points(peer: peers.Peer, *passages: Passage) -> list[float]:
    with peers.PeerScorer(peer, 20.0, AS_OF).open() as session:
        return [session.score(p)[POINTS] for p in passages]


def test_the_peers_here_stay_in_their_range_on_any_text():
    for peer in HERE:
        for text in ["", "né 🙂", "x\0", "\ud800", "word " * 5_000, PAGE * 20]:
            assert 0.0 <= points(peer, Passage(text))[0] <= 100.0


def test_the_peers_here_take_a_megabyte_in_a_few_seconds():
    text = " ".join(f"{w}{i % 977}" for i, w in enumerate((PAGE * 80).split()))[:1_000_000]
    for peer in HERE:
        started = time.process_time()
        points(peer, Passage(text))
        assert time.process_time() - started < 8, peer.name


def test_what_the_peers_here_measure():
    peer = peers.PEERS["length"]
    assert points(peer, Passage("one two three"), Passage("word " * 1_000), Passage("word " * 2_000)) == [0.3, 100, 100]
    once, twice = points(peers.PEERS["compression"], Passage(PAGE), Passage(PAGE * 2))
    assert twice < 0.6 * once
    assert len(apply_rules(PAGE)) == 21
    assert measure_share_passed(PAGE) == 1.0


WORDS = " ".join(f"the {a}{b} of" for a in ("harbour", "market", "river", "mountain", "window") for b in "abcdefgh")
LINES = "\n".join(WORDS.split(" of")[i] + " of and more" for i in range(30))


def test_each_rule_is_broken_by_a_text_made_for_it():
    for broken, text in [
        ("words", "the harbour of the town has a long history"),
        ("mean word length", "to be of it is an " * 10 + " ".join("a" + "bcdefghijk"[i] for i in range(10))),
        ("hash symbols", PAGE + " #" * 80),
        ("ellipses", PAGE + " well..." * 40),
        ("bullet lines", "\n".join("- " + line for line in LINES.splitlines())),
        ("trailing ellipses", "\n".join(line + "…" for line in LINES.splitlines())),
        ("alphabetic words", PAGE + " " + " ".join(str(n) for n in range(1000, 1200))),
        ("stop words", " ".join(f"parola{n}" for n in range(80))),
        ("repeated lines", LINES + "\n" + "\n".join(["and so on it went"] * 40)),
        ("characters in repeated lines", LINES + "\n" + LINES[:400] + "\n" + LINES),
        ("repeated paragraphs", "\n\n".join([*LINES.splitlines()[:6], *["a short one"] * 6])),
        ("characters in repeated paragraphs", LINES.replace("\n", " ") + "\n\n" + LINES.replace("\n", " ")),
        ("top 2-gram", PAGE + " steelyard balance" * 120),
        ("top 3-gram", PAGE + " the steelyard balance" * 100),
        ("top 4-gram", PAGE + " the steelyard balance weighs" * 80),
        *((f"repeated {n}-grams", PAGE.replace("\n", " ") * 2) for n in range(5, 11)),
    ]:
        assert apply_rules(text)[broken] is False, broken


def test_repeats_are_counted_from_the_second_occurrence_and_no_character_twice():
    sentence = " ".join(f"word{n:02d}" for n in range(20))
    fresh = " ".join(f"other{n:03d}" for n in range(300))
    # 20 of 340 words are repeats: far below every threshold, though overlapping 5-grams would sum to far more.
    assert all(apply_rules(f"{sentence} {fresh} {sentence}")[f"repeated {n}-grams"] for n in range(5, 11))


def test_the_cache_is_where_the_variables_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for own, shared, folder in [
        (tmp_path / "own", "", tmp_path / "own"),
        ("", tmp_path / "shared", tmp_path / "shared" / "steelyard"),
        ("", "", tmp_path / ".cache" / "steelyard"),
        ("", "relative", tmp_path / ".cache" / "steelyard"),
    ]:
        monkeypatch.setenv("STEELYARD_CACHE", str(own))
        monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
        assert caches.find_folder() == folder, (own, shared)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Environments in a temporary cache, made by a `venv` and a `pip` that only pretend; the calls they got."""
    calls: list[list[str]] = []

    def run(argv: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(argv)
        if "venv" in argv:
            interpreter = environments._interpreter(Path(argv[-1]))
            interpreter.parent.mkdir(parents=True)
            interpreter.touch()
        return subprocess.CompletedProcess(argv, 0, "")

    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("steelyard.lab.scorers.peers.environments.subprocess.run", run)
    return calls


def test_an_environment_is_made_once_and_again_when_its_pins_change(
    pip: list[list[str]], capsys: pytest.CaptureFixture[str]
):
    first = environments.prepare_environment("trial", "a==1\n")
    assert first.exists()
    assert len(pip) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(": ")[0] for line in err.splitlines()] == ["peer trial"] * 3
    assert environments.prepare_environment("trial", "a==1\n") == first
    assert len(pip) == 2
    environments.prepare_environment("trial", "a==2\n")
    assert len(pip) == 4


def test_making_an_environment_imports_nothing_from_the_current_directory(tmp_path: Path, monkeypatch):
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    plant_modules(hostile)
    monkeypatch.chdir(hostile)
    monkeypatch.setenv(caches.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(SteelyardError, match="trial"):
        environments.prepare_environment("trial", f"a==1 --hash=sha256:{'0' * 64}\n")
    assert list_imported(hostile) == []


def test_an_interrupted_environment_is_made_anew(pip: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    peers_folder = tmp_path / "cache" / "peers"
    environments.prepare_environment("trial", "a==1\n")
    (peers_folder / "trial" / "ready").unlink()
    (peers_folder / "trial.making").mkdir()
    (peers_folder / "trial.making" / "rest").touch()
    python = environments.prepare_environment("trial", "a==1\n")
    assert python.exists()
    assert not (peers_folder / "trial.making").exists()
    assert len(pip) == 4


def test_when_pip_fails_the_reason_is_reported_without_passwords(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    for output, part in [
        ("WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching", "cannot reach"),
        ("ERROR: No matching distribution found for a==1 at https://me:pw@host.example/", "No matching distribution"),
        ("", "exit status 1"),
    ]:
        done = subprocess.CompletedProcess([], 1, output)
        monkeypatch.setattr("steelyard.lab.scorers.peers.environments.subprocess.run", lambda *_, done=done, **__: done)
        with pytest.raises(SteelyardError, match=part) as caught:
            environments.prepare_environment("trial", "a==1\n")
        assert "me:pw" not in str(caught.value)
        assert not (tmp_path / "peers" / "trial").exists()


def test_a_python_without_venv_and_a_cache_that_cannot_be_written_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "file"))
    with pytest.raises(SteelyardError, match=r"cannot be written .*STEELYARD_CACHE"):
        environments.prepare_environment("trial", "a==1\n")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SteelyardError, match=r"no `venv`; install it .*-venv"):
        environments.prepare_environment("trial", "a==1\n")


def test_an_adapter_imports_nothing_of_ours_and_its_lock_pins_every_package():
    for peer in INSTALLED:
        assert "steelyard." not in (peers.ADAPTERS / f"{peer.adapter}.py").read_text("utf-8")
        text = (peers.ADAPTERS / f"{peer.adapter}.txt").read_text("utf-8")
        pins = text.replace(" \\\n    --hash", " --hash").splitlines()
        assert all("==" in pin and "--hash=sha256:" in pin for pin in pins), peer.name
        releases = [pin.partition("==")[2].split()[0] for pin in pins]
        assert any(release in peer.about for release in releases), "the one that the description names"


@pytest.mark.full
@pytest.mark.parametrize("peer", INSTALLED, ids=lambda p: p.name)
def test_the_installed_peers_score_the_example_pages_the_same_each_time(peer: peers.Peer):
    pages = [Passage(p.read_text("utf-8")) for p in sorted(SITE.glob("science/*.md"))[:3]]
    pages += [Passage(p.read_text("utf-8"), "fr") for p in sorted(SITE.glob("fr/*.md"))[:2]]
    first = points(peer, *pages, Passage(""))
    assert points(peer, *pages, Passage("")) == first
    assert len(set(first)) > (0 if peer.is_filter else 2)


@pytest.mark.full
def test_the_installed_filters_drop_what_is_no_page_and_keep_an_article():
    article, no_page = Passage(PAGE), Passage("buy now " * 400)
    for peer in (p for p in INSTALLED if p.is_filter):
        kept, dropped = points(peer, article, no_page)
        assert (kept, kept > dropped) == (100.0, True), peer.name


@pytest.mark.full
def test_the_installed_peers_give_the_figures_measured_when_they_were_pinned():
    pages = [Passage((SITE / p).read_text("utf-8")) for p in ("index.md", "science/city-noise.md")]
    assert points(peers.PEERS["textstat-flesch"], *pages) == [72.46, 62.01]
    assert points(peers.PEERS["geo-optimizer"], *pages) == [24.0, 21.0]
