"""The README and the documents tell the truth: examples run, tables match the code, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import json
import re
from ast import literal_eval
from pathlib import Path

import pytest
from scrapy.settings import Settings

from docs.build.figures import setting_rows
from templcrawl import CrawlMemory, Page
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")


def table(heading: str) -> dict[str, list[str]]:
    """Return name -> further cells of the table under a heading."""
    part = REFERENCE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", part, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def blocks(page: str, language: str) -> list[str]:
    """Return the code of a document in a language."""
    text = (ROOT / page if page == "README.md" else DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def blocks_of_text(page: str) -> list[str]:
    """Return the indented blocks of a document."""
    return re.findall(r"(?:^    .*\n)+", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_table_of_settings_is_that_of_the_code() -> None:
    assert "\n".join(setting_rows()) in REFERENCE, "run: make figures"
    assert [*table("Settings")] == [*SETTINGS]


def test_the_defaults_are_those_of_the_code() -> None:
    for name, (printed, *_) in table("Settings").items():
        given = Settings({name: literal_eval(printed.strip("`"))})
        assert TemplcrawlSettings.from_settings(given) == TemplcrawlSettings(), name


BUILT = ("templcrawl/database", "templcrawl/recrawl/database", "templcrawl/archive")


def test_every_stat_that_the_code_counts_is_in_the_table_and_no_other() -> None:
    source = "".join(path.read_text() for path in (ROOT / "templcrawl").rglob("*.py"))
    counted = set(re.findall(r'"(templcrawl/[a-z_/]+[a-z])', source))
    named = set(table("Stats"))
    built = {stat for stat in counted | named if stat.startswith(BUILT)}
    assert counted - built == named - built


def test_the_example_without_scrapy_prints_what_it_says() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("how-it-decides.md", "python")[1], {})
    assert printed.getvalue() == blocks("how-it-decides.md", "text")[0]


def test_the_item_before_and_after_is_a_real_one() -> None:
    (html,), (item,) = blocks("index.md", "html"), blocks("index.md", "json")
    memory = CrawlMemory()
    other = html.replace("Desk lamp", "Arm chair").replace(
        "A lamp of <b>brass</b>, 40 cm high.", "A chair of <b>oak</b>, for long evenings."
    )
    memory.observe(Page.from_html(other, "https://shop.example/2"))
    separation = memory.observe(Page.from_html(html, "https://shop.example/1"))
    expected = json.loads(item)
    assert {name: getattr(separation, name) for name in expected} == expected
    before, after = map(json.loads, blocks("README.md", "json"))
    asked = ("content_text", "leaf_id")
    assert after == before | {name: getattr(separation, name) for name in asked}
    shown = re.sub(r" +\(\w+\)$", "", blocks_of_text("README.md")[0], flags=re.MULTILINE)
    assert re.findall(r"\w+", shown) == re.findall(r"\w+", re.sub("<[^>]*>", " ", html))


def test_the_files_that_the_design_names_are_there() -> None:
    text = (DOCS / "design.md").read_text(encoding="utf-8")
    memory = "".join(path.read_text() for path in (ROOT / "templcrawl" / "memory").glob("*.py"))
    assert re.findall(r"(?m)^FORMAT = (\d+)", memory) == re.findall(r"memory of sites has format (\d+)", text)
    named = set(re.findall(r"`((?:\w+/)*(?:\w+\.py|\w+/))`", text))
    roots = (ROOT, ROOT / "templcrawl")
    assert named
    assert {name for name in named if not any((root / name).exists() for root in roots)} == set()


def anchor(heading: str) -> str:
    """Return the fragment that a heading is linked by."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in DOCS.glob("*.md"))])
def test_links_between_the_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        name, _, fragment = target.partition("#")
        linked = (ROOT / page).parent / name if name else ROOT / page
        assert linked.exists(), target
        if fragment:
            headings = re.findall(r"(?m)^#+ (.*)$", linked.read_text(encoding="utf-8"))
            assert fragment in map(anchor, headings), target


def test_the_container_makes_what_the_makefile_has() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    makefile = (ROOT / "Makefile").read_text().replace("$(READY)", ".venv/.ready")
    assert all(f"\n{target}:" in makefile for target in container["postCreateCommand"].split()[1:])
