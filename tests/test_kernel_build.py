"""Whether a kernel is built: with cargo and without, where the build fails, and as the environment asks.

A shell script is cargo here: it puts a library that Python can load where cargo would.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from xxhash import _xxhash

pytest.importorskip("hatchling")

ROOT = Path(__file__).parent.parent
NAME = "libtemplcrawl_kernel.so"
BUILDS = f"""#!/bin/sh
mkdir -p target/release && cp '{_xxhash.__file__}' target/release/{NAME}
echo called >> calls
"""
FAILS = "#!/bin/sh\necho 'error: rustc 1.63 is too old' >&2; exit 101\n"
BUILDS_FOR_ANOTHER = BUILDS.replace("&& cp", f"&& echo MZ > target/release/{NAME} || cp")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a script is cargo, and the library has Linux's name"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the build reads."""
    for folder in ("kernel", "templcrawl"):
        (tmp_path / folder).mkdir()
    for file in ("kernel/hatch_build.py", "kernel/build.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def build(checkout: Path, cargo: str | None, asked: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the build where ``cargo`` is that script, or none."""
    programs = checkout / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "cargo").unlink(missing_ok=True)
    if cargo is not None:
        (programs / "cargo").write_text(cargo)
        (programs / "cargo").chmod(0o755)
    path = f"{programs}:/bin:/usr/bin" if cargo else str(programs)
    environment = {"PATH": path} | ({} if asked is None else {"TEMPLCRAWL_BUILD_KERNEL": asked})
    command = [sys.executable, str(checkout / "kernel" / "build.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def built(checkout: Path) -> set[str]:
    return {path.name for path in (checkout / "templcrawl").glob("_native/*")}


def test_a_kernel_is_built_where_cargo_is(checkout: Path) -> None:
    run = build(checkout, BUILDS)
    assert (run.returncode, run.stderr) == (0, "")
    assert built(checkout) == {NAME, f"{NAME}.length"}
    library = checkout / "templcrawl" / "_native" / NAME
    assert int(library.with_name(f"{NAME}.length").read_text()) == library.stat().st_size


@pytest.mark.parametrize(
    ("cargo", "reason"),
    [(None, "there is no cargo"), (FAILS, "exit status 101"), (BUILDS_FOR_ANOTHER, "cannot load")],
)
def test_a_build_that_fails_is_a_line_and_where_it_is_demanded_an_error(
    cargo: str | None, reason: str, checkout: Path
) -> None:
    run = build(checkout, cargo)
    assert run.returncode == 0
    assert "no native kernel" in run.stderr
    assert "Python reads pages" in run.stderr
    assert reason in run.stderr
    demanded = build(checkout, cargo, "1")
    assert demanded.returncode == 1
    assert reason in demanded.stderr
    assert "Traceback" not in demanded.stderr
    assert built(checkout) == set()


def test_nothing_is_built_where_the_environment_forbids_it(checkout: Path) -> None:
    run = build(checkout, BUILDS, "0")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert built(checkout) == set()
    wrong = build(checkout, BUILDS, "yes")
    assert wrong.returncode == 1
    assert "0 and 1 are accepted" in wrong.stderr


def wheel_of(checkout: Path, version: str, monkeypatch: pytest.MonkeyPatch, asked: str) -> dict[str, Any]:
    """Return what the hook says about a wheel."""
    monkeypatch.setenv("TEMPLCRAWL_BUILD_KERNEL", asked)
    hook = runpy.run_path(str(checkout / "kernel/hatch_build.py"))["KernelBuildHook"]
    said: dict[str, Any] = {"force_include": {}, "pure_python": True}
    hook(str(checkout), {}, None, None, "", "wheel").initialize(version, said)
    return said


def test_the_name_of_a_wheel_says_whether_there_is_a_kernel_in_it(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pure = {"force_include": {}, "pure_python": True}
    build(checkout, BUILDS)
    monkeypatch.setenv("PATH", str(checkout / "programs"), prepend=os.pathsep)
    native = wheel_of(checkout, "standard", monkeypatch, "")
    assert native["tag"].startswith("py3-none-linux_")
    assert not native["pure_python"]
    assert set(native["force_include"].values()) == {
        f"templcrawl/_native/{NAME}",
        f"templcrawl/_native/{NAME}.length",
    }
    assert wheel_of(checkout, "editable", monkeypatch, "") == pure
    assert wheel_of(checkout, "standard", monkeypatch, "0") == pure
