"""Text runs: what they are, what the markup around them claims, and when two are the same."""

from __future__ import annotations

import re
from unicodedata import combining, decomposition, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.page.runs import TextRuns
from templcrawl.page.text import WIDE, count_words, hashes_of, text_key
from templcrawl.page.vocabulary import ARTICLE, DIALOG, FURNITURE, LINKED, NAMED, TITLE

pytestmark = pytest.mark.usefixtures("reader")


def runs_of(html: str) -> TextRuns:
    return Page(html, "https://example.org/").text_runs


def texts_of(html: str) -> list[str]:
    page = Page(html, "https://example.org/")
    return [page.tokens.forms[form].strip() for form in page.tokens.form_array[page.text_runs.positions]]


def hint_of(html: str, text: str = "here") -> int:
    return int(runs_of(html).hints[texts_of(html).index(text)])


def key_of(html: str, text: str = "here") -> int:
    return int(runs_of(html).keys[texts_of(html).index(text)])


def test_the_visible_runs_are_read_in_order() -> None:
    html = "<title>no</title><p>one <b>two</b> </p><script>no</script><style>no</style><!--no-->three"
    assert texts_of(html) == ["one", "two", "three"]
    assert runs_of(html).words.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("written", "seen", "words"),
    [
        ("Open&nbsp;till&#160;nine,&#x20;&mdash; says Ann", "Open till nine, — says Ann", 5),
        ("R&amp;D", "R&#38;D", 2),
        ("Zu\u0308ri&shy;ch", "Z\u00fcri\u200bch", 1),
        ("\ufefftea&ZeroWidthSpace;pot", "tea\u00adpot", 1),
        ("\u1112\u1161\u11ab", "\ud55c", 1),
        ("e\u0323\u0302 e\u0302\u0323", "\u1ec7 \u1ec7", 2),
        ("&nbsp;", "&shy;", 0),
    ],
)
def test_runs_are_the_same_where_a_reader_sees_the_same(written: str, seen: str, words: int) -> None:
    one, other = runs_of(f"<p>{written}"), runs_of(f"<p>{seen}")
    assert one.keys.tolist() == other.keys.tolist()
    assert one.words.tolist() == other.words.tolist() == [words]
    pages = Page(f"<p>{written}", ""), Page(f"<p>{seen}", "")
    assert pages[0].terms.hashes.tolist() == pages[1].terms.hashes.tolist()


def test_a_joiner_that_shapes_letters_is_part_of_a_word() -> None:
    assert runs_of("<p>a\u200db").texts.tolist() != runs_of("<p>ab").texts.tolist()


_COMPOSED = [chr(number) for number in range(0x11A00) if decomposition(chr(number)) or combining(chr(number))]
_PARTS = [*_COMPOSED, *map(chr, range(0x1100, 0x1200)), *map(chr, range(0xAC00, 0xAC40)), *"ae &\u00ad"]


@given(st.lists(st.sampled_from(_PARTS), max_size=8).map("".join))
def test_words_are_composed_as_unicode_has_it(text: str) -> None:
    words = normalize("NFC", text.replace("\u00ad", "")).split()
    page = Page(f"<p>{text}</p>", "")
    assert page.terms.hashes.tolist() == hashes_of(words).tolist()
    assert page.text_runs.texts.tolist() in ([text_key(" ".join(words))], [])


@pytest.mark.parametrize(
    ("html", "hint"),
    [
        ("<p>here", 0),
        ("<a href=/x><b>here", LINKED),
        ("<a name=x>here", 0),
        ("<nav><ul><li>here", FURNITURE),
        ("<aside>here", FURNITURE),
        ("<div role=Navigation>here", FURNITURE),
        ("<header>here", FURNITURE),
        ("<footer>here", FURNITURE),
        ("<main><header>here", ARTICLE),
        ("<article><div><footer><p>here", ARTICLE),
        ("<article><nav>here", ARTICLE | FURNITURE),
        ("<section><div><header><h2>here", 0),
        ("<section><footer>here", 0),
        ("<section></section><header>here", FURNITURE),
        ("<header><section>here", FURNITURE),
        (f"<select><optgroup>{11 * '<option>x'}<option>here", LINKED),
        (f"<select>{11 * '<option>x'}</select><select><option>here", 0),
        ("<div role='doc-toc navigation dialog'>here", FURNITURE),
        ("<div role=main><header>here", ARTICLE),
        ("<footer><article>here", FURNITURE | ARTICLE),
        ("<div class='page-header'>here</div><p>two words", NAMED),
        ("<div id=navBar>here</div><p>two words", NAMED),
        ("<div class='x NAV-top'>here</div><p>two words", NAMED),
        ("<div class=main_navigation>here</div><p>two words", NAMED),
        ("<div class=footerLinks>here</div><p>two words", NAMED),
        ("<div class=subheader>here</div><p>two words", 0),
        ("<div class=text-navy>here</div><p>two words", 0),
        ("<div class=NAVY>here</div><p>two words", 0),
        ("<div id=navel>here</div><p>two words", 0),
        ("<div class=wy-nav-content><p>here</p><p>it all is</p></div><p>two words", 0),
        ("<div class=nav><b>here</b> <a href=/>and three linked words</a></div><p>three words more", NAMED),
        ("<div class=nav-content><div class=header>here</div><p>two words", NAMED),
        ("<div class='top' class='nav'>here</div><p>two words", 0),
        ("<main><div class=header>here", ARTICLE),
        ("<body class=nav-open><p>here", 0),
        ("<article class=nav-box>here</article><p>two words", ARTICLE),
        ("<main id=header>here</main><p>two words", ARTICLE),
        ("<div role=dialog>here", DIALOG),
        ("<div data-x='footer'>here", 0),
        (
            "<nav><div class=footer role=search><a href=/>here</a></div></nav>two words",
            LINKED | FURNITURE | NAMED | DIALOG,
        ),
        ("<header><h1><b>here", FURNITURE | TITLE),
        ("<title>here</title><p>here", TITLE),
        ("<title>All of it | here</title><p>here", TITLE),
        ("<title>All of it: here</title><p>here", TITLE),
        ("<title>All of it here</title><p>here", 0),
        ("<title>All\n&nbsp; of it\n -\n\there</title><p>here", TITLE),
        ("<title>All of it&nbsp;| &#104;ere</title><p>here", TITLE),
        ("<title>here - my site</title><nav>here", FURNITURE),
        ("<title>here - my site</title><div class=header><p>here</div><p>my site", NAMED | TITLE),
        ("<title>here - my site</title><div class=header><p>here</div><p>here", NAMED),
        ("<title>here</title><div class=header><p>here</div><div class=header><h1>here</h1></div>", NAMED),
        ("<title>here</title><div class=header><a href=/>here</a></div><p>two words", NAMED | LINKED),
        ("<title>here</title><ul><li><b>here", 0),
    ],
)
def test_the_markup_around_a_run_is_a_hint(html: str, hint: int) -> None:
    assert hint_of(html) == hint


def test_an_element_that_holds_most_of_the_page_is_not_what_it_is_named() -> None:
    half = "<div class=header><p>here</p><p>three more words</p></div><p>{}"
    assert hint_of(half.format("four words beside it")) == NAMED
    assert hint_of(half.format("three words beside")) == 0
    linked = "<div class=nav><a href=/>here</a> <a href=/>three more words</a></div><p>{}"
    assert hint_of(linked.format("two words")) == LINKED | NAMED
    assert hint_of(linked.format("word")) == LINKED


def test_a_run_is_known_by_its_words_and_its_path_of_names() -> None:
    here = key_of("<div class=a><p id=1>here</p></div>")
    assert key_of("<i>first</i><div class=b><p>\n here\t</p>") == here
    assert key_of("<a href=/1>here</a>") == key_of("<a href=/2>here</a>")
    others = ("<div><div>here", "<p><div>here", "<div><p><b>here", "<p>here", "<section><p>here")
    assert len({here, *map(key_of, others)}) == 6
    assert key_of("<div><p>there", "there") != here


def test_the_depth_of_an_element_is_counted_from_the_body_on() -> None:
    html = "<html><body><div><p>here</p></div></body></html>"
    assert runs_of(html).depths.tolist() == [0, 0, 0, 1, 2]
    assert runs_of("<div><p>here").depths.tolist() == [0, 1, 2]
    assert max(runs_of("<div>" * 1_000 + "deep").depths) == 255


@given(st.text("a1_ é½²–’Ж茶・゛\ud800\u3040\x1c\xa0"))
def test_words_are_what_the_pattern_finds_and_each_wide_character(text: str) -> None:
    words = len(re.findall(r"\w+", text))
    wide = len(WIDE.findall(text)) if words else 0
    assert count_words(text) == (wide + len(re.findall(r"\w+", WIDE.sub(" ", text))) if wide else words)


def reference(page: Page) -> list[tuple[bool, tuple[str, ...]]]:
    """Each run's furniture hint and path of names, by walking up from its element."""
    found = []
    for element in page.text_runs.elements.tolist():
        path = []
        while element > 0:
            path.append(element)
            element = page.elements.parents[element]
        names = [page.elements.names[element] for element in reversed(path)]
        is_furniture = any(
            name in ("nav", "aside", "menu")
            or (name in ("header", "footer") and not {"article", "main"} & set(names[:position]))
            for position, name in enumerate(names)
        )
        found.append((is_furniture, tuple(names)))
    return found


TAGS = [
    "<div>",
    "</div>",
    "<nav>",
    "</nav>",
    "<main>",
    "</main>",
    "<header>",
    "</header>",
    "<b>",
    "</b>",
    "word ",
]


@given(st.lists(st.sampled_from(TAGS), max_size=60))
def test_hints_and_keys_are_those_of_a_plain_walk(tags: list[str]) -> None:
    page = Page("".join(tags), "")
    expected = reference(page)
    assert [bool(hint & FURNITURE) for hint in page.text_runs.hints.tolist()] == [nav for nav, _ in expected]
    texts = [page.tokens.forms[form].split() for form in page.tokens.form_array[page.text_runs.positions]]
    same = {}
    for key, (_, path), text in zip(page.text_runs.keys.tolist(), expected, texts):
        assert same.setdefault((path, tuple(text)), key) == key
    assert len(set(same.values())) == len(same)


def test_a_run_that_is_hidden_has_another_key_but_in_links_and_furniture() -> None:
    html = "<p>a<p hidden>a<p>b<i><a href=/>c</a></i><i hidden><a href=/>c</a></i><nav><b>d</b><b hidden>d"
    runs = Page(f"{html}</nav><p>{'word ' * 60}", "").text_runs
    shown, hidden = runs.keys[:2].tolist()
    assert shown != hidden
    assert runs.hidden.tolist() == [False, True, False, False, False, False, False, False]
    assert runs.keys_in_sight[:2].tolist() == [shown, shown]
    assert runs.keys[3] == runs.keys[4]
    assert runs.keys[5] == runs.keys[6]
