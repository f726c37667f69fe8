"""Find a Java that Spark runs on: 17, or 21.

Looked at, in this order: ``JAVA_HOME``, the ``java`` on the ``PATH``, and where systems install Java.  Of
those that Spark runs on, the first is taken, 17 before 21.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from templcrawl.errors import TemplcrawlError

SUPPORTED = (17, 21)
_INSTALLED = ("/usr/lib/jvm/*", "/opt/java/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")
_VERSION = re.compile(r'(?:JAVA_VERSION=|version )"(\d+)')


class JavaNotFound(TemplcrawlError, RuntimeError):
    """There is no Java that Spark runs on."""

    def __init__(self, versions: dict[str, int | None]) -> None:
        super().__init__(versions)
        self.versions = versions

    def __str__(self) -> str:
        homes = ", ".join(f"{home} ({version or 'unknown'})" for home, version in self.versions.items())
        return (
            "the engine spark needs Java 17 or 21: install it (Debian and Ubuntu: apt install "
            "openjdk-17-jre-headless; macOS: brew install openjdk@17) and set JAVA_HOME to its folder; "
            f"found: {homes or 'none'}"
        )


def find_java() -> Path:
    """Return the home of a Java that Spark runs on; raises JavaNotFound."""
    versions = {str(home): java_version(home) for home in _homes()}
    for wanted in SUPPORTED:
        for home, version in versions.items():
            if version == wanted:
                return Path(home)
    raise JavaNotFound(versions)


def java_version(home: Path) -> int | None:
    """Return the major version of a Java, None where there is none."""
    java = home / "bin" / "java"
    if not java.exists():
        return None
    try:
        about = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        about = ""
    return _version(about) or _version(_asked(java))


def _version(about: str) -> int | None:
    match = _VERSION.search(about)
    return int(match[1]) if match else None


def _asked(java: Path) -> str:
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stderr + run.stdout


def _homes() -> Iterator[Path]:
    """Yield folders that may be homes of Java, each once."""
    seen = set()
    for home in _candidates():
        real = home.resolve()
        if real not in seen and (real / "bin" / "java").exists():
            seen.add(real)
            yield real


def _candidates() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve().parent.parent
    for pattern in _INSTALLED:
        yield from sorted(Path("/").glob(pattern[1:]))
