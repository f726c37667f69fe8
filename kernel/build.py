"""Builds the kernel with cargo, and puts its library where ``templcrawl/page/kernel.py`` looks for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

CRATE = Path(__file__).resolve().parent
LIBRARIES = CRATE.parent / "templcrawl" / "_native"
_SUFFIXES = {".so", ".dylib", ".dll"}


def build() -> Path:
    """Return the library's path; a library that is in use is replaced, not written over."""
    manifest = str(CRATE / "Cargo.toml")
    target = CRATE / "target"
    command = ["cargo", "build", "--release", "--offline", "--manifest-path", manifest]
    subprocess.run([*command, "--target-dir", str(target)], check=True)
    (built,) = (path for path in (target / "release").iterdir() if path.suffix in _SUFFIXES)
    LIBRARIES.mkdir(exist_ok=True)
    return shutil.copy(built, LIBRARIES / "new").replace(LIBRARIES / built.name)


if __name__ == "__main__":
    build()
