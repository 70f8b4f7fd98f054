"""A directory that wants to be imported: every module in it leaves a mark when it runs."""

from __future__ import annotations

from pathlib import Path

MODULES = (
    "conftest", "encodings/__init__", "ensurepip/__init__", "fcntl", "hatchling/__init__", "hatchling/build", "json",
    "os", "pip", "runpy", "site", "sitecustomize", "statistics", "steelyard/__init__", "steelyard/__main__",
    "subprocess", "sysconfig", "usercustomize", "venv",
)  # fmt: skip
MARK = "PWNED"
# Without `open`: an `encodings` that Python starts with comes before it.
SOURCE = "import posix as p\np.write(p.open({mark!r}, p.O_WRONLY | p.O_CREAT | p.O_APPEND), {line!r})\n"


def plant_modules(folder: Path) -> dict[str, str]:
    """Fill the folder with modules, and return the environment that names it wherever Python looks for modules."""
    for module in MODULES:
        path = folder / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE.format(mark=str(folder / MARK), line=f"{module}\n".encode()))
    (folder / "setup.cfg").write_text(f"[install]\nprefix = {folder}\n")  # distutils reads it in the current directory
    return {
        "PYTHONPATH": f"{folder}:",
        "PYTHONSTARTUP": str(folder / "sitecustomize.py"),
        "PYTHONUSERBASE": str(folder),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }


def list_imported(folder: Path) -> list[str]:
    """Return the modules of the folder that ran."""
    mark = folder / MARK
    return mark.read_text().splitlines() if mark.exists() else []
