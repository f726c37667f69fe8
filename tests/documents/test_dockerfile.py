"""What the Dockerfile names is there; nothing is built."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib", reason="Python 3.11 or newer reads pyproject.toml")

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_it_starts_the_command_with_all_that_it_needs() -> None:
    (program,) = json.loads(re.findall(r"(?m)^ENTRYPOINT (.*)$", DOCKERFILE)[0])
    module, _, function = PROJECT["scripts"][program].partition(":")
    assert callable(getattr(import_module(module), function))
    (extras,) = re.findall(r"/source\[([\w,]+)\]", DOCKERFILE)
    assert {*extras.split(",")} == {"command", "render"} <= {*PROJECT["optional-dependencies"]}


def test_its_python_is_a_supported_one() -> None:
    (version,) = re.findall(r"(?m)^FROM python:(\d\.\d+)-slim$", DOCKERFILE)
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]
    assert tuple(map(int, version.split("."))) >= (3, 10) <= sys.version_info


def test_each_line_is_an_instruction_or_goes_on_with_one() -> None:
    lines = re.sub(r"\\\n", " ", DOCKERFILE).splitlines()
    words = {line.split()[0] for line in lines if line and not line.startswith("#")}
    assert words <= {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT"}
    assert len(DOCKERFILE.splitlines()) <= 14
