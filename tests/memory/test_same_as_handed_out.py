"""``changed`` says "same" exactly when what is handed out of a page is the same, and its template is."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.memory.change_kinds import CHANGED, SAME
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.states import pack, unpack
from templcrawl.page.page import Page

pytest.importorskip("markdown_it")

OPTIONS = MemoryOptions(sample_salt=0, sections={"changes": {}})
WORDS = "amber birch cedar delta ember flint grove hazel inlet juniper knoll lichen maple nettle".split()
MENU = "<ul><li><a href=/a>Teas of the house</a><li><a href=/b>Cups and pots</a></ul>"
FOOTER = "<p>Open from nine to five on all days but Monday"


class Block(NamedTuple):
    """A part of the content of a page, whose HTML is made of its words."""

    html: Callable[[str], str]
    text: str


KINDS: dict[str, Callable[[str], str]] = {
    "paragraph": lambda text: f"<p>{text}</p>",
    "heading": lambda text: f"<h2>{text}</h2>",
    "list": lambda text: f"<ul>{''.join(f'<li>{word}</li>' for word in text.split(' '))}</ul>",
    "table": lambda text: f"<table><tr><td>{text}</td><td>7</td></tr></table>",
    "code": lambda text: f"<pre><code>{text}</code></pre>",
    "link": lambda text: f'<p>See <a href="/{text[:3]}">{text}</a></p>',
    "picture": lambda text: f'<p><img src="/1.png" alt="{text}"></p>',
    "struck": lambda text: f"<p>Was <del>{text}</del></p>",
    "hidden": lambda text: f"<p hidden>{text}</p>",
    "strong": lambda text: f"<p>So <b>{text}</b> it is</p>",
}

# What an edit makes of the HTML of a block and its words; nobody sees the first ones.
UNSEEN: dict[str, Callable[[str, str], str]] = {
    "nothing": lambda html, text: html,
    "class": lambda html, text: html.replace("<p", "<p class=new", 1),
    "comment": lambda html, text: f"<!-- {text} -->{html}",
    "script": lambda html, text: f"{html}<script>let tea = '{text}'</script>",
    "soft hyphen": lambda html, text: html.replace(f">{text}", f">{text[:2]}\u00ad{text[2:]}", 1),
    "blanks": lambda html, text: html if "<pre" in html else html.replace(f">{text}", f">\n  {text}", 1),
    "token": lambda html, text: f"{html}<input type=hidden name=token value={text[:3]}7>",
    "data": lambda html, text: html.replace("<p", "<p data-seen=1", 1),
}
SEEN: dict[str, Callable[[str, str], str]] = {
    "word": lambda html, text: html.replace(f">{text}", f">{text} orchard", 1),
    "gone": lambda html, text: "",
    "more": lambda html, text: f"{html}<p>And {text} again in another line</p>",
    "hide": lambda html, text: html.replace("<p", "<p hidden", 1),
    "show": lambda html, text: html.replace("<p hidden", "<p", 1),
    "strike": lambda html, text: html.replace(f">{text}", f"><s>{text}</s>", 1),
    "unstrike": lambda html, text: html.replace("<del>", "").replace("</del>", ""),
    "strong": lambda html, text: html.replace(f">{text}", f"><strong>{text}</strong>", 1),
    "heading": lambda html, text: html.replace("<p", "<h3", 1).replace("</p", "</h3", 1),
    "address": lambda html, text: html.replace('href="/', 'href="/moved/', 1),
    "source": lambda html, text: html.replace("/1.png", "/2.png", 1),
    "late": lambda html, text: html.replace("src=", "src=/wait.gif data-src=", 1),
    "alternative": lambda html, text: html.replace(f'alt="{text}', f'alt="{text} tea', 1),
}
EDITS = UNSEEN | SEEN

TEXTS = st.lists(st.sampled_from(WORDS), min_size=3, max_size=8).map(" ".join)
BLOCKS = st.lists(st.tuples(st.sampled_from([*KINDS]), TEXTS), min_size=1, max_size=5)


def page(name: str, blocks: list[str], menu: str = MENU) -> Page:
    own = " ".join(f"{word} {name}{number}" for number, word in enumerate(3 * WORDS))
    content = f"<h1>Of {name}</h1><p>{own}</p>{''.join(blocks)}"
    html = f"<title>{name}</title><nav>{menu}</nav><main>{content}</main><footer>{FOOTER}</footer>"
    return Page.from_html(html, f"http://tea.example/{name}")


@lru_cache(maxsize=1)
def learned() -> bytes:
    site = SiteMemory("tea.example", OPTIONS)
    for number in range(8):
        site.observe(page(f"p{number}", []), at=1)
    return pack(site.snapshot())


def known() -> SiteMemory:
    return SiteMemory.from_snapshot(unpack("learned", learned()), OPTIONS)


def handed_out(seen: Observation) -> tuple[str, str]:
    """Return what is handed out; invisible signs, which code keeps, are no text."""
    return seen.content_text.replace("\u00ad", ""), seen.content_markdown.replace("\u00ad", "")


def seen_again(before: Page, after: Page) -> tuple[Observation, Observation]:
    """Return a page as it was, and as a later crawl finds it, both with all of the site known."""
    site = known()
    site.observe(before, at=1)
    later, unedited = (SiteMemory.from_snapshot(site.snapshot(), OPTIONS) for _ in range(2))
    return unedited.observe(before, at=2), later.observe(after, at=2)


@given(BLOCKS, st.lists(st.sampled_from([*EDITS]), max_size=5), st.booleans())
@example([("hidden", "amber birch cedar")], ["show"], False)
@example([("paragraph", "amber birch cedar")], ["hide"], False)
@example([("picture", "amber birch cedar")], ["late"], False)
@example([("struck", "amber birch cedar")], ["unstrike"], False)
@example([("paragraph", "amber birch cedar")], ["soft hyphen"], False)
@example([("link", "amber birch cedar")], ["address"], False)
@example([("paragraph", "amber birch cedar")], ["strong"], False)
@example([("paragraph", "amber birch cedar")], ["heading"], True)
def test_it_says_so(blocks: list[tuple[str, str]], edits: list[str], has_other_menu: bool) -> None:
    whole = [KINDS[kind](escape(text)) for kind, text in blocks]
    edited = [
        EDITS[edits[at]](html, blocks[at][1]) if at < len(edits) else html for at, html in enumerate(whole)
    ]
    menu = MENU.replace("Cups", "New cups") if has_other_menu else MENU
    before, after = seen_again(page("x", whole), page("x", edited, menu))
    assert before.changed == SAME
    (text, markdown), (new_text, new_markdown) = handed_out(before), handed_out(after)
    if text.split() != new_text.split():
        assert after.changed == CHANGED
    if (text, markdown) != (new_text, new_markdown):
        assert after.changed != SAME
    else:
        assert after.changed != CHANGED
        if not has_other_menu and {*edits[: len(blocks)]} <= {*UNSEEN}:
            assert after.changed == SAME
    if has_other_menu:
        assert after.changed != SAME
