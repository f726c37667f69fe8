"""Below the Scrapy that is needed, or the Python, one sentence says so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from templcrawl import crawl

ROOT = Path(__file__).parents[2]
PLAY = """
import sys, scrapy
from scrapy.utils.misc import load_object
{older}
try:
    load_object("templcrawl.Addon")
except ImportError as error:
    from templcrawl.errors import TemplcrawlError
    assert isinstance(error, TemplcrawlError)
    sys.exit(str(error))
"""


@pytest.mark.parametrize(
    ("older", "sentence"),
    [
        ("scrapy.version_info = (2, 13, 4)", "templcrawl needs Scrapy 2.14 or newer; this is Scrapy 2.13.4"),
        ("scrapy.version_info = (1, 99)", "templcrawl needs Scrapy 2.14 or newer; this is Scrapy 1.99"),
        ("sys.version_info = (3, 9, 7, 'final', 0)", "needs Python 3.10 or newer; this is Python 3.9.7"),
        ("scrapy.version_info = (2, 14, 0)", ""),
    ],
)
def test_an_older_version_is_refused_in_one_sentence(older: str, sentence: str) -> None:
    command = [sys.executable, "-c", PLAY.format(older=older)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert sentence in ran.stderr
    assert len(ran.stderr.splitlines()) == bool(sentence)
    assert ran.returncode == bool(sentence)


def test_the_package_and_the_readme_ask_for_the_same_versions() -> None:
    package = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for program, (needed, _) in crawl._NEEDED.items():
        version = ".".join(map(str, needed))
        asked = rf'"scrapy>={version}"' if program == "Scrapy" else rf'requires-python = ">={version}"'
        assert asked in package
        assert re.search(rf"{program} {re.escape(version)} or newer", readme)
