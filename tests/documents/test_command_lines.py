"""Every command line of the README and the documents is one that would be accepted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.build.command_lines import command_lines, fault

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "lab" / "bench" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINES = [(page.name, line) for page in PAGES for line in command_lines(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_command_line_is_accepted(page: str, line: str) -> None:
    assert fault(line) == ""


def test_command_lines_are_found_in_every_kind_of_code() -> None:
    programs = {line.split()[0] for _, line in LINES}
    assert programs == {"make", "python", "scrapy"}
    assert len(LINES) > 80
    assert (
        "many-machines.md",
        "scrapy crawl hosts -a seeds=seeds.txt -a part=0 -a parts=2 -s JOBDIR=job-0",
    ) in [(page, line.partition(" -o")[0]) for page, line in LINES]
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
        ("scrapy cluster saved/ --top ten", "invalid int"),
        ("scrapy crawl site -a begin=saved/", "unknown: begin"),
        ("scrapy crawl nowhere", "unknown: nowhere"),
        ("scrapy crawl site -s TEMPLCRAWL_ODER=off", "unknown: TEMPLCRAWL_ODER"),
        ("make bread", "no bread"),
        ("make demo SIDE=https://example.org/", "no SIDE"),
        ("python -m lab.bench.bread", "no module lab.bench.bread"),
    ],
)
def test_what_is_wrong_is_told(line: str, why: str) -> None:
    assert why in fault(line)


@pytest.mark.parametrize(
    "line",
    [
        "scrapy crawl focused -a seeds=seeds.txt -a topic='x, y' -a pages=5 -O a.jsonl  # or so",
        "scrapy strip - -o - | head",
        "make fuzz FUZZ_PAGES=1 FUZZ_SEED=2",
        "make PYTHON=python3.12 test ARGS=tests/page",
        "python -m venv .venv",
    ],
)
def test_what_is_right_is_accepted(line: str) -> None:
    assert fault(line) == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_extra_is_there(page: Path) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"templcrawl\[([\w-]+)\]", page.read_text(encoding="utf-8")):
        assert f"\n{extra} = [" in project, extra
