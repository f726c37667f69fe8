"""Builds the kernel with cargo, and puts it with its length where ``templcrawl/page/kernel.py`` looks for it.

``TEMPLCRAWL_BUILD_KERNEL`` in the environment decides, for ``python kernel/build.py`` and for every wheel:

    not set  builds it where cargo is; else a line says why there is none, and Python reads pages
    1        builds it; fails where that cannot be done
    0        builds nothing

A library that is in use is replaced, not written over.

Cost: some 12 s of CPU, .2 s where nothing has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SETTING = "TEMPLCRAWL_BUILD_KERNEL"
CRATE = Path(__file__).resolve().parent
LIBRARIES = CRATE.parent / "templcrawl" / "_native"
_SUFFIXES = {".so", ".dylib", ".dll"}
_LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


class NoKernel(Exception):
    """Why there is no kernel, in a sentence."""


def build_as_asked() -> tuple[Path, ...]:
    """Return the paths of the library and its length; none where there is no kernel.

    Raises NoKernel where the environment demands a kernel and it cannot be built, or asks for something else.
    """
    asked = os.environ.get(SETTING, "")
    if asked not in ("", "0", "1"):
        raise NoKernel(f"{SETTING} is {asked!r}: 0 and 1 are accepted")
    if asked == "0":
        return ()
    try:
        return _build()
    except NoKernel as reason:
        if asked:
            raise
        sys.stderr.write(f"templcrawl: no native kernel: {reason}; Python reads pages, with equal answers\n")
        return ()


def _build() -> tuple[Path, Path]:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise NoKernel("there is no cargo (https://rustup.rs)")
    target = CRATE / "target"
    command = [cargo, "build", "--release", "--offline", "--target-dir", str(target)]
    try:
        subprocess.run(command, cwd=CRATE, check=True)
        (built,) = (path for path in (target / "release").iterdir() if path.suffix in _SUFFIXES)
        loads = [sys.executable, "-c", _LOAD, str(built)]
        if subprocess.run(loads, stderr=subprocess.DEVNULL).returncode:  # of another processor or C library
            raise NoKernel(f"{sys.executable} cannot load what cargo has built")
        LIBRARIES.mkdir(exist_ok=True)
        library, length = LIBRARIES / built.name, LIBRARIES / f"{built.name}.length"
        shutil.copy(built, LIBRARIES / f"new.{os.getpid()}").replace(library)
        length.write_text(f"{library.stat().st_size}\n", encoding="ascii")
        return library, length
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise NoKernel(f"cargo has built none: {error}") from error


if __name__ == "__main__":
    try:
        build_as_asked()
    except NoKernel as reason:
        sys.exit(f"templcrawl: no native kernel: {reason}")
