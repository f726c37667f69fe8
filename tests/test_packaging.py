"""What is published can be built, installed and used far from the checkout: an sdist, two kinds of wheels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent
TRIAL = str(Path(__file__).parent / "installed_package.py")


def run(*command: str, folder: Path, **environment: str) -> str:
    """Return what a command prints; its fault is the test's."""
    given = {**os.environ, "PYTHONPATH": "", **environment}
    run = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def built(kind: str, source: Path, folder: Path, **environment: str) -> Path:
    build = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder))
    run(*build, folder=source, **environment)
    (built,) = folder.iterdir()
    return built


def installed(wheel: Path, folder: Path) -> Path:
    install = ("install", "--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *install, folder=wheel.parent)
    return folder


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist: what others build from."""
    sdist = built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
    unpacked = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        if sys.version_info >= (3, 12):
            archive.extractall(unpacked, filter="data")
        else:
            archive.extractall(unpacked)
    return unpacked / sdist.name.removesuffix(".tar.gz")


def test_an_sdist_holds_what_the_checkout_holds_and_nothing_that_was_built(source: Path) -> None:
    def names(root: Path) -> set[str]:
        kept = {"templcrawl", "kernel", "tests", "docs", "lab", "settings", "spiders"}
        paths = (path.relative_to(root) for folder in kept for path in (root / folder).rglob("*.*"))
        is_made = {"__pycache__", "target", "_native", ".ruff_cache", ".mypy_cache"}
        return {str(path) for path in paths if not is_made & set(path.parts) and (root / path).is_file()}

    assert names(source) == names(ROOT)
    assert not (source / "templcrawl" / "_native").exists()


def test_a_pure_wheel_works_without_the_checkout(source: Path, tmp_path: Path) -> None:
    wheel = built("wheel", source, tmp_path / "wheel", TEMPLCRAWL_BUILD_KERNEL="", PATH="")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [name for name in names if not name.startswith("templcrawl")]
    assert "templcrawl/py.typed" in names
    folder = installed(wheel, tmp_path / "site")
    printed = run(sys.executable, TRIAL, "auto", folder=tmp_path, PYTHONPATH=str(folder))
    assert printed.split()[:2] == [str(folder / "templcrawl"), "False"]


@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not there")
def test_a_wheel_of_a_platform_brings_the_kernel(source: Path, tmp_path: Path) -> None:
    wheel = built("wheel", source, tmp_path / "wheel", TEMPLCRAWL_BUILD_KERNEL="")
    assert "-py3-none-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    folder = installed(wheel, tmp_path / "site")
    native, python = (
        run(sys.executable, TRIAL, reader, folder=tmp_path, PYTHONPATH=str(folder))
        for reader in ("auto", "off")
    )
    assert native.split()[:2] == [str(folder / "templcrawl"), "True"]
    assert python == native.replace("True", "False")
