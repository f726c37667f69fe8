"""The upgrade notes name what is no setting any more, the formats, and names that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

from templcrawl import CrawlMemory, Page
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import GONE, SETTINGS
from templcrawl.memory import snapshots
from templcrawl.outputs.archive import schema

ROOT = Path(__file__).parent.parent.parent
NOTES = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")


def test_each_setting_that_is_gone_is_named_and_each_other_one_exists() -> None:
    named = set(re.findall(rf"`({PREFIX}[A-Z_]+)", NOTES))
    gone = {PREFIX + name.upper() for name in GONE} - {*SETTINGS}
    assert gone <= named
    assert named <= gone | {*SETTINGS}


def test_the_formats_are_those_of_the_code() -> None:
    assert f"the memory of sites has format {snapshots.FORMAT}." in NOTES
    assert f"the format is {schema.FORMAT}." in NOTES


def test_names_of_now_exist_and_those_of_before_do_not() -> None:
    for owner in (CrawlMemory, Page):
        rows = re.findall(rf"^\| `{owner.__name__}\.(.*?)` \| `(.*?)` \|$", NOTES, re.MULTILINE)
        assert rows
        for before, now in rows:
            assert not [name for name in before.split("`, `") if hasattr(owner, name)]
            made = CrawlMemory() if owner is CrawlMemory else Page("", "")
            assert all(hasattr(made, name) for name in now.split("`, `"))


def test_there_is_a_section_for_this_version() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    assert f"\n## To {version[1]}\n" in NOTES


def test_the_container_makes_what_the_makefile_has() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    targets = container["postCreateCommand"].removeprefix("make ").split()
    makefile = (ROOT / "Makefile").read_text().replace("$(READY)", ".venv/.ready")
    assert all(f"\n{target}:" in makefile for target in targets)
