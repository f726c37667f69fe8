"""Every command line of the README and the documents is one that would be accepted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.build.command_lines import command_lines, fault

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "lab" / "bench" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
LINES = [(name, line) for name, text in TEXTS.items() for line in command_lines(text)]


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_command_line_is_accepted(page: str, line: str) -> None:
    assert fault(line) == ""


def test_command_lines_are_found_in_every_kind_of_code() -> None:
    assert {line.split()[0] for _, line in LINES} == {"make", "python", "scrapy", "templcrawl"}
    assert len(LINES) > 60
    page = "    make docs\n\nWith `make test` or\n`scrapy\nlist`: make it, by `make ...` or `scrapy NAME`.\n"
    assert list(command_lines(page)) == ["make docs", "make test", "scrapy list"]
    page = "```python\nmake = scrapy strip\n```\n\n```console\n$ scrapy strip \\\n  a/ -o b/\nmade\n```\n"
    assert list(command_lines(page)) == ["scrapy strip    a/ -o b/"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("scrapy stripp saved/", "no command stripp"),
        ("scrapy strip saved/ --out b/", "unknown: --out"),
        ("scrapy strip saved/ --detector guess", "invalid choice"),
        ("scrapy strip saved/ -o", "expected one argument"),
        ("scrapy crawl site -a begin=saved/", "unknown: begin"),
        ("scrapy crawl nowhere", "unknown: nowhere"),
        ("scrapy crawl site -s TEMPLCRAWL_ODER=off", "unknown: TEMPLCRAWL_ODER"),
        ("templcrawl https://example.org/ -o x/ --limits 5", "unknown: --limits"),
        ("templcrawl https://example.org/ -o x/ --limit 5 --fresh", ""),
        ("make bread", "no bread"),
        ("make demo SIDE=https://example.org/", "no SIDE"),
        ("python -m lab.bench.bread", "no module lab.bench.bread"),
        ("scrapy crawl focused -a seeds=seeds.txt -a topic='x, y' -a pages=5 -O a.jsonl  # or so", ""),
        ("scrapy strip - -o - | head", ""),
        ("make PYTHON=python3.12 test ARGS=tests/page", ""),
        ("python -m venv .venv", ""),
    ],
)
def test_what_is_wrong_is_told_and_nothing_else(line: str, why: str) -> None:
    assert why in fault(line)
    assert bool(why) == bool(fault(line))


def test_every_extra_is_there() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"(?:templcrawl|checkout)\[([\w,-]+)\]", " ".join(TEXTS.values()))
    assert {f"\n{extra} = [" in project for extras in named for extra in extras.split(",")} == {True}
