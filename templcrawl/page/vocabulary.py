"""HTML vocabulary: void elements, implied end tags, elements without visible text, hints and traits.

Read from the HTML standard (section 13, parsing), reduced to what tokens and text need.

A *hint* is a claim of the markup about the text inside: a bit that a start tag sets for all text in its
element.

``LINKED``     it leads somewhere, if only to ``#top``: links to pages are ``Page.links``
``FURNITURE``  the HTML standard means the element for furniture: ``nav``, ``aside``, ``menu``, ARIA roles
``NAMED``      a word of its class or id is that of a header, a footer or a navigation bar
``DIALOG``     it is a dialog or a control by its role
``ARTICLE``    it is the ``article`` or ``main``
``TITLE``      it names the page: it is an ``h1``

For those who gather them over a page there are two more: ``PAGE_PART``, a ``header`` or ``footer``, furniture
unless it is inside an article, and ``LISTED``, an item of a list.

A *trait* is a bit of a start tag that says whether its element is shown, or what opens it
(:mod:`templcrawl.page.traits`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Elements that have no content and no end tag.
VOID = frozenset(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source track
    wbr""".split()
)

# Elements whose content is not markup; it stays in the piece of their start tag.
RAW_TEXT_NAMES = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"))

DESCRIPTIONS = frozenset({"desc", "metadata"})  # elements of svg that say what it draws, and of whom it is

# Elements whose text a reader does not see; of some it is for browsers that do not know them.
INVISIBLE = DESCRIPTIONS | frozenset(
    """annotation annotation-xml audio canvas datalist head noscript script style template title
    video""".split()
)

FRAMES = frozenset({"iframe", "object"})  # elements that show another document
# Attributes of a picture that loads late, which hold what will be its source.
LATE_SOURCES = (
    *("data-src", "data-original", "data-lazy", "data-lazy-src", "data-lazyload", "data-echo", "data-srcset"),
    "data-lazy-srcset",
)
PLAYERS = frozenset({"audio", "video"})  # elements that show something, but no text inside them

# Elements that begin and end a line; every other one flows in it, known to HTML or not ("" is the document).
BLOCKS = frozenset(
    """address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend
    li listing main marquee menu nav noframes ol optgroup option p plaintext pre search section summary table
    tbody td tfoot th thead tr ul xmp""".split()
) | {""}

SPACED = frozenset("button input mtd select text textarea".split())  # they flow, apart from words beside them

SKELETON = frozenset({"html", "head", "body"})  # elements that every page has, written or not

FOREIGN_ROOTS = frozenset({"math", "svg"})  # elements inside which there is no HTML

# Elements of svg and math inside which there is HTML again.
HTML_INSIDE = frozenset("annotation-xml desc foreignobject mi mn mo ms mtext title".split())

# Start tags that end open svg and math.
BREAKS_OUT = frozenset(
    """b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
    listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var""".split()
)

# Elements out of which an end tag inside them does not reach.
SCOPE = frozenset("applet caption html marquee object table td template th".split()) | HTML_INSIDE

# Elements that no end tag of an inline element reaches out of; the standard's word, without empty ones.
SPECIAL = HTML_INSIDE | frozenset(
    """address applet article aside blockquote body button caption center colgroup dd details dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li
    listing main marquee menu nav noembed noframes noscript object ol p plaintext pre script search
    section select style summary table tbody td template textarea tfoot th thead tr ul xmp""".split()
)

HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())  # elements any of which an end tag of any of them ends

# Classes of links to a heading.
PERMALINKS = frozenset(
    """anchor anchor-link anchorjs-link hash-link header-anchor heading-anchor headerlink permalink
    """.split()
)

# Classes of the numbers of lines of code.
LINE_NUMBERS = frozenset(
    """crayon-num hljs-ln-n hljs-ln-numbers line-number line-numbers lineno linenodiv linenos linenumber
    lines-num ln lno lnt source-line-no""".split()
)

# Elements whose end tag inside of a block within them counts: they end with that block.
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())

# Start tags that do not end an open head.
HEAD_CONTENT = frozenset("base link meta title script style noscript template".split())

_Names = frozenset[str]
_Rules = tuple[tuple[_Names, _Names | None], ...]

_CLOSING_P = frozenset(
    """address article aside blockquote center details dialog dir div dl fieldset figcaption figure
    footer header hgroup listing main menu nav ol pre search section summary ul""".split()
)
_TABLE_PARTS = frozenset("caption colgroup tbody td tfoot th thead tr".split())
_TABLE = frozenset({"table", "template"})
_ENDS_P: _Rules = (
    (
        frozenset({"p"}),
        SCOPE | _CLOSING_P | HEADINGS | frozenset("body button dd dt form hr li plaintext".split()),
    ),
)
_LIST = SPECIAL - {"address", "div", "p"}

# Start tag -> pairs of (elements that it ends, elements at which the search for them stops).
#
# ``None``: only the innermost open element is asked.
IMPLIED_ENDS: dict[str, _Rules] = {
    **dict.fromkeys((*_CLOSING_P, "form", "hr", "p", "plaintext", "table", "xmp"), _ENDS_P),
    **dict.fromkeys(HEADINGS, (*_ENDS_P, (HEADINGS, None))),
    **{name: ((frozenset({name}), SPECIAL),) for name in ("a", "nobr")},
    "button": ((frozenset({"button"}), SCOPE),),
    "li": ((frozenset({"li"}), _LIST - {"li"}), *_ENDS_P),
    **dict.fromkeys(("dd", "dt"), ((frozenset({"dd", "dt"}), _LIST - {"dd", "dt"}), *_ENDS_P)),
    "option": ((frozenset({"option"}), frozenset({"select", "optgroup", "datalist"})),),
    "optgroup": ((frozenset({"option", "optgroup"}), frozenset({"select"})),),
    **dict.fromkeys(("rp", "rt"), ((frozenset({"rb", "rp", "rt"}), SPECIAL | {"rtc", "ruby"}),)),
    **dict.fromkeys(("rb", "rtc"), ((frozenset({"rb", "rp", "rt", "rtc"}), SPECIAL | {"ruby"}),)),
    **dict.fromkeys(("td", "th"), ((frozenset({"td", "th"}), _TABLE | {"tr"}),)),
    "tr": ((frozenset({"tr", "td", "th", "caption", "colgroup"}), _TABLE),),
    **dict.fromkeys(("caption", "colgroup", "tbody", "tfoot", "thead"), ((_TABLE_PARTS, _TABLE),)),
}

# Elements of svg and math without HTML inside them.
FOREIGN = FOREIGN_ROOTS | frozenset(
    """circle clippath defs ellipse filter g image line lineargradient marker mask path pattern polygon
    polyline radialgradient rect stop switch symbol text textpath tspan use view
    maction menclose merror mfenced mfrac mmultiscripts mover mpadded mphantom mroot mrow msqrt mstyle msub
    msubsup msup mtable mtd mtr munder munderover semantics""".split()
)

# End tag -> elements at which the search for its element stops, where that is not ``SPECIAL``.
END_SCOPES: dict[str, _Names] = {
    **dict.fromkeys(FOREIGN, SPECIAL - HTML_INSIDE),
    **dict.fromkeys(
        (*_CLOSING_P, *HEADINGS, "applet", "dd", "dt", "form", "head", "marquee", "object"), SCOPE
    ),
    **dict.fromkeys(("button", "select"), SCOPE),
    **dict.fromkeys(_TABLE_PARTS, _TABLE),
    **dict.fromkeys(("body", "html", "table"), frozenset({"template"})),
    **dict.fromkeys(("noscript", "template"), frozenset[str]()),
    "li": SCOPE | {"ol", "ul"},
    "p": SCOPE | {"button"},
}

# Elements in which a form has no content: it is empty, and the cells are the table's.
TABLE_CONTEXT = frozenset("table tbody tfoot thead tr".split())

# Start tag -> open elements directly inside of which it ends nothing.
SETTLED = {
    name: frozenset.intersection(*(SPECIAL - ends if stops is None else stops for ends, stops in rules))
    - FOREIGN
    - TABLE_CONTEXT
    - {"head"}
    for name, rules in IMPLIED_ENDS.items()
}

KNOWN = frozenset(
    """a abbr acronym address applet article aside audio b bdi bdo big blockquote body button canvas
    caption center cite code colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset
    figcaption figure font footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins
    kbd label legend li listing main map mark marquee menu meter nav nobr noembed noframes noscript object ol
    optgroup option output p picture plaintext pre progress q rb rp rt rtc ruby s samp script search section
    select slot small span strike strong style sub summary sup table tbody td template textarea tfoot
    th thead time title tr tt u ul var video xmp""".split()
)


def is_void(name: str, tag: str) -> bool:
    """Return whether a start tag opens nothing: a void element, or ``<x/>`` with x foreign to HTML."""
    return name in VOID or (tag.endswith("/>") and name not in KNOWN)


# Bits of hints.
LINKED, FURNITURE, NAMED, DIALOG, ARTICLE, TITLE, PAGE_PART, LISTED = (1 << bit for bit in range(8))

ALL_HINTS = PAGE_PART  # one more than the largest sum of the hints that a text can have
# Bits of traits, 16 at most: of the name of a tag.
ANCHOR, UNSEEN, UNSCRIPTED, SELECT, SECTION, FRAME, FLOWING, CELL, MATH = (1 << bit for bit in range(9))
# Bits of traits: of its attributes.
HIDDEN = 1 << 9  # it is not shown
DRAWN = 1 << 10  # it is kept from screen readers, where it flows
PANEL = 1 << 11  # it is not shown, and is a panel by its role
SHUT = 1 << 12  # it is not shown, and nothing that opens as a panel
OPENER = 1 << 13  # it names what it opens
TOGGLE = 1 << 14  # a click on it leads nowhere

_HAVING = {
    ANCHOR: frozenset({"a", "area"}),
    UNSEEN: INVISIBLE - {"noscript"},
    UNSCRIPTED: frozenset({"noscript"}),
    SELECT: frozenset({"select"}),
    SECTION: frozenset({"section"}),
    FRAME: frozenset({"html", "body"}),
    CELL: frozenset({"td", "th", "dt", "dd"}),
    MATH: frozenset({"math"}),
}
# Name -> its bits; a name that is left out has ``FLOWING`` alone.
TRAITS = {
    name: sum((bit for bit, names in _HAVING.items() if name in names), FLOWING * (name not in BLOCKS))
    for name in BLOCKS.union(*_HAVING.values())
}

OF_NAME = {
    "a": LINKED,
    **dict.fromkeys(("nav", "aside", "menu"), FURNITURE),
    **dict.fromkeys(("header", "footer"), PAGE_PART),
    **dict.fromkeys(("article", "main"), ARTICLE),
    "h1": TITLE,
    **dict.fromkeys(("li", "option"), LISTED),
}
OF_ROLE = {
    **dict.fromkeys("navigation contentinfo complementary banner menu menubar".split(), FURNITURE),
    **dict.fromkeys(
        "dialog alert alertdialog listbox search toolbar tooltip tablist button status".split(), DIALOG
    ),
    "main": ARTICLE,
}
_CLAIMING = frozenset({"role", "class", "id"})
NEVER_NAMED = frozenset({"html", "body"}) | RAW_TEXT_NAMES
_MAY_NAME = ("nav", "header", "footer")
_OF_NAV = (
    "area bar bit block box col cont elem foot head igat item link list main menu path side tab top wrap"
)
NAMED_BY_START = ("header", "footer", *(f"nav{part}" for part in _OF_NAV.split()))  # words that begin so
NAMED_BY_WORD = ("nav", "navi", "navs")  # words, where a capital begins another
_NAMED_SO = re.compile(
    rf"(?<![a-zA-Z])(?:(?i:{'|'.join(NAMED_BY_START)})"
    rf"|(?i:{'|'.join(NAMED_BY_WORD)})(?![a-z]|(?<=[A-Z])[A-Z]))"
).search


# Names and signs that say where text runs are set apart (:mod:`templcrawl.page.seams`).
UNPARTED = FOREIGN | (HTML_INSIDE - {"foreignobject"}) | frozenset("rb rp rt rtc ruby sub sup".split())
CODE_NAMES = frozenset("code kbd pre samp tt".split())
EMPHASIS = frozenset("b big del em font i ins mark s small strike strong u".split())
PROSE = HEADINGS | {"blockquote", "p"}
THINGS = frozenset({"a", "label"})  # two of one kind are never parts of one word
LEADS_NOWHERE = ("#", "javascript:")  # what two links may have in common
CLOSING = ")]}%!?+#\u2026\u00bb\u201d"  # signs that may end something
PAUSES = ":;,"  # so do these, behind words
STANDING = "+|\u00b7\u00d7\u2022\u203a\u2192\u25b6\u25bc"  # signs that may stand alone
BEFORE_WORDS = "#\u00ab\u201c\u201e\u00bf\u00a1"  # signs that may begin something
CURRENCY_SIGNS = "$€£¥₹₽₺₩₴₫฿₪₦₱"
BEFORE_DIGITS = f"({CURRENCY_SIGNS}"
NUMBER_SIGNS = "+-\u2212\u2013"
GROUPING = ".,'\u2019"  # signs inside of a number
FRACTIONS = "/\u2044"
UNRAISED = "_acdehorstACDEHORST\u00aa\u00ba"  # letters that a word or an ordinal ends in, raised: 1e, 2d, Mr
CURRENCIES = frozenset(
    "AUD CAD CHF CZK DKK EUR Ft GBP HUF Kč Kr NOK PLN RON SEK USD Zł kn kr lei zł грн лв руб".split()
)
SHORT_WORDS = 20  # of a short row, or a box
LABEL_WORDS = 6  # of a label
MIN_PAIRS = 2  # of a table
MIN_FALLBACK = 200  # characters that what is not seen must have at least to be read
MIN_PANEL = 20  # words of a block beside others, if it has no blocks inside
MAX_IDS = 32  # that a control names
FIELDS = frozenset("form input select textarea".split())  # they name what they are about, and open nothing
# Elements that may be panels beside others of their kind; by other neighbours; if no fields are in them.
SIDE_BY_SIDE = frozenset("article div dl fieldset li ol pre section table tbody tr ul".split())
MAY_OPEN = SIDE_BY_SIDE | {"dd", "p", "span"}


def role_hint(attributes: Mapping[str, str]) -> int:
    """Return the bits of the first role that is known."""
    roles = attributes.get("role", "").lower().split()
    return next((OF_ROLE[role] for role in roles if role in OF_ROLE), 0)


def hints_of(name: str, attributes: Mapping[str, str]) -> int:
    """Return the bits that a start tag gives.

    >>> hints_of("a", {"href": "/"}) == LINKED, hints_of("div", {"class": "navbar"}) == NAMED
    (True, True)
    """
    hints = OF_NAME.get(name, 0)
    if hints == LINKED and "href" not in attributes:
        hints = 0
    if _CLAIMING.isdisjoint(attributes) or name in RAW_TEXT_NAMES:
        return hints
    hints |= role_hint(attributes)
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    return hints | NAMED if name not in NEVER_NAMED and names_furniture(names) else hints


def names_furniture(names: str) -> bool:
    """Return whether words of a class or an id are those of a header, a footer or a navigation bar."""
    return any(map(names.lower().__contains__, _MAY_NAME)) and _NAMED_SO(names) is not None
