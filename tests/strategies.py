"""Random HTML, random trees, random links and terms for the properties."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Union

from hypothesis import strategies as st

Tree = tuple[Union[str, "Tree"], ...]
"""An element: its name, then its text runs and elements in order."""

NAMES = (
    "a b body button dd dialog div dl dt em form h2 head html li math noscript object option p pre section "
    "select span svg table tbody td template th tr ul video x-y"
).split()
HIDING = [
    " hidden",
    " style='color:red;Display : none'",
    " aria-hidden=true",
    " shadowrootmode=open",
    " popover",
]
_OFTEN = ["noscript", "template", "head", "p", "li", "td", "a"]
_WORDS = [
    "tea",
    "milk",
    "Zoë",
    "茶",
    "1",
    "a",
    "b>",
    "p;",
    "t;",
    "in;",
    "3;",
    "hidden",
    "Zoe\u0308",
    "te\u00ada",
]
_SPACES = [" ", "\n", " \t", "\r\n", "\xa0"]
_MARKS = ["<", ">", '"', "'", "=", "&", "/", "-", "--", "!", "<<", "< "]
_REFERENCES = [
    "&amp;",
    "&lt;",
    "&gt",
    "&nbsp;",
    "&no",
    "&am",
    "&#12",
    "&copy",
    "&eacute;",
    "&#x201C;",
    "&shy;",
    "&ZeroWidthSpace;",
    "&x",
]
_FORMULAS = ["<script type=math/tex>a<b</script>"]
_COMMENTS = ["<!-- <p> -->", "<!-->", "<!--->", "<!---->", "<!-- a --!>", "<!doctype html>", "<?x?>", "</ >"]
_RAW_TEXT = [
    "<script>a<b</p></script>",
    "<style>p</style>",
    "</style>",
    "<title>a<b></title>",
    "<XMP></p></xmp>",
    "<iframe>a<b></iframe>",
]
_LEAVES = ["<br>", "<br/>", "<img alt='>'>", "<hr>", "<x/>", "</br>", "<link>", "<area href=/m>", "<source>"]
_UNCLOSED = [
    "<!--",
    "<script>",
    "<textarea>",
    "<div class='",
    "<br",
    "<a href=",
    "<img alt='>",
    "</p",
    "<?",
    "</",
]
_LINKS = ['<a href="/a?b=1&amp;c">', "<a href='x' title=\">\">", "<A HREF=y#z>", "<a name=z>"]

_starts = st.builds(
    "<{}{}>".format,
    st.sampled_from([*NAMES, *_OFTEN]),
    st.sampled_from(["", "", "", " class='a>b'", " title=x/", "\n", *HIDING]),
)
_PANEL_PIECES = [
    *(
        "<div class=x>",
        "<div class='x y' hidden>",
        "<div class=x9 style=display:none>",
        "<section id=p hidden>",
    ),
    *("<div id=q role=tabpanel hidden>", "<div role='Menu x' hidden>", "<ul id=p class=navbar hidden>"),
    *("<dialog id=p>", "<p id=q hidden>", "<table class=x hidden>", "<td>", "<p>", "<article>", "<header>"),
    *(
        "<button aria-controls='p r'>",
        "<a href=#q>",
        "<a href='#'>",
        "<a>",
        "<b data-bs-target='#q'>",
        "<nav>",
    ),
    *("<i aria-controls=q aria-haspopup=menu>", "<a href=#p data-toggle=modal>", "<a role=tab href=#p>"),
    *("<input aria-controls=p>", "<h3 aria-expanded=false>", "</div>", "</section>", "</ul>", "</button>"),
    *("</a>", "</nav>", "</p>", "</h3>", "</dialog>", "</table>", "</header>", "</article>", "</b>", "</i>"),
    *("<b onclick=x>", "<label for=x>", "<form>", "</form>", "<input type=button>", "<tr hidden>", "<tr>"),
    *(
        "<dd hidden>",
        "<dt>",
        "<p class=x hidden>",
        "<li hidden>",
        "<span hidden>",
        "</span>",
        "<b data-tab=p>",
    ),
    *("tea", "milk", "a cup of tea", "word " * 20, "leaf " * 30),
]
panel_soups = st.lists(st.sampled_from(_PANEL_PIECES), max_size=40).map("".join)
"""Panels, what opens them, and what does not."""

_ends = st.builds("</{}>".format, st.sampled_from(NAMES))
_texts = st.sampled_from(_WORDS) | st.sampled_from(_SPACES)
_marked = st.sampled_from(_MARKS) | st.sampled_from(_REFERENCES + _FORMULAS)
_rarer = st.sampled_from(_COMMENTS + _RAW_TEXT + _LEAVES + _LINKS)

closed_soups = st.lists(_starts | _ends | _texts | _rarer | _marked, max_size=40).map("".join)
"""Tags in any order, text, comments, stray marks: what real pages are made of, and worse."""

_cut_off = st.builds("{}{}{}".format, closed_soups, st.sampled_from(_UNCLOSED), closed_soups)
_noise = st.text(alphabet="<>/!-=\"'& abp\n", max_size=30)

soups = closed_soups | _cut_off | _noise
"""Soups, some of them cut off inside a tag, a comment or a quote."""

word_soups = st.lists(
    _starts | _ends | _rarer | st.sampled_from(_WORDS[:5]).map(" {} ".format) | st.sampled_from(_SPACES),
    max_size=40,
).map("".join)
"""Soups whose text runs begin and end with white space: no word goes on behind a tag."""


def mask_of(noise: bytes, length: int) -> bytes:
    """Return a mask of ``length`` zeros and ones that repeats the low bits of ``noise``."""
    return bytes(value & 1 for value in islice(cycle(noise or b"\1"), length))


def spans_of(mask: bytes) -> list[tuple[int, int]]:
    """Return the half-open spans of the ones of a mask."""
    edges = [place for place, (a, b) in enumerate(zip(b"\0" + mask, mask + b"\0")) if a != b]
    return list(zip(edges[::2], edges[1::2]))


noises = st.binary(max_size=24)
"""What a mask is made of."""

_text_runs = st.sampled_from(["tea", "milk & <", "1 > 0", "茶"])


def _element(names: str, children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.builds(lambda name, content: (name, *content), st.sampled_from(names.split()), children)


def _mixed(elements: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    """Content in which no two text runs stand side by side."""
    runs = st.lists(st.tuples(st.none() | _text_runs, elements), max_size=3)
    return st.builds(
        lambda pairs, last: tuple(part for pair in (*pairs, (last,)) for part in pair if part is not None),
        runs,
        st.none() | _text_runs,
    )


_phrases = st.recursive(
    _element("br img wbr", st.just(())),
    lambda inner: _element("span em b strong code sub", _mixed(inner)),
    max_leaves=4,
)


def _blocks(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    flow = _mixed(inner)
    cells = st.lists(_element("td th", flow), max_size=2).map(tuple)
    rows = st.lists(_element("tr", cells), max_size=2).map(tuple)
    return st.one_of(
        _element("div section blockquote form", flow),
        _element("h2", _mixed(_phrases)),
        _element("ul ol", st.lists(_element("li", flow), max_size=3).map(tuple)),
        _element("dl", st.lists(_element("dt dd", flow), max_size=3).map(tuple)),
        _element("table", rows | st.lists(_element("thead tbody", rows), max_size=2).map(tuple)),
        _element("select", st.lists(_element("option", _text_runs.map(lambda run: (run,)))).map(tuple)),
    )


_flow = st.recursive(_phrases | _element("p", _mixed(_phrases)), _blocks, max_leaves=12)

trees = _mixed(_flow)
"""Documents as the HTML standard allows them: text runs and elements in order."""

_VOID = frozenset("br img wbr".split())
_OPTIONAL_ENDS = frozenset("li dt dd option td th tr thead tbody".split())
_END_OF_P = frozenset("div section blockquote form h2 ul ol dl table p".split())


def written(content: Tree, *, optional_ends: bool) -> str:
    """Write a tree as HTML, with or without the end tags that the standard lets authors leave out."""
    parts = []
    for node, after in zip(content, (*content[1:], None)):
        if isinstance(node, str):
            parts.append(node)
            continue
        name = node[0]
        parts += [f"<{name}>", written(node[1:], optional_ends=optional_ends)]
        is_optional = name in _OPTIONAL_ENDS or (
            name == "p" and (after is None or (not isinstance(after, str) and after[0] in _END_OF_P))
        )
        if name not in _VOID and (optional_ends or not is_optional):
            parts.append(f"</{name}>")
    return "".join(parts)


plain_hrefs = st.text(alphabet="ab.:/?=&;%2'[]#-_~@!$()*+,", max_size=12)
"""What stands in an ``href``, ASCII without white space and entities that end."""

terms = st.lists(st.sampled_from("tea milk sugar cup pot Zoë 茶".split()), max_size=40)
"""Texts of few distinct terms: many shingles are equal."""
