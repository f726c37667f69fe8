"""Builds the kernel with cargo, and puts it where ``templcrawl/page/kernel.py`` looks, with its digests."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

CRATE = Path(__file__).resolve().parent
LIBRARIES = CRATE.parent / "templcrawl" / "_native"
CHECKS = CRATE.parent / "templcrawl" / "page" / "kernel_library.py"
_SUFFIXES = {".so", ".dylib", ".dll"}


def build() -> tuple[Path, Path]:
    """Return the paths of the library and its digests; one that is in use is replaced, not written over."""
    manifest = str(CRATE / "Cargo.toml")
    target = CRATE / "target"
    command = ["cargo", "build", "--release", "--offline", "--manifest-path", manifest]
    subprocess.run([*command, "--target-dir", str(target)], check=True)
    (built,) = (path for path in (target / "release").iterdir() if path.suffix in _SUFFIXES)
    LIBRARIES.mkdir(exist_ok=True)
    library = shutil.copy(built, LIBRARIES / "new").replace(LIBRARIES / built.name)
    write_digests = runpy.run_path(str(CHECKS))["write_digests"]
    return library, write_digests(library)


if __name__ == "__main__":
    build()
