"""The site of documents: built without a warning, whole, and nothing on it is loaded from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import templcrawl

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent.parent
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|data|srcset)=\"?([^\">\s]+)"
)
LINKED = re.compile(r"<link\b[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    for document in (ROOT / "docs").glob("*.md"):
        name = "" if document.stem == "index" else document.stem
        page = (site / name / "index.html").read_text(encoding="utf-8")
        assert f'href="{"." if not name else "./"}"' in page, "it is not in the navigation"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("*.html")]
    loaded = [address for page in pages for address in LOADED.findall(page)]
    loaded += [link for page in pages for link in LINKED.findall(page) if 'rel="canonical"' not in link]
    assert len(loaded) > 10
    assert [address for address in loaded if "//" in address] == []
    assert not [page for page in pages if 'data-md-component="source"' in page], (
        "it asks for the repository's stars"
    )
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\([\"']?(?:https?:)?//", styles) == []


def test_every_public_name_is_shown_as_it_is_laid_out(site: Path) -> None:
    page = (site / "library" / "index.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'<h3 id="templcrawl\.(\w+)"', page))
    assert shown == {*templcrawl.__all__}
    assert "<code>split</code>: where a full fingerprint is cut" in page
    assert "<summary>How it works: source, rule, cost</summary>" in page
    assert page.count("Every error that templcrawl raises, as one tree.") == 1
    assert "<blockquote>" not in page, "a doctest is no quotation"


def test_a_page_that_is_not_there_leads_to_the_start(site: Path) -> None:
    page = (site / "404.html").read_text(encoding="utf-8")
    assert "There is no such page" in page
    assert '<a href="/templcrawl/.">start</a>' in page


def test_no_markup_is_left_as_text(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = re.sub(
            r"(?s)<(pre|code|script|style)\b.*?</\1>|<!--.*?-->", "", path.read_text(encoding="utf-8")
        )
        text = re.sub(r"<[^>]+>", "", page)
        assert re.findall(r"\|--|```|(?m:^ *\| \S.*\|$)|\]\([\w#]|\{ *[.:#]\w+|:::", text) == [], path
