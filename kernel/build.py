"""Builds the kernel with cargo, and puts it where ``templcrawl/page/kernel_library.py`` looks for it.

``TEMPLCRAWL_BUILD_KERNEL`` in the environment decides, for ``python kernel/build.py`` and for every wheel:

    not set  builds it where cargo is and the library is not there yet, or is stale; a line says why there is
             none, and Python reads pages
    1        builds it; fails where that cannot be done
    0        builds nothing

A library that is in use is replaced, not written over.

Cost: some 12 s of CPU, .2 s where nothing has changed.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

SETTING = "TEMPLCRAWL_BUILD_KERNEL"
CRATE = Path(__file__).resolve().parent
LIBRARIES = CRATE.parent / "templcrawl" / "_native"
CHECKS = CRATE.parent / "templcrawl" / "page" / "kernel_library.py"
_SUFFIXES = {".so", ".dylib", ".dll"}
_LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


class NoKernel(Exception):
    """Why there is no kernel, in a sentence."""


def build_as_asked() -> tuple[Path, ...]:
    """Return the paths of the library and its digests; none where there is no kernel.

    Raises NoKernel where the environment demands a kernel and it cannot be built, or asks for something else.
    """
    asked = os.environ.get(SETTING, "")
    if asked not in ("", "0", "1"):
        raise NoKernel(f"{SETTING} is {asked!r}: 0 and 1 are accepted")
    if asked == "0":
        return ()
    try:
        return (not asked and _built_before()) or build()
    except NoKernel as reason:
        if asked:
            raise
        sys.stderr.write(f"templcrawl: no native kernel: {reason}; Python reads pages, with equal answers\n")
        return ()


def build() -> tuple[Path, Path]:
    """Return the paths of the library and its digests; raises NoKernel."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise NoKernel("there is no cargo (https://rustup.rs)")
    target = CRATE / "target"
    command = [cargo, "build", "--release", "--offline", "--target-dir", str(target)]
    try:
        subprocess.run(command, cwd=CRATE, check=True)
        (built,) = (path for path in (target / "release").iterdir() if path.suffix in _SUFFIXES)
        if not _loads(built):
            raise NoKernel(f"{sys.executable} cannot load what cargo has built")
        LIBRARIES.mkdir(exist_ok=True)
        new = shutil.copy(built, LIBRARIES / f"new.{os.getpid()}")
        library = new.replace(LIBRARIES / built.name)
        return library, _checks()["write_digests"](library)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise NoKernel(f"cargo has built none: {error}") from error


def _built_before() -> tuple[Path, ...]:
    """Return the paths of the library that is there and its digests, if it is whole and of these sources."""
    checks = _checks()
    library = checks["LIBRARY"]
    if checks["fault_of"](library) or not _loads(library):
        return ()
    return library, checks["digests_of"](library)


def _loads(library: Path) -> bool:
    """Say whether this Python can load a library: not one of another processor or C library."""
    command = [sys.executable, "-c", _LOAD, str(library)]
    return not subprocess.run(command, stderr=subprocess.DEVNULL).returncode


def _checks() -> dict[str, Any]:
    return runpy.run_path(str(CHECKS))


if __name__ == "__main__":
    try:
        build_as_asked()
    except NoKernel as reason:
        sys.exit(f"templcrawl: no native kernel: {reason}")
