"""Tries a release as its users will get it: ``make release-check``, or ``python -m tests.release_check``.

Computes a table, one row for each thing that is tried, and ends with status 1 if one of them failed:

- the version: one in pyproject.toml and CITATION.cff, and under a tag in
  a dated section of the changelog;
- the sdist, a pure wheel and, where cargo is, a wheel of this platform, built in a folder of their own; what
  they say of themselves (``twine check --strict``), and that they name no folder of this machine;
- the wheels, installed for each Python from 3.10 on that is found, with the newest Scrapy; once more with the
  oldest one (.ci/constraints-oldest.txt): the page reader, a demo crawl and a short suite.  They run in the
  unpacked sdist without its package, so that nothing but the installed package can answer;
- the licences of all that was installed (``licences.tsv`` beside the wheels); one that nobody named, or that
  asks more of its users than BSD-3-Clause does, is listed and is no failure: the reader decides.

Cost: some two CPU minutes for each Python, most of it the installation.  Needs a package index.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = [f"3.{minor}" for minor in range(10, 15)]
FOR_OLDEST = ("3.10", "3.11")
"""Pythons that the libraries of .ci/constraints-oldest.txt have wheels for."""

PYTEST = "-m pytest -q -n 2 --hypothesis-profile quick -p no:cacheprovider".split()
SHORT_SUITE = [
    "tests/crawl/test_addon.py",
    "tests/crawl/test_in_a_project.py",
    "tests/memory",
    "tests/tools/commands/test_cluster.py",
]
RECIPROCAL = re.compile(r"\bA?GPL|\bLGPL|\bMPL|\bEPL|\bCDDL|\bEUPL", re.IGNORECASE)
"""Licences that ask something of those who pass on the library that has them."""

SAY_VERSION = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
LIST_LICENCES = """
import importlib.metadata as metadata, json
rows = {}
for found in metadata.distributions():
    about = found.metadata
    classes = [line.split(" :: ") for line in about.get_all("Classifier", [])]
    named = [words[-1] for words in classes if words[0] == "License"]
    text = about.get("License-Expression") or "; ".join(named) or (about.get("License") or "").split("\\n")[0]
    rows[about["Name"]] = [found.version, text.strip()]
print(json.dumps(rows))
"""


class StepFailed(Exception):
    """A command that a step has run ended with another status than 0; says the last lines that it printed."""


@dataclass
class Release:
    """What is built, and a row of the table for each thing that was tried."""

    folder: Path
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    licences: dict[str, list[str]] = field(default_factory=dict)

    @property
    def has_failed(self) -> bool:
        """Whether one of the rows is a failure."""
        return any(outcome == "FAILED" for _, outcome, _ in self.rows)

    def report(self, what: str, outcome: str, details: str = "") -> None:
        """Add a row, and print it."""
        self.rows.append((what, outcome, details))
        print(f"{what:<44} {outcome:<8} {details}", flush=True)

    def try_step(self, what: str, *command: str, folder: Path, **environment: str) -> None:
        """Run a command, and add its row, with the last line of words that it printed."""
        try:
            lines = run(*command, folder=folder, **environment).splitlines()
        except StepFailed as failure:
            self.report(what, "FAILED", str(failure))
        else:
            last = next((line for line in reversed(lines) if re.search(r"\w", line)), "")
            self.report(what, "ok", last[:120])


def run(*command: str, folder: Path, **environment: str) -> str:
    """Return what a command prints.

    Raises:
        StepFailed: its status is not 0.
    """
    variables = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise StepFailed("\n".join((done.stdout + done.stderr).strip().splitlines()[-15:]))
    return done.stdout


def check_version(release: Release, tag: str) -> None:
    """Compare the version that each file names; under a tag the changelog has it."""
    version = _find(ROOT / "pyproject.toml", r'^version = "(.+)"$')
    cited = _find(ROOT / "CITATION.cff", r"^version: (.+)$")
    if cited != version:
        release.report("version", "FAILED", f"pyproject.toml has {version}, CITATION.cff {cited or 'none'}")
    elif tag and tag != f"v{version}":
        release.report("version", "FAILED", f"pyproject.toml has {version}, the tag is {tag}")
    elif tag and not _find(ROOT / "CHANGELOG.md", rf"^## \[({re.escape(version)})\] - \d{{4}}-\d\d-\d\d$"):
        release.report("version", "FAILED", f"CHANGELOG.md has no dated section [{version}]")
    else:
        release.report("version", "ok", version + ("" if tag else ", no tag yet"))


def _find(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def build(release: Release, python: str) -> list[Path]:
    """Build the sdist and the wheels from a copy of what git has; return the wheels, the pure one first."""
    tools = _new_environment(release.folder / "tools", python, "build", "twine")
    run("git", "clone", "--quiet", str(ROOT), str(release.folder / "checkout"), folder=release.folder)
    kernels = {"0": "sdist and pure wheel", "1": "wheel of this platform"}
    if not shutil.which("cargo"):
        release.report(kernels.pop("1"), "skipped", "there is no cargo here")
    for kernel, what in kernels.items():
        release.try_step(
            what,
            *(str(tools), "-m", "build", "--outdir", "../dist", *(["--wheel"] if kernel == "1" else [])),
            folder=release.folder / "checkout",
            TEMPLCRAWL_BUILD_KERNEL=kernel,
        )
    built = sorted((release.folder / "dist").iterdir())
    release.try_step(
        "what they say of themselves",
        *(str(tools), "-m", "twine", "check", "--strict", *map(str, built)),
        folder=release.folder,
    )
    wheels = [path for path in built if path.suffix == ".whl"]
    folders = [str(ROOT).encode(), str(release.folder).encode()]
    named = [
        f"{path.name}: {name}"
        for path in built
        for name, data in _members(path)
        if any(folder in data for folder in folders)
    ]
    release.report("no folder of this machine in them", "FAILED" if named else "ok", ", ".join(named[:5]))
    return sorted(wheels, key=lambda path: not path.name.endswith("none-any.whl"))


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
        return
    with tarfile.open(path) as sdist:
        for member in sdist:
            if member.isfile():
                yield member.name, sdist.extractfile(member).read()  # type: ignore[union-attr]


def _new_environment(folder: Path, python: str, *packages: str, **environment: str) -> Path:
    """Return the Python of a new virtual environment with some packages."""
    run(python, "-m", "venv", str(folder), folder=ROOT)
    installed = str(folder / "bin" / "python")
    install = (installed, "-m", "pip", "install", "--quiet")
    run(*install, "--upgrade", "pip>=24", *packages, folder=ROOT, **environment)
    return Path(installed)


def unpack_without_package(release: Release) -> Path:
    """Unpack the sdist, take its package out of it, and return its folder."""
    (sdist,) = (release.folder / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(release.folder)  # our own, built a moment ago
    source = release.folder / sdist.name.removesuffix(".tar.gz")
    shutil.rmtree(source / "templcrawl")
    return source


def try_wheels(
    release: Release, wheels: list[Path], source: Path, name: str, python: str, constraints: str
) -> None:
    """Install the wheels with one Python, each in its turn, and use them; the last one crawls."""
    title = f"Python {name}" + (", oldest Scrapy" if constraints else "")
    environment = {"PIP_CONSTRAINT": constraints} if constraints else {}
    try:
        wanted = f"{wheels[0]}[demo,report,tests]"
        installed = _new_environment(release.folder / title.replace(" ", "-"), python, wanted, **environment)
        about = run(str(installed), "-c", "import scrapy; print(scrapy.__version__)", folder=source).strip()
        release.licences.update(json.loads(run(str(installed), "-c", LIST_LICENCES, folder=source)))
    except StepFailed as failure:
        release.report(f"{title}: installed", "FAILED", str(failure))
        return
    release.report(f"{title}: installed", "ok", f"Scrapy {about}")
    for wheel in wheels:
        is_pure = wheel.name.endswith("none-any.whl")
        install = ("-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", str(wheel))
        run(str(installed), *install, folder=source)
        trial = (str(installed), "tests/installed_package.py", "off" if is_pure else "on")
        what = f"{title}: {'pure wheel' if is_pure else 'wheel with kernel'}"
        release.try_step(what, *trial, folder=source)
    release.try_step(f"{title}: demo", str(installed), "-m", "lab.bench.demo", folder=source)
    suite = [*SHORT_SUITE, "-m", "not exhaustive and not long"]
    release.try_step(f"{title}: short suite", str(installed), *PYTEST, *suite, folder=source)


def find_pythons() -> dict[str, str]:
    """Return the Pythons of this machine that the package is for: version -> program."""
    found = {}
    for version in PYTHONS:
        places = [
            shutil.which(f"python{version}"),
            *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")),
        ]
        for place in filter(None, places):
            try:
                says = run(str(place), "-c", SAY_VERSION, folder=ROOT)
            except StepFailed:
                continue
            if says.strip() == version:
                found[version] = str(place)
                break
    return found


def write_licences(release: Release) -> None:
    """Write the licences of all that was installed, and name those that a user should look at."""
    rows = sorted((name, *about) for name, about in release.licences.items())
    table = "".join("\t".join(row) + "\n" for row in [("package", "version", "licence"), *rows])
    (release.folder / "dist" / "licences.tsv").write_text(table, encoding="utf-8")
    noted = [
        f"{name} ({text or 'none named'})" for name, _, text in rows if not text or RECIPROCAL.search(text)
    ]
    release.report(f"licences of {len(rows)} packages", "ok", "look at: " + ", ".join(noted) if noted else "")


def main() -> int:
    """Build a release in a new folder, and try it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to build; must not exist")
    parser.add_argument("--tag", default="", help="the tag that is to be released: v1.2.3")
    parser.add_argument("--python", action="append", help="try this version alone (3.12); again for more")
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    release = Release(options.folder.resolve())
    pythons = {name: path for name, path in find_pythons().items() if name in (options.python or PYTHONS)}
    for name in options.python or PYTHONS:
        if name not in pythons:
            release.report(f"Python {name}", "skipped", "not found on this machine")
    check_version(release, options.tag)
    try:
        wheels = build(release, sys.executable)
        source = unpack_without_package(release)
    except (StepFailed, OSError, ValueError) as failure:
        release.report("built", "FAILED", str(failure))
        return 1
    for name, python in pythons.items():
        try_wheels(release, wheels, source, name, python, "")
    for name, python in [item for item in pythons.items() if item[0] in FOR_OLDEST][:1]:
        try_wheels(release, wheels, source, name, python, str(ROOT / ".ci/constraints-oldest.txt"))
    write_licences(release)
    return int(release.has_failed)


if __name__ == "__main__":
    sys.exit(main())
