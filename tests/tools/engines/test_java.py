"""A Java that Spark runs on is found, or it is said what to install."""

from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.tools.engines import spark
from templcrawl.tools.engines.spark import JavaNotFound, find_java, java_version


def make_java(home: Path, version: str, *, says: bool = True) -> Path:
    """Make what looks like a Java: with a file that says its version, or a program that does."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024-01-01' >&2\n")
    program.chmod(0o755)
    if says:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one folder in which Java is looked for."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(spark.shutil, "which", lambda name: None)
    monkeypatch.setattr(spark, "_INSTALLED", (f"{tmp_path}/*",))
    return tmp_path


@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize(("version", "major"), [("17.0.9", 17), ("21", 21), ("1.8.0_392", 1), ("25.0.1", 25)])
def test_the_version_is_read(version: str, major: int, says: bool, tmp_path: Path) -> None:
    assert java_version(make_java(tmp_path / "jdk", version, says=says)) == major


def test_what_is_no_java_has_no_version(tmp_path: Path) -> None:
    assert java_version(tmp_path) is None
    broken = make_java(tmp_path / "jdk", "17", says=False)
    (broken / "bin" / "java").write_text("no program")
    assert java_version(broken) is None


def test_17_comes_before_21_and_others_are_passed_over(installed: Path) -> None:
    make_java(installed / "a-25", "25.0.1")
    expected = make_java(installed / "b-21", "21.0.2")
    assert find_java() == expected.resolve()
    expected = make_java(installed / "c-17", "17.0.2")
    assert find_java() == expected.resolve()


def test_java_home_is_looked_at_first(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_java(installed / "a-17", "17.0.1")
    home = make_java(tmp_path / "own" / "jdk", "17.0.9")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == home.resolve()


def test_without_one_it_is_said_what_to_install_and_what_was_found(installed: Path) -> None:
    with pytest.raises(JavaNotFound, match=r"needs Java 17 or 21: install it .* found: none"):
        find_java()
    old = make_java(installed / "old", "11.0.2")
    with pytest.raises(JavaNotFound, match="openjdk-17") as error:
        find_java()
    assert f"found: {old.resolve()} (11)" in str(error.value)
