"""What benchmarks read, as small as they take it: saved sites, single pages with gold, a suite of cases."""

from __future__ import annotations

import json
from pathlib import Path

from lab.sites.generated import generate_demo_site

SUITE = '#data\n<p>tea\n#errors\n#document\n| <html>\n|   <head>\n|   <body>\n|     <p>\n|       "tea"\n'
KINDS = ("article", "chapter", "product")


def save_sites(folder: Path) -> Path:
    """Save a generated site with marked content and page types as the one of a folder; return the folder."""
    site = generate_demo_site(articles=30, products=10, chapters=8)
    for path, page in site.pages.items():
        file = folder / "tea" / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.html, encoding="utf-8")
    types = {path.lstrip("/"): page.kind for path, page in site.pages.items() if page.kind in KINDS}
    tea = {"start": "index.html", "hosts": ["tea.example"], "content": ["//main"], "page_types": types}
    (folder / "sites.json").write_text(json.dumps({"tea": tea}), encoding="utf-8")
    return folder


def save_single_pages(folder: Path) -> Path:
    """Save twelve pages of as many hosts, each beside its main content; return the folder."""
    menu = "<li><a href=/>Home</a><li><a href=/all>All pages</a>"
    for number in range(12):
        text = " ".join(f"Sentence {n} of page {number} is about tea, as all are." for n in range(5))
        html = f"<nav><ul>{menu}</ul></nav><main><p>{text}</p></main><footer>Imprint</footer>"
        (folder / f"{number:04}.html").write_text(html, encoding="utf-8")
        gold = {"_internal": {"page_type": {"primary": "article"}}, "ground_truth": {"main_content": text}}
        gold["url"] = f"https://site{number}.example/"
        (folder / f"{number:04}.json").write_text(json.dumps(gold), encoding="utf-8")
    return folder


def save_suite(folder: Path) -> Path:
    """Save a suite of one case of tokens and one of trees; return the folder."""
    tokens = {"description": "", "input": "<b>tea", "output": [["StartTag", "b", {}], ["Character", "tea"]]}
    for name, text in {
        "tokenizer/a.test": json.dumps({"tests": [tokens]}),
        "tree-construction/b.dat": SUITE,
    }.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
