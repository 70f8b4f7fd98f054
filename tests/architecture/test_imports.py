"""The house: a room imports the rooms above it, never those below."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard

PACKAGE = Path(steelyard.__file__).parent

# From docs/architecture.md, top to bottom; a room may import itself and what stands before it.
ROOMS = (
    "base", "render", "maths", "stats", "text", "packs", "sources", "components", "score", "detect",
    "scorers", "edits", "protocol", "gaming", "outcome", "ranking", "study",
    "report", "cli",
)  # fmt: skip
PRODUCT = ROOMS[: ROOMS.index("detect") + 1]
LABORATORY = ROOMS[len(PRODUCT) : ROOMS.index("report")]
# Three imports that state the method: (importer, imported).
FORBIDDEN = (
    *(("protocol.gates", f"protocol.{anchors}") for anchors in ("anchors",)),
    *((room, laboratory) for room in PRODUCT for laboratory in LABORATORY),
    *((f"ranking.{room}", "outcome") for room in ("features", "lexical", "structure", "signals", "folds", "models")),
)
LABORATORY_PACKAGES = {
    "numpy",
    "scipy",
    "sklearn",
    "lightgbm",
    "matplotlib",
    "datasketch",
    "onnxruntime",
    "pandas",
    "torch",
    "wordllama",
}


# The only places of the product that know such a package, and import it when they are called, not when they load.
LAZY = {f"render.{name}": {"matplotlib"} for name in ("picture", "lettering", "sheet", "plot", "frames")}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        dotted = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield dotted.removesuffix(".__init__"), path


def imports(path: Path) -> Iterator[str]:
    """Everything a file imports from this package (without the package's name), and other top-level packages."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own(names: Iterator[str]) -> Iterator[str]:
    for name in names:
        if name.startswith("steelyard."):
            yield name.removeprefix("steelyard.")


def test_every_folder_is_a_room() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize(("name", "path"), [pytest.param(n, p, id=n) for n, p in modules() if n.split(".")[0] in ROOMS])
def test_a_room_imports_only_the_rooms_above_it(name: str, path: Path) -> None:
    room = name.split(".", maxsplit=1)[0]
    for imported in own(imports(path)):
        other = imported.split(".")[0]
        if other in ROOMS:
            assert ROOMS.index(other) <= ROOMS.index(room), f"{name} imports {imported}"


@pytest.mark.parametrize(("importer", "imported"), FORBIDDEN)
def test_the_forbidden_imports_do_not_happen(importer: str, imported: str) -> None:
    for name, path in modules():
        if name == importer or name.startswith(importer + "."):
            for other in own(imports(path)):
                assert not f"{other}.".startswith(f"{imported}."), f"{name} imports {other}"


def test_the_walk_would_notice_a_wrong_import(tmp_path: Path) -> None:
    guilty = tmp_path / "guilty.py"
    guilty.write_text("from steelyard.cli.main import main\nimport numpy\n")
    assert list(own(imports(guilty))) == ["cli.main.main"]
    assert "numpy" in list(imports(guilty))


@pytest.mark.parametrize(
    ("name", "path"), [pytest.param(n, p, id=n) for n, p in modules() if n.split(".")[0] in PRODUCT]
)
def test_the_product_never_imports_a_laboratory_package(name: str, path: Path) -> None:
    assert not {i.split(".")[0] for i in imports(path)} & LABORATORY_PACKAGES - LAZY.get(name, set())


def loaded_by(code: str) -> set[str]:
    """Top-level modules that are loaded after running `code` in a fresh interpreter and not by an empty one."""
    listing = "import sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    plain, full = (
        subprocess.run([sys.executable, "-c", c], capture_output=True, text=True, check=True).stdout.split()
        for c in (listing, f"{code}\n{listing}")
    )
    return set(full) - set(plain)


def test_importing_the_package_loads_nothing_outside_the_standard_library() -> None:
    outside = loaded_by("import steelyard") - set(sys.stdlib_module_names)
    assert outside == {"steelyard"}


def test_score_loads_its_three_packages_and_no_more() -> None:
    page = str(PACKAGE.parent / "examples" / "site" / "index.md")
    code = "import io, sys, contextlib\nfrom steelyard.cli.main import cli\nout = io.StringIO()\n"
    code += f"with contextlib.redirect_stdout(out): cli.main(['score', {page!r}], standalone_mode=False)\n"
    code += "assert 'of 100' in out.getvalue()"
    outside = {m for m in loaded_by(code) if not m.startswith("_")} - set(sys.stdlib_module_names)
    assert outside <= {"steelyard", "click", "re2", "msgpack"}


def test_the_function_score_keeps_its_name_after_its_room_is_loaded() -> None:
    code = "import steelyard, steelyard.scoring.page, steelyard.scoring.domains\nassert callable(steelyard.scoring)\n"
    code += "from steelyard import score; assert score('').score == 5.0"
    subprocess.run([sys.executable, "-c", code], check=True)
