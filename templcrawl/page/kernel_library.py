"""The library of the native kernel: where it lies, and whether it is whole and built from what is here.

``kernel/build.py`` writes digests beside the library: of the library, of the modules that call it
(``INTERFACE``), and of its sources (``kernel/``), which a checkout has beside the package and a wheel
has not.  They are compared before a library is loaded.  A library that is cut short would end the process;
one that was built from other sources would give other answers.

Nothing but the standard library is imported: the build runs this file by its path.  As a program it writes
the digests of its library anew, where a tool has changed the library in a wheel.

Cost: some 2 ms, once a process.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = _PACKAGE.parent / "kernel"
_NAMES = {"win32": "templcrawl_kernel.dll", "darwin": "libtemplcrawl_kernel.dylib"}
LIBRARY = _PACKAGE / "_native" / _NAMES.get(sys.platform, "libtemplcrawl_kernel.so")
# The modules that write what the library takes and read what it answers.
INTERFACE = (
    *("page/columns.py", "page/kernel.py", "page/kernel_tables.py", "page/page.py", "page/readers.py"),
    *("algorithms/extraction/row_rules.py", "algorithms/extraction/run_scores.py"),
    *("algorithms/extraction/type_furniture.py", "algorithms/extraction/vote.py"),
    "algorithms/pagelets/partition.py",
    *("algorithms/pagination/pager_links.py", "algorithms/similarity/near_duplicates.py"),
    *("algorithms/fingerprints/fingerprint.py", "memory/detectors/verdict.py", "page/render.py"),
)


def digests_of(library: Path) -> Path:
    """Return where the digests of a library are."""
    return library.with_name(f"{library.name}.sha256")


def write_digests(library: Path) -> Path:
    """Write the digests of a library that was just built; return where they are."""
    path = digests_of(library)
    path.write_text("".join(f"{digest}  {name}\n" for name, digest in _digests(library)), encoding="ascii")
    return path


def fault_of(library: Path) -> str:
    """Say why a library must not be loaded; "" if it may."""
    try:
        lines = digests_of(library).read_text(encoding="ascii").splitlines()
        built = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        differing = [name for name, digest in _digests(library) if built.get(name) != digest]
    except FileNotFoundError:
        return f"none was built ({_remedy()})"
    except (OSError, ValueError) as error:
        return f"{library} cannot be read ({_remedy()}): {error}"
    if "library" in differing:
        return f"{library} is not as it was built"
    return f"{library} was built from another {differing[0]} ({_remedy()})" if differing else ""


def _remedy() -> str:
    """Say how to build a library: in a checkout, or anew with the package."""
    is_checkout = (_SOURCES / "Cargo.toml").exists()
    return "make kernel" if is_checkout else "install templcrawl again where cargo is, https://rustup.rs"


def _digests(library: Path) -> Iterator[tuple[str, str]]:
    yield "library", _digest([library])
    yield "interface", _digest(_PACKAGE / module for module in INTERFACE)
    if (_SOURCES / "src" / "lib.rs").exists():
        yield "source", _digest([_SOURCES / "Cargo.toml", *sorted((_SOURCES / "src").glob("*.rs"))])


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


if __name__ == "__main__":
    write_digests(LIBRARY)
