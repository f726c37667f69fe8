"""What HTML's element names mean to us: which are empty, which imply an end, which show no text.

Read from the HTML standard (section 13, parsing), reduced to what tokens and text need.
"""

from __future__ import annotations

VOID = frozenset("area base br col embed hr img input keygen link meta param source track wbr".split())
"""Elements that have no content and no end tag."""

INVISIBLE = frozenset("head noscript script style template title".split())
"""Elements whose text a reader does not see."""

INLINE = frozenset(
    """a abbr acronym area audio b bdi bdo big br button canvas cite code data del dfn em embed font i
    iframe img input ins kbd label link map mark meta meter noscript object output param picture
    progress q ruby rt rp s samp script select small source span strike strong style sub sup
    template textarea time title track tt u var video wbr
    svg circle defs desc ellipse g line path polygon polyline rect stop symbol use
    math mi mn mo mrow msub msubsup msup mtext semantics""".split()
)
"""Elements that do not interrupt a line of text; every other element starts a new line."""

SCOPE = frozenset("applet caption html object table td template th".split())
"""Elements out of which an end tag inside them does not reach."""

LOOKED_THROUGH = INLINE - SCOPE - {"button"}
"""Open elements beyond which a start tag looks for the paragraph or link that it ends."""

HEAD_CONTENT = frozenset("base link meta title script style noscript template".split())
"""Start tags that do not end an open head."""

_CLOSES_P = frozenset(
    """address article aside blockquote center details dialog dir div dl fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary
    table ul""".split()
)

FOREIGN_ROOTS = frozenset({"math", "svg"})
"""Elements inside which there is no HTML."""

HTML_INSIDE = frozenset("annotation-xml desc foreignobject mi mn mo ms mtext title".split())
"""Elements of svg and math inside which there is HTML again."""

BREAKS_OUT = frozenset(
    """b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
    listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var""".split()
)
"""Start tags that end open svg and math."""

_Names = frozenset[str]
_TABLE_PARTS = frozenset("caption colgroup tbody td tfoot th thead tr".split())
_LISTS = frozenset("ul ol menu dir table td th".split())

IMPLIED_ENDS: dict[str, tuple[_Names, _Names | None]] = {
    **{name: (frozenset({"p"}), None) for name in _CLOSES_P},
    "a": (frozenset({"a"}), None),
    "li": (frozenset({"li"}), _LISTS),
    "dd": (frozenset({"dd", "dt"}), frozenset({"dl", "table"})),
    "dt": (frozenset({"dd", "dt"}), frozenset({"dl", "table"})),
    "option": (frozenset({"option"}), frozenset({"select", "optgroup", "datalist"})),
    "optgroup": (frozenset({"option", "optgroup"}), frozenset({"select"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tr": (frozenset({"tr", "td", "th", "caption", "colgroup"}), frozenset({"table"})),
    **{
        name: (_TABLE_PARTS, frozenset({"table"}))
        for name in ("caption", "colgroup", "tbody", "tfoot", "thead")
    },
}
"""Start tag -> (elements that it ends, elements at which the search for them stops).

``None`` stops the search at any element outside ``LOOKED_THROUGH``: how an open paragraph is found.
"""

_FORMATTING = frozenset(
    "a abbr b big cite code em font i label nobr q s small span strike strong sub sup tt u".split()
)

END_SCOPES: dict[str, _Names | None] = {
    **dict.fromkeys(_FORMATTING),
    **dict.fromkeys(_TABLE_PARTS, frozenset({"table", "template"})),
    **dict.fromkeys(("body", "html", "table"), frozenset({"template"})),
    "li": SCOPE | {"ol", "ul"},
    "p": SCOPE | {"button"},
}
"""End tag -> elements at which the search for its element stops, where that is not ``SCOPE``.

``None`` stops at any element that is not inline: ``</b>`` does not close a paragraph inside ``<b>``.
"""

_KNOWN = frozenset(
    """a abbr acronym address applet article aside audio b bdi bdo big blockquote body button canvas
    caption center cite code colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset
    figcaption figure font footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins
    kbd label legend li main map mark menu meter nav nobr noembed noframes noscript object ol optgroup
    option output p picture pre progress q rp rt ruby s samp script search section select slot small
    span strike strong style sub summary sup table tbody td template textarea tfoot th thead time title
    tr tt u ul var video xmp""".split()
)


def is_void(name: str, tag: str) -> bool:
    """Say whether a start tag opens nothing: a void element, or ``<x/>`` with x foreign to HTML."""
    return name in VOID or (tag.endswith("/>") and name not in _KNOWN)
