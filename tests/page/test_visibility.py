"""Which elements a reader sees text in: names, what the page hides, pages that would be empty, formulas."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tokens import attributes
from templcrawl.page.vocabulary import HIDDEN, INVISIBLE, OPENER, PANEL, SHUT, SKELETON, TOGGLE
from tests.strategies import panel_soups, soups

pytestmark = pytest.mark.usefixtures("reader")


def seen(html: str) -> str:
    """Return the text of a page."""
    page = Page(html, "")
    return text_of(page, bytes(len(page.tokens)), 0)


@given(soups)
@example("<br</style>")
@example("<div class='</style>'</style>")
def test_an_element_is_seen_unless_something_around_it_hides_it(text: str) -> None:
    """Every value of ``style`` hides here; ``</style>`` inside a tag is an attribute without one."""
    page = Page(text.replace("math", "mark"), "")
    elements, tokens = page.elements, page.tokens
    visible, shown = [True], [True]
    for name, parent, opened in list(zip(elements.names, elements.parents, elements.opens))[1:]:
        has = attributes(tokens.forms[tokens.form_of[opened]])
        is_plain = name not in INVISIBLE or (name == "template" and "shadowrootmode" in has)
        hides = name not in SKELETON and (
            name == "dialog" or not {"hidden", "popover"}.isdisjoint(has) or bool(has.get("style"))
        )
        visible.append(visible[parent] and is_plain)
        shown.append(shown[parent] and is_plain and not hides)
    assert (elements.visible, elements.shown) == (visible, shown)


@pytest.mark.parametrize(
    ("tag", "is_hidden"),
    [
        ("<p hidden>", True),
        ("<p HIDDEN=''>", True),
        ("<p hidden=until-found>", False),
        ("<p data-hidden class=hidden>", False),
        ("<p style='display:none'>", True),
        ("<p style='color: red;DISPLAY :\tNone ! important ; width:0'>", True),
        ("<p style=display&colon;none>", True),
        ("<p style='display:block;x-display:none'>", False),
        ("<p style='background:url(display:none)'>", False),
        ("<p style='visibility: collapse'>", True),
        ("<p style='Visibility:hidden'>", True),
        ("<p style='visibility:visible'>", False),
        ("<p style='display'>", False),
        ("<p popover=auto>", True),
        ("<dialog>", True),
        ("<dialog open>", False),
        ("<dialog open hidden>", True),
        ("<datalist>", True),
        ("<details>", False),
        ("<body hidden>", False),
        ("<p aria-hidden=true>", False),
        ("<template>", True),
        ("<template shadowrootmode=Closed>", False),
        ("<template shadowrootmode=x>", True),
        ("<video>", True),
        ("<canvas>", True),
        ("<object data=x>", False),
    ],
)
def test_what_hides(tag: str, is_hidden: bool) -> None:
    assert ("milk" not in seen(f"<section>tea {tag}milk</section>")) == is_hidden


@pytest.mark.parametrize("tag", ["<noscript>", "<div hidden id=S:0>", "<div style=display:none>", "<dialog>"])
@pytest.mark.parametrize(("words", "is_read"), [(30, False), (60, True)])
@pytest.mark.parametrize("beside", ["", "<p>tea</p>"])
def test_what_is_not_shown_is_read_where_it_is_the_page(
    tag: str, words: int, is_read: bool, beside: str
) -> None:
    """Sixty words of four letters and a space are 300 characters."""
    assert ("word" in seen(f"{beside}{tag}<i>{'word ' * words}</i></{tag[1:].split()[0]}")) == is_read


def test_what_is_not_shown_is_not_read_beside_a_page_of_its_length() -> None:
    text = "word " * 100
    assert "milk" not in seen(f"<p>{text}</p><noscript>milk {text[:300]}</noscript><p hidden>{text[:190]}")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<math><semantics><mi>a</mi><annotation>\\a</annotation></semantics></math>", "a"),
        ("<i><b><math>a=1</math></b><b aria-hidden=true>a=1</b></i> so", "a=1 so"),
        ("<i><nobr aria-hidden=true>a=1</nobr><b><math>a=1</math></b></i> so", "a=1 so"),
        ("<i><b aria-hidden=true>a=1</b></i> so", "a=1 so"),
        ("<i><b><math>a</math></b></i><i><b aria-hidden=true>b</b></i>", "ab"),
        ("<i><b hidden>x<math>a</math></b><b aria-hidden=true>b</b></i>", "a"),
        ("<p>The <b style=display:none><math>a</math></b><img alt=a> is", "The a is"),
        ("<p>The <b style=display:none><u><math>a</math></u></b><img alt=a> is", "The is"),
        ("<math>a</math><p aria-hidden=true>b", "a\nb"),
        ("<x hidden><math>a<x hidden><math>b</math></x></math></x>", "a"),
    ],
)
def test_a_formula_is_seen_once(html: str, text: str) -> None:
    assert seen(html) == text


def test_the_html_of_a_formula_behind_its_picture_is_the_formula() -> None:
    page = Page("<p>The <b style=display:none><math alttext=x>a</math></b><img alt=x> is", "")
    assert html_of(page, bytes(len(page.tokens)), 0) == "<p>The <math alttext=x>a</math> is</p>"


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p><img data-x=a><noscript> <img src=b> </noscript>", "<p>  <img src=b>  </p>"),
        ("<picture><source srcset=c><img></picture><noscript><img src=b></noscript>", "<img src=b>"),
        ("<img src=a><noscript><img src=b> and</noscript>", "<img src=a>"),
        ("<img src=a><noscript><img src=b><img src=c></noscript>", "<img src=a>"),
        ("<img src=a><p>tea</p><noscript><img src=b></noscript>", "<img src=a><p>tea</p>"),
        ("<p hidden><img src=a><noscript><img src=b></noscript>", ""),
        ("<noscript><img src=b></noscript>", ""),
    ],
)
def test_a_picture_that_loads_late_is_that_of_its_noscript(html: str, written: str) -> None:
    page = Page(html, "")
    assert html_of(page, bytes(len(page.tokens)), 0).split() == written.split()


TWENTY = "pot " * 20


@pytest.mark.parametrize(
    ("html", "is_open"),
    [
        ("<i role=tabpanel hidden>milk", True),
        ("<i role='TabPanel' style=display:none>milk", True),
        ("<i role=region hidden>milk", False),
        ("<button aria-controls=p>more</button><i id=p hidden>milk", True),
        ("<button aria-controls='o p'>more</button><i id=p hidden>milk", True),
        ("<button aria-controls=P>more</button><i id=p hidden>milk", False),
        ("<b data-target='#p'>more</b><i id=p style='visibility:hidden'>milk", True),
        ("<b data-bs-target=#p data-bs-toggle=collapse>more</b><i id=p hidden>milk", True),
        ("<a href=#p>more</a><i id=p hidden>milk", True),
        ("<a href=/x#p>more</a><i id=p hidden>milk", False),
        ("<b href=#p>more</b><i id=p hidden>milk", False),
        # what lies over the page
        ("<a href=#p data-toggle=modal>more</a><i id=p hidden>milk", False),
        ("<button aria-controls=p aria-haspopup=true>more</button><i id=p hidden>milk", False),
        ("<button aria-controls=p>more</button><dialog id=p>milk", False),
        ("<button aria-controls=p>more</button><i id=p popover>milk", False),
        ("<button aria-controls=p>more</button><i id=p role=alertdialog hidden>milk", False),
        ("<input aria-controls=p><i id=p hidden>milk", False),
        # furniture, and what its controls name
        ("<button aria-controls=p>more</button><nav id=p hidden>milk", False),
        ("<nav><i id=p hidden>milk</i></nav><button aria-controls=p>more</button>", False),
        ("<nav><button aria-controls=p>more</button></nav><i id=p hidden>milk", False),
        ("<nav><button role=tab aria-controls=p>more</button></nav><i id=p hidden>milk", True),
        ("<nav><a data-toggle=Pill href=#p>more</a></nav><i id=p hidden>milk", True),
        ("<header><a href=#p>more</a></header><i id=p hidden>milk", False),
        ("<article><header><a href=#p>more</a></header><i id=p hidden>milk", True),
        ("<button aria-controls=p>more</button><i id=p class=navbar hidden>milk", False),
        ("<nav><i role=tabpanel hidden>milk", False),
        # beside others of their kind
        ("<div class=x><p>cup</div><div class='x y' hidden><p>milk</div>", True),
        (
            "<div class=x9><p>cup</div><div class=x10 hidden><p>milk</div><div class=x hidden><p>pot</div>",
            True,
        ),
        ("<div class=x><p>cup</div><div class='y x' hidden><p>milk</div>", False),
        ("<div class=x><p>cup</div><section class=x hidden><p>milk</section>", False),
        ("<div><p>cup</div><div hidden><p>milk</div>", False),
        ("<div class=x>cup</div><div class=x hidden>milk</div>", False),
        (f"<div class=x>cup</div><div class=x hidden>milk {TWENTY}</div>", True),
        ("<div class=x><p>cup</div><div class=x><p>pan</div><div class=x hidden><p>milk</div>", False),
        ("<div class=x><p>cup</div><i><div class=x hidden><p>milk</div></i>", False),
        ("<div class=x hidden><p>cup</div><div class=x hidden><p>milk</div>", False),
        ("<div class=x><p>cup</div><div class=x hidden><p>milk<input></div>", False),
        (f"<p class=x>cup<p class=x hidden>milk {TWENTY}</p>", False),
        # right behind what a click on leads nowhere
        (f"<button>more</button><div hidden>milk {TWENTY}</div>", True),
        ("<button>more</button><div hidden><p>milk</div>", False),
        (f"<h3>How? <a href=#>+</a></h3><div hidden>milk {TWENTY}</div>", True),
        (f"<h3>How? <a href=/x>+</a></h3><div hidden>milk {TWENTY}</div>", False),
        (f"<h3>How?</h3><div hidden>milk {TWENTY}</div>", False),
        (f"<i aria-expanded=false>How?</i><div hidden>milk {TWENTY}</div>", True),
        (f"<a href='JavaScript:x()'>How?</a><div hidden>milk {TWENTY}</div>", True),
        (f"<p>{TWENTY}<button>How?</button></p><div hidden>milk {TWENTY}</div>", False),
        (f"<button>more</button><hr><div hidden>milk {TWENTY}</div>", False),
        (f"<button hidden>more</button><div hidden>milk {TWENTY}</div>", False),
        (f"<button>Send</button><div hidden>milk {TWENTY}<input></div>", False),
        (f"<b onclick=x()>How?</b><p hidden>milk {TWENTY}</p>", True),
        (f"<a href=/x onclick=x()>How?</a><p hidden>milk {TWENTY}</p>", False),
        (f"<input type=checkbox id=b><label for=b>How?</label><div hidden>milk {TWENTY}</div>", True),
        (f"<i><input type=button></i><i><span hidden>milk {TWENTY}</span></i>", True),
        (f"<button>more</button><i>cup <span hidden>milk {TWENTY}</span></i>", False),
        (f"<button data-toggle=modal>Buy</button><div hidden>milk {TWENTY}</div>", False),
        ("<b data-tab=p>more</b><i id=p hidden>milk", True),
        # right in front of it
        (f"<p>cup <span hidden>milk {TWENTY}</span></p><button>more</button>", True),
        (f"<i><div hidden>milk {TWENTY}</div></i><a href=#>more</a>", True),
        (f"<div hidden>milk {TWENTY}</div><p>cup</p><a href=#>more</a>", False),
        (f"<form><div hidden>milk {TWENTY}</div><button>Send</button></form>", False),
        ("<div hidden>milk</div><button>more</button>", False),
        ("<table><tr><td>cup<tr hidden><td>milk<tr hidden><td>pan</table><button>more</button>", True),
        ("<ul><li>cup<li hidden>milk</ul><button>more</button>", True),
        ("<ul><li>cup<li hidden>milk</ul>", False),
        # answers
        (f"<dl><dt>How?<dd hidden>milk {TWENTY}<dt>Who?<dd hidden>pan</dl>", True),
        (f"<dl><dt>How?<dd hidden>milk {TWENTY}</dl>", False),
        ("<dl><dt>How?<dd hidden>milk<dt>Who?<dd hidden>pan</dl>", False),
        (f"<i><b>How?</b><p hidden>milk {TWENTY}</p></i><i><b>Who?</b><p hidden>pan</p></i>", True),
        (
            f"<i><b>How?</b><p hidden>{TWENTY}</p></i><i><b>Who?</b><p hidden>{TWENTY}milk</p></i><p>cup</p>",
            True,
        ),
        (f"<b><a href=/x>How?</a></b><p hidden>milk {TWENTY}</p><b>Who?</b><p hidden>pan</p>", False),
        ("<i itemprop='x acceptedAnswer' hidden>milk", True),
        # inside of others
        ("<i hidden><b role=tabpanel hidden>milk", False),
        ("<i role=tabpanel hidden><b role=tabpanel hidden>milk", True),
        ("<i role=tabpanel hidden><b hidden>milk", False),
        ("<template><a href=#p>more</a></template><i id=p hidden>milk", False),
        # copies
        ("<p>milk<i role=tabpanel hidden>milk", None),
        ("<p>a cup of tea<i role=tabpanel hidden>a cup of tea<b>milk", False),
        ("<p>a cup<i role=tabpanel hidden>a cup<b>of milk", True),
        ("<i role=tabpanel hidden>a  cup of tea<b>milk</b></i><p>a cup\nof tea", False),
    ],
)
def test_a_panel_is_what_a_reader_opens(html: str, is_open: bool | None) -> None:
    text = seen(f"<section>{'long ' * 60}</section>{html}")
    assert text.count("milk") == (1 if is_open is None else is_open)


def test_of_two_panels_with_the_same_text_one_is_shown() -> None:
    assert seen("<p>tea</p><p role=tabpanel hidden>milk</p><p role=tabpanel hidden>milk</p>") == "tea\nmilk"


@given(panel_soups)
@example("<div role=tabpanel hidden><nav>tea")
def test_what_is_opened_is_hidden_and_nothing_around_it_keeps_it_shut(html: str) -> None:
    """A menu keeps shut what is hidden inside of it; a panel opens with the menus in it."""
    elements = Page(html, "").elements
    traits = elements.traits.tolist()
    is_opened = elements.hidden_array & elements.shown_array
    if (elements.shown_array == elements.visible_array).all():
        return  # most of the page was hidden, and it is shown all the same
    for element in is_opened.nonzero()[0].tolist():
        around = [element]
        while elements.parents[around[-1]] > 0:
            around.append(elements.parents[around[-1]])
        assert any(traits[one] & HIDDEN for one in around)
        assert not any(traits[one] & HIDDEN and traits[one] & SHUT for one in around)
        while not traits[around[0]] & HIDDEN:
            around.pop(0)
        assert not any(elements.names[one] == "nav" for one in around)
    if is_opened.any():
        has_class = any("class" in attributes(tag) for tag in Page(html, "").tokens.forms)
        assert has_class or any(bits & (OPENER | PANEL | TOGGLE) for bits in traits)
