"""Which pages of a saved site ``lab.bench.sitebench`` uses, and in what order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.bench.saved_sites import SavedSite
from lab.bench.sitebench import selection
from lab.bench.sitebench.selection import Selection, select_pages
from lab.bench.sitebench.site_table import type_rules

Save = Callable[..., SavedSite]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Save pages: name -> its body and the names that it links to."""

    def save(pages: dict[str, tuple[str, str]]) -> SavedSite:
        for name, (body, links) in pages.items():
            anchors = "".join(f"<a href={link}.html></a>" for link in links.split())
            html = f"<title>{name}</title><body class='ns-{name[0]}'>{anchors}{body}<!--{'.' * 300}-->"
            (tmp_path / f"{name}.html").write_text(html, encoding="utf-8")
        return SavedSite("tea", "", tmp_path, "index.html", ("tea.example",), ("//main",))

    return save


def _names(selected: Selection) -> list[str]:
    return [path.removesuffix(".html") for path in selected.paths]


def _site(save: Save) -> SavedSite:
    """Seven pages; nothing links to x1 and y1."""
    links = {"index": "a1 a2 a3 b1", "a1": "index", "a2": "a1", "a3": "b2", "b1": "a1", "x1": "", "y1": "b1"}
    return save({name: (f"<p>text of {name}", there) for name, there in {**links, "b2": ""}.items()})


def test_pages_come_breadth_first_and_those_without_a_link_last(save: Save) -> None:
    names = _names(select_pages(_site(save), type_rules("")))
    assert names[:6] == ["index", "a1", "a2", "a3", "b1", "b2"]
    assert sorted(names[6:]) == ["x1", "y1"]
    assert _names(select_pages(_site(save), type_rules(""), pages=3)) == ["index", "a1", "a2"]


def test_a_cap_puts_off_pages_of_a_page_type(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """a2 and a3 wait; b2 is found from a3, after the first pass."""
    monkeypatch.setattr(selection, "CAP", 1)
    rules = lambda path, html: path[0]  # noqa: E731
    selected = select_pages(_site(save), rules)
    assert _names(selected)[:6] == ["index", "a1", "b1", "a2", "a3", "b2"]
    assert selected.types["a1.html"] == "a"


def test_what_is_no_page_is_left_out(save: Save) -> None:
    redirect = "<meta http-equiv='refresh' content='0; url=index.html'>moved"
    pages = {
        "index": ("<p>start", "a1 a2 r1 e404 tiny"),
        "a1": ("<p>one text", ""),
        "a2": ("<div>one  text</div>", ""),
        "r1": (redirect, ""),
        "e404": ("<title>Page not found</title><p>gone", ""),
    }
    site = save(pages)
    (site.folder / "tiny.html").write_text("<p>tiny", encoding="utf-8")
    selected = select_pages(site, type_rules(""))
    assert _names(selected) == ["index", "a1"]
    assert selected.left_out == {"equal text": 1, "redirect": 1, "error page": 1, "size": 1}


def test_a_site_has_a_size_at_most(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    site = _site(save)
    monkeypatch.setattr(selection, "SITE_BYTES", 1_000)
    selected = select_pages(site, type_rules(""))
    assert _names(selected) == ["index", "a1"]
    assert selected.bytes <= 1_000


def test_a_page_type_stands_in_the_markup() -> None:
    wordpress = type_rules("wordpress")
    assert wordpress("", b"<body class='archive category category-tea'>") == "archive-category"
    assert wordpress("", b"<body class='post-template single single-post'>") == "single-post"
    assert wordpress("", b"<body class='error404'>") is None
    assert type_rules("redmine")("", b"<body class='x controller-wiki action-show'>") == "wiki-show"
    assert type_rules("")("tea", b"") is None
