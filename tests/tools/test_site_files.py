"""The files of a folder about a site."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl.outputs.page_file import PageFile, StoredPage
from templcrawl.tools.site_files import write_files

ROW = re.compile(r'<th scope="row"><code class="label">([^<]+)</code> (\w+)</th>')


def test_the_report_names_the_kind_that_most_pages_of_a_type_have_in_the_file(tmp_path: Path) -> None:
    """Pages of the folder are judged by all others; those of this order had other kinds as they came."""
    pytest.importorskip("jinja2")
    (tmp_path / "job").mkdir()
    stored = PageFile(tmp_path / "pages.sqlite")
    site = generate_demo_site(articles=10, products=10, chapters=10).pages
    for path in sorted(site):
        url, body = f"http://demo.example{path}", site[path].html.encode()
        stored.put(StoredPage(url, body, "text/html; charset=utf-8", url, "2026-01-01T00:00:00Z"))
    write_files(stored, tmp_path, ["url", "page_type", "page_kind"], with_tree=False, tell=lambda text: None)
    stored.close()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in map(json.loads, (tmp_path / "pages.jsonl").read_text("utf-8").splitlines()):
        kinds[row["page_type"]][row["page_kind"]] += 1
    named = dict(ROW.findall((tmp_path / "report.html").read_text("utf-8")))
    assert named.keys() == kinds.keys()
    assert all(kinds[name][kind] == max(kinds[name].values()) for name, kind in named.items())
