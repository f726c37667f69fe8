"""Read the metadata that a page declares: JSON-LD, microdata, OpenGraph and other ``meta``, the language.

Names are those of schema.org.  Only what is about the *main thing* of the page counts: the first thing that
is not part of a page or of a site (``_AROUND``), if the page declares no second one of its type.  What its
offers and ratings say is read as its own; of a thing named (an author, a brand) its name is read.  JSON-LD
comes before microdata, then what ``WebPage`` says, then ``meta``; the first that has a property counts.

Source: schema.org, the HTML standard (microdata), ogp.me.  Departures: no vocabulary is checked, contexts of
JSON-LD are not read; a date stays as it is written.
Cost: O(tags) plus the declared texts; at most ``MAX_BLOCKS`` blocks of JSON of ``MAX_JSON`` characters,
``MAX_NODES`` nodes and elements, ``MAX_VALUES`` values of a property of ``MAX_TEXT`` characters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urljoin

import numpy as np

from templcrawl.page.page import Page
from templcrawl.page.text import storable, unescape
from templcrawl.page.tokens import TEXT, attributes, raw_text

MAX_BLOCKS, MAX_JSON, MAX_NODES, MAX_VALUES, MAX_TEXT = 32, 500_000, 2_000, 20, 10_000
MAX_METAS = 200
PROPERTIES = frozenset(
    """name headline description image author datePublished dateModified inLanguage url articleSection
    keywords price priceCurrency availability sku mpn gtin gtin8 gtin12 gtin13 gtin14 isbn brand
    manufacturer model category color material ratingValue reviewCount ratingCount commentCount
    startDate endDate location address telephone email publisher duration recipeYield totalTime
    prepTime cookTime jobTitle hiringOrganization employmentType validThrough baseSalary
    servesCuisine priceRange genre director actor numberOfPages
    """.split()
)
_AROUND = frozenset(
    """WebSite Organization NewsMediaOrganization LocalBusiness BreadcrumbList ListItem ItemList
    ImageObject Person WPHeader WPFooter WPSideBar SiteNavigationElement SearchAction ReadAction
    Comment UserComments Review Rating AggregateRating Offer AggregateOffer Brand PostalAddress
    Corporation
    """.split()
)
_PAGES = frozenset(
    "WebPage CollectionPage ItemPage AboutPage ContactPage ProfilePage SearchResultsPage".split()
)
# Parts of a thing, read as its own.
_PARTS = frozenset("offers aggregateRating priceSpecification mainEntity".split())
_NAMING = ("name", "@value", "url", "@id")  # what stands for a thing that is a value
_METAS = {
    "og:title": "headline",
    "og:description": "description",
    "og:image": "image",
    "og:url": "url",
    "og:updated_time": "dateModified",
    "article:published_time": "datePublished",
    "article:modified_time": "dateModified",
    "article:author": "author",
    "article:section": "articleSection",
    "product:price:amount": "price",
    "product:price:currency": "priceCurrency",
    "citation_title": "headline",
    "citation_author": "author",
    "citation_publication_date": "datePublished",
    "citation_date": "datePublished",
    "author": "author",
    "description": "description",
}
_SAYS = re.compile(rf"=\s*(?:[\"']\s*)?(?:{'|'.join(_METAS)})\b", re.IGNORECASE).search
_READ = frozenset({"meta", "link", "script", "html"})
_MARKUP = re.compile(r"<[a-zA-Z/][^<>]*>")
_URL = re.compile(r"https?://", re.IGNORECASE)

Values = dict[str, list[str]]  # property -> its values


class Declared(NamedTuple):
    """The declarations of a page about its main thing.

    kind    its type, such as ``Product``; "" where none is declared
    values  property -> its values, in their order
    """

    kind: str
    values: Mapping[str, list[str]]

    def first(self, *names: str) -> str:
        """Return the first value of the first of some properties that there is; "" without one."""
        return next((self.values[name][0] for name in names if name in self.values), "")


def read_declared(page: Page) -> Declared:
    """Return the declarations of a page.

    >>> page = Page('<html lang=en><meta property="og:title" content="Tea &amp; milk">', "")
    >>> read_declared(page).values
    {'headline': ['Tea & milk'], 'inLanguage': ['en']}
    """
    metas, links, scripts, languages = _tags(page)
    nodes = list(islice(_linked(scripts), MAX_NODES))
    things = [*_main(nodes), *(_main(_microdata(page)) if "itemprop" in page.text else ())]
    pages = [(kind, values) for kind, values in nodes if kind in _PAGES]
    kind = next((kind for kind, _ in things), "")
    rest = {**metas, **{name: found for name, found in (("url", links), ("inLanguage", languages)) if found}}
    merged: Values = {}
    for values in (*(values for _, values in (*things, *pages)), rest):
        for name, found in values.items():
            merged.setdefault(name, found)
    for name in ("image", "url"):
        merged[name] = [address for one in merged.get(name, ()) if (address := _absolute(page, one))]
    return Declared(kind, {name: values for name, values in merged.items() if values})


def _tags(page: Page) -> tuple[Values, list[str], list[str], list[str]]:
    """Return the ``meta`` properties of a page, its canonical address, its JSON-LD, its language."""
    tokens, metas = page.tokens, Values()
    links: list[str] = []
    scripts: list[str] = []
    languages: list[str] = []
    left = MAX_METAS
    for form, name in enumerate(tokens.form_names):
        if name not in _READ:
            continue
        if name == "link":
            if not links and tokens.form_tags[form].rel == "canonical":
                links = _texts(tokens.form_tags[form].href)
            continue
        text = tokens.text_of(form)
        if name == "meta" and left and _SAYS(text):
            left -= 1
            values = attributes(text)
            named = _METAS.get((values.get("property") or values.get("name", "")).strip().lower(), "")
            _add(metas, named, values.get("content", ""))
        elif name == "script" and "ld+json" in text[:200] and len(scripts) < MAX_BLOCKS:
            scripts.append(raw_text(text))
        elif name == "html" and not languages:
            languages = _texts(attributes(text).get("lang", ""))
    return metas, links, scripts, languages


def _add(values: Values, name: str, value: Any) -> None:
    """Add the texts of a value to a property; an author is not an address."""
    if name in PROPERTIES:
        texts = [text for text in _texts(value) if name != "author" or not _URL.match(text)]
        known = values.get(name, [])
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            values[name] = [*known, *new][:MAX_VALUES]


def _texts(value: Any) -> list[str]:
    """Return a value of JSON, or of an attribute, as texts; for a thing its name."""
    if isinstance(value, list):
        return [text for one in value[:MAX_VALUES] if not isinstance(one, list) for text in _texts(one)]
    if isinstance(value, dict):
        return next((_texts(value[key]) for key in _NAMING if isinstance(value.get(key), str)), [])
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = unescape(str(value)[:MAX_TEXT])
    text = storable(" ".join(_MARKUP.sub(" ", text).split() if "<" in text else text.split()))
    return [text] if text else []


def _linked(scripts: Iterable[str]) -> Iterator[tuple[str, Values]]:
    """Yield the things of blocks of JSON-LD: type, values."""
    for script in scripts:
        start = min(filter(lambda at: at >= 0, map(script.find, "{[")), default=0)  # comments may be around
        written = script[start : max(map(script.rfind, "}]")) + 1]
        try:
            data = json.loads(written, strict=False) if len(written) <= MAX_JSON else None
        except (ValueError, RecursionError):
            continue
        graph = [one for one in _nodes(data) if isinstance(one, dict)]
        named = {one["@id"]: one for one in graph if isinstance(one.get("@id"), str) and len(one) > 1}
        for node in graph:
            values = Values()
            _read_node(node, named, values, 0)
            yield _kind(node), values


def _nodes(data: Any, depth: int = 0) -> list[Any]:
    """Return the things of a block, or of lists in lists of at most three levels."""
    if isinstance(data, dict):
        graph = data.get("@graph")
        return graph[:MAX_NODES] if isinstance(graph, list) else [data]
    if not isinstance(data, list) or depth == 3:
        return []
    return [node for one in data[:MAX_NODES] for node in _nodes(one, depth + 1)]


def _kind(node: Mapping[str, Any]) -> str:
    """Return the type of a node; of a page about one thing that of the thing."""
    main = node.get("mainEntity")
    kinds = [main.get("@type") if isinstance(main, dict) else None, node.get("@type")]
    plain = (kind[0] if isinstance(kind, list) and kind else kind for kind in kinds)
    return next((kind.rpartition("/")[2] for kind in plain if isinstance(kind, str)), "")


def _read_node(node: Mapping[str, Any], named: Mapping[str, Any], values: Values, depth: int) -> None:
    for name, value in node.items():
        one = value[0] if isinstance(value, list) and value else value
        if name in _PARTS and isinstance(one, dict) and depth < 3:
            _read_node(one, named, values, depth + 1)
        elif name in PROPERTIES:
            several = value[:MAX_VALUES] if isinstance(value, list) else [value]
            _add(values, name, [named.get(one["@id"], one) if _refers(one) else one for one in several])


def _refers(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("@id"), str) and "name" not in value


def _main(things: Iterable[tuple[str, Values]]) -> list[tuple[str, Values]]:
    """Return the main thing of several, [] if there is none, or two of its type."""
    told = [(kind, values) for kind, values in things if kind not in _AROUND | _PAGES and values]
    counts = Counter(kind for kind, _ in told)
    return [one for one in told[:1] if counts[one[0]] == 1]


def _microdata(page: Page) -> list[tuple[str, Values]]:
    """Return the things of microdata that are not a property of another: type, values.

    Scopes around an element stand on a stack: where it ends, its values (None: it does not count), and the
    property that it is the value of.
    """
    tokens, elements = page.tokens, page.elements
    marked = [form for form, text in enumerate(tokens.forms) if "item" in text and text[0] == "<"]
    wanted = np.isin(tokens.form_array[elements.open_array[1:]], marked).nonzero()[0] + 1
    outside = Values()
    things: list[tuple[str, Values]] = []
    around: list[tuple[int, Values | None, str]] = [(len(tokens), outside, "")]
    for element in wanted[:MAX_NODES].tolist():
        written = attributes(tokens.forms[tokens.form_of[elements.opens[element]]])
        while around[-1][0] <= elements.opens[element]:
            around.pop()
        _, values, role = around[-1]
        names = written.get("itemprop", "").split()
        if "itemscope" in written:
            own = next((name for name in names if name in PROPERTIES), "")
            if not names:
                values, own = Values(), ""
                things.append((written.get("itemtype", "").rstrip("/").rpartition("/")[2], values))
            elif role or not (own or _PARTS.intersection(names)):
                values = None
            around.append((elements.closes[element], values, own))
        elif values is not None and (not role or "name" in names):
            for name in [role] if role else names:
                if name in PROPERTIES:
                    _add(values, name, _written(page, element, written))
    return [*things, ("", outside)]


def _written(page: Page, element: int, written: Mapping[str, str]) -> str:
    """Return the value of an element of microdata."""
    for name in ("content", "datetime", "src", "href"):
        if written.get(name) and (name != "href" or page.elements.names[element] == "link"):
            return written[name]
    tokens, elements = page.tokens, page.elements
    start, stop = elements.opens[element], elements.closes[element]
    inside = tokens.form_of[start : min(stop, start + MAX_NODES)]
    return " ".join(tokens.forms[form] for form in inside if tokens.form_kinds[form] == TEXT)[:MAX_TEXT]


def _absolute(page: Page, address: str) -> str:
    try:
        return urljoin(page.base_url, address)
    except ValueError:
        return ""
