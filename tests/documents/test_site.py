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
    r"|(<link\b(?![^>]*rel=\"?canonical)[^>]*>)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of the site and its styles, by their paths."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    files = [*folder.rglob("*.html"), *folder.rglob("*.css")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_every_document_is_a_page_of_the_navigation(site: dict[str, str]) -> None:
    for document in (ROOT / "docs").glob("*.md"):
        folder = "" if document.stem == "index" else f"{document.stem}/"
        assert f'href="{"./" if folder else "."}"' in site[f"{folder}index.html"]
    assert '<a href="/templcrawl/.">start</a>' in site["404.html"]


def test_nothing_is_loaded_from_elsewhere(site: dict[str, str]) -> None:
    text = "".join(site.values())
    loaded = ["".join(found) for found in LOADED.findall(text)]
    assert len(loaded) > 10
    assert [address for address in loaded if "//" in address] == []
    assert 'data-md-component="source"' not in text, "it asks for the repository's stars"
    assert re.findall(r"url\([\"']?(?:https?:)?//", text) == []


def test_every_public_name_is_shown_as_it_is_laid_out(site: dict[str, str]) -> None:
    page = site["reference/index.html"]
    assert set(re.findall(r'<h3 id="templcrawl\.(\w+)"', page)) == {*templcrawl.__all__}
    assert "<code>split</code>: where a full fingerprint is cut" in page
    assert page.count("Every error that templcrawl raises, as one tree.") == 1
    assert "<blockquote>" not in page, "a doctest is no quotation"


def test_no_markup_is_left_as_text(site: dict[str, str]) -> None:
    for path, html in site.items():
        page = re.sub(r"(?s)<(pre|code|script|style)\b.*?</\1>|<!--.*?-->", "", html)
        text = re.sub(r"<[^>]+>", "", page) if path.endswith(".html") else ""
        assert re.findall(r"\|--|```|(?m:^ *\| \S.*\|$)|\]\([\w#]|\{ *[.:#]\w+|:::", text) == [], path
