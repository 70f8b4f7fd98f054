"""Make the playground: one static folder that scores text and Markdown in the browser, without a server.

    ./run playground [FOLDER]    default: .cache/playground; show it with any server of static files, for example
                                 python3 -m http.server -d .cache/playground

Python for the browser comes from npm with the hash in integrations/playground/pyodide.toml, everything else from this
checkout and its environment.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib
import io
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "integrations" / "playground"
CACHE = ROOT / ".cache"
EXAMPLE = ROOT / "examples" / "site" / "shop" / "olive-oil.md"
COPIED = ("playground.js", "worker.js")
APP_SCRIPTS = (
    "report.js",
    "editor.js",
    "live.js",
)  # of the app's first page, as far as it has them; they follow playground.js
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
LIBRARIES = ("jinja2", "markupsafe")  # what the app's templates need
# Parts of the package that score no page; the last ones make the laboratory's edits.
LEFT_OUT = ("check/", "cli/", "corpora/", "lab/", "site/")
LEFT_OUT_OF_A_LANGUAGE = "edits"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file in the archive, so that the same sources make the same bytes


def build(folder: Path) -> None:
    """Write the playground into a folder, which is replaced.

    Raises:
        SystemExit: The folder holds something else, or the runtime cannot be fetched.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "playground.js").is_file():
        raise SystemExit(f"playground: {folder} is not empty, and no playground; choose another folder")
    runtime = read_runtime()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name, data in runtime.items():
        (folder / "pyodide" / name).write_bytes(data)
    for name in COPIED:
        shutil.copyfile(SOURCE / name, folder / name)
    write_page(folder)
    write_packages(folder / "packages.zip")


def read_lock() -> dict[str, str]:
    """Return the version and the hash of the runtime."""
    return tomllib.loads((SOURCE / "pyodide.toml").read_text("utf-8"))


def read_runtime() -> dict[str, bytes]:
    """Return the files of Python for the browser, fetched once.

    Raises:
        SystemExit: npm is missing or fails, or the package is not the one in the lock.
    """
    lock = read_lock()
    archive = CACHE / "pyodide" / f"pyodide-{lock['version']}.tgz"
    if not archive.is_file():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("playground: npm is needed to fetch Python for the browser, and there is none here")
        archive.parent.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", "--silent", "--ignore-scripts", f"pyodide@{lock['version']}"]
        if subprocess.run(command, cwd=archive.parent, stdout=subprocess.DEVNULL, check=False).returncode:
            raise SystemExit(f"playground: npm cannot fetch pyodide {lock['version']}; is the registry reachable?")
    packed = archive.read_bytes()
    if "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode() != lock["integrity"]:
        archive.unlink()
        raise SystemExit("playground: the fetched Python is not the one in the lock, so it was deleted; try again")
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        members = {name: opened.extractfile(f"package/{name}") for name in RUNTIME}
        return {name: member.read() for name, member in members.items() if member}


def write_page(folder: Path) -> None:
    """Write the page with the templates, the styles and the script of the app."""
    from steelyard.languages import CODES
    from steelyard.scoring import editions
    from steelyard.web.render import STYLE, make_templates, read_static

    scripts = {name: data for name in APP_SCRIPTS if (data := read_static(name))}
    template = make_templates().from_string((SOURCE / "index.html").read_text("utf-8"))
    page = template.render(
        languages=("auto", *CODES),
        editions=editions.NAMES,
        edition=editions.DEFAULT,
        scripts=("playground.js", *scripts),
        example=EXAMPLE.read_text("utf-8"),
        pyodide=read_lock()["version"],
    )
    (folder / "index.html").write_text(page.lstrip(), encoding="utf-8")
    own = (SOURCE / "playground.css").read_bytes()
    (folder / STYLE).write_bytes((read_static(STYLE) or b"") + own)
    for name, data in scripts.items():
        (folder / name).write_bytes(data)


def write_packages(path: Path) -> None:
    """Write what Python imports there, as one archive."""
    files = {"score_page.py": SOURCE / "score_page.py"}
    for package in ("steelyard", *LIBRARIES):
        folder = Path(importlib.import_module(package).__file__ or "").parent
        files |= {f"{package}/{name}": folder / name for name in list_files(folder)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name].read_bytes())


def list_files(folder: Path) -> Iterator[str]:
    """Yield the files of a package that run in the browser: no compiled ones, and not what scores no page."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        compiled = path.suffix in (".so", ".pyd", ".pyc", ".c", ".pyi")
        if path.is_file() and not compiled and not (folder.name == "steelyard" and is_left_out(name)):
            yield name


def is_left_out(name: str) -> bool:
    """Return whether a file of the package scores no page."""
    return name.startswith(LEFT_OUT) or (name.startswith("languages/") and f"/{LEFT_OUT_OF_A_LANGUAGE}/" in name)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="./run playground", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", type=Path, default=CACHE / "playground")
    folder = parser.parse_args().folder
    build(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"playground: {size / 1e6:.1f} MB in {folder}; to see it: python3 -m http.server -d {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
