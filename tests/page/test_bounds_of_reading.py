"""How far an end tag, an attribute list and a title are read: bounds that only pages beyond them show."""

from __future__ import annotations

import pytest

from templcrawl.page.page import Page
from templcrawl.page.tokens import TEXT
from templcrawl.page.vocabulary import TITLE

pytestmark = pytest.mark.usefixtures("reader")

INLINE = "<b>" * 40


def owner_of(html: str, word: str) -> str:
    """Return the name of the element that a word stands in."""
    page = Page(html, "")
    position = next(n for n, form in enumerate(page.tokens.form_of) if page.tokens.forms[form] == word)
    return page.elements.names[page.elements.owners[position]]


def test_an_end_tag_ends_its_element_though_forty_others_are_open_in_it() -> None:
    assert owner_of(f"<main><div>{INLINE}tea</div>milk", "milk") == "main"


def test_a_start_tag_ends_what_it_implies_though_forty_others_are_open_in_it() -> None:
    page = Page(f"<ul><li>{INLINE}tea<li>milk</ul>", "")
    entries = [n for n, name in enumerate(page.elements.names) if name == "li"]
    assert [page.elements.names[page.elements.parents[entry]] for entry in entries] == ["ul", "ul"]


@pytest.mark.parametrize("values", [4, 100, 1_000])
def test_a_tag_is_read_to_its_end_whatever_its_values_hold(values: int) -> None:
    tag = "<a " + " ".join(f'v{n}="{n}>"' for n in range(values)) + ' href="/x">'
    tokens = Page(f"{tag}tea</a>", "").tokens
    assert tokens.forms[tokens.form_of[0]] == tag
    assert [tokens.forms[form] for form, kind in zip(tokens.form_of, tokens.kinds) if kind == TEXT] == ["tea"]


@pytest.mark.parametrize("named", ["Lamps | The shop", "Lamps", "The shop", "lamps", "Lamps | The"])
def test_the_title_of_a_page_is_its_whole_and_each_of_its_parts(named: str) -> None:
    page = Page(f"<title>Lamps | The shop</title><p>{named}</p><p>other", "")
    is_title = (page.text_runs.hints & TITLE > 0).tolist()
    assert is_title == [named in ("Lamps | The shop", "Lamps", "The shop"), False]
