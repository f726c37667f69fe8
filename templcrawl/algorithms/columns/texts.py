"""Find the elements that hold the running text of the pages of a type.

A person has written it: words stand in paragraphs, list items, headings and code, without a class word
between them and the element, or between these in a block. Such an element has that on most pages for most of
its words, and counts if it is the innermost one that has nearly all of that. What stands in it under class
words that fewer than half have is a part of it: quotes, code. So is what stands in one of several elements of
a place (:func:`block_places`). Class words that few pages have are the writer's own. Short lines without a
sentence are no running text, so a list of ingredients or an address stays data. So does what stands apart in
it: headings that begin it where pages have no title, a byline with a class word of its own.

Source: our own.  n units in places of d steps.  Cost: O(n d).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from templcrawl.algorithms.columns.facts import is_title
from templcrawl.algorithms.columns.links import says_file
from templcrawl.algorithms.columns.signatures import is_signature
from templcrawl.algorithms.columns.units import MAX_PLACES, Unit, is_section, parts_of, words_in
from templcrawl.page.vocabulary import HEADINGS

_MOST = 0.6  # of the pages that have an element, and of the words in it
_MIN_WORDS = 12  # of running text in an element, on average
_MIN_LONG = 0.5  # of the words of an element: in units of ``_LONG`` words or more
_LONG = 8
_LINE = 12  # words of a byline
_WRAPPERS = 2  # elements around code of which the class words are those of what colours it
_MAX_STEPS = 14  # between running text and the element that holds it
_NEARLY_ALL = 0.85
_SEVERAL = 1.5  # elements of a place on a page, on average
_SOME = 0.05  # of the pages with words in a block: those with other texts in it
_BLOCKS = frozenset("div td section article".split())
_TITLES = ("h1", "h2")
_TITLE = re.compile(r"(?:^|[-_])title$").search  # in a class word
_TITLED = 2  # last steps of a place: those whose words may call a heading a title
_RARELY = 0.5  # of the pages with running text: those with a part of it
_ONCE = 1.1  # texts in a place on a page, on average
_PARAGRAPHS = frozenset("p li h1 h2 h3 h4 h5 h6 blockquote pre br div".split())
_ALWAYS, _MIN_ALWAYS = 0.9, 8  # of the pages, pages: those that have what a template puts into running text
_PAIR = 2  # of these on a page, at most: a link to the page before, and to the next one
_WRITTEN = _PARAGRAPHS - {"br", "div"}  # elements that a writer makes
_CELLS = frozenset("td th dt dd button label nav".split())
_NO_TEXTS = frozenset("p li ul ol h1 h2 h3 h4 h5 h6 table tr tbody dl a span html body".split())
_MARKING = frozenset("em i b strong small".split())  # a paragraph that is one of these is a line of its own
_NAMED = frozenset("article main td section".split())


def block_places(pages: Iterable[Sequence[tuple[str, Unit]]]) -> frozenset[str]:
    """Return the places of which a page has several elements with texts, on average, outside of records.

    An editor of blocks wraps each paragraph: class words there set none apart.
    pages  the units of each, each with its whole place
    """
    having, standing = Counter[str](), Counter[str]()
    for page in pages:
        found = {one for place, unit in page if not unit.row for one in zip(_up(place), unit.above)}
        standing.update(place for place, _ in found)
        having.update({place for place, _ in found})
    return frozenset(place for place, count in standing.items() if count >= _SEVERAL * having[place])


def text_places(pages: Iterable[Sequence[tuple[str, Unit]]], blocks: frozenset[str]) -> frozenset[str]:
    """Return the places of elements that hold running text.

    Some writers put it in one more element: a place counts on the pages that have no text in such a one.
    pages   the units of each, each with its whole place
    blocks  places of which a page has several
    """
    scopes = [
        [(place, unit) for place, unit in page if not (unit.is_picture or unit.row or is_title(unit))]
        for page in pages
    ]
    mixed, found = _mixed(scopes), frozenset[str]()
    while scopes and (new := _best_places(scopes, blocks, mixed) - found):
        found |= new
        scopes = [scope for scope in scopes if not any(around(found, place) for place, _ in scope)]
    return found


def _best_places(
    scopes: Sequence[Sequence[tuple[str, Unit]]], blocks: frozenset[str], mixed: frozenset[str]
) -> frozenset[str]:
    """Return the innermost places that hold nearly all of the running text on most pages that have them."""
    free, long, having, fine = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for scope in scopes:
        words, ours, lengthy = Counter[str](), Counter[str](), Counter[str]()
        for place, unit in scope:
            count = words_in(unit.text)
            for around, is_free in (*_around(place, blocks), *([(place, True)] if place in mixed else ())):
                words[around] += count
                ours[around] += count * is_free
                lengthy[around] += count * (is_free and count >= _LONG)
        having.update(words.keys())
        free.update(ours)
        long.update(lengthy)
        fine.update(place for place, count in words.items() if ours[place] >= _MOST * count)
    good = {
        place
        for place, count in having.items()
        if count >= 2
        and fine[place] >= _MOST * count
        and free[place] >= _MIN_WORDS * count
        and long[place] >= _MIN_LONG * free[place]
        and place not in blocks
        and _may_hold(place.rpartition("/")[2])
    }
    best = set()
    inner: defaultdict[str, list[str]] = defaultdict(list)
    for place in good:
        for end, sign in enumerate(place):
            if sign == "/" and place[:end] in good:
                inner[place[:end]].append(place)
    for place in good:
        if not any(place[:end] in good for end, sign in enumerate(place) if sign == "/"):
            while True:
                below = [one for one in inner[place] if free[one] >= _NEARLY_ALL * free[place]]
                if not below:
                    break
                place = max(below, key=len)
            best.add(place)
    return frozenset(best)


def _mixed(scopes: Iterable[Sequence[tuple[str, Unit]]]) -> frozenset[str]:
    """Return the places of blocks with words of their own in which other texts stand, too, on some pages."""
    own, below = Counter[str](), Counter[str]()
    for scope in scopes:
        blocks = {unit.above[0]: place for place, unit in scope if unit.tag in _BLOCKS}
        own.update(set(blocks.values()))
        below.update({blocks[one] for _, unit in scope for one in unit.above[1:] if one in blocks})
    return frozenset(place for place, count in below.items() if count >= max(2, _SOME * own[place]))


def places_apart(scopes: Sequence[Sequence[tuple[str, Unit]]], *, has_title: bool) -> frozenset[str]:
    """Return the places in running text that are columns of their own.

    These stand once on a page: a heading that begins the text, wherever, if most pages have one and no title;
    one that is a link, if it is called a title; and on most pages a heading that is a link, a link of which
    the text says that it leads to a file, a short text with a class word of its own, or one before the first
    long text in an element that marks words; and a signature.
    scopes     the units in running text of each page, each with its whole place
    has_title  whether most pages have a title of their own elsewhere
    """
    standing, having, leading = Counter[str](), Counter[str](), Counter[str]()
    early, linked, filed = Counter[str](), Counter[str](), Counter[str]()
    said = Counter((place, unit.text) for scope in scopes for place, unit in scope)
    lengths, pages, headed = Counter[str](), 0, 0
    for scope in scopes:
        short = takewhile(lambda one: words_in(one[1].text) <= _LONG, scope)
        early.update({place for place, unit in short if unit.tag in _MARKING})
        linked.update({place for place, unit in scope if unit.link and unit.is_in_heading})
        counts = Counter(place for place, _ in {(place, unit.above[0]) for place, unit in scope})
        standing.update(counts)
        having.update(counts.keys())
        lengths.update({place: words_in(unit.text) for place, unit in scope})
        own = ((place, unit) for place, unit in scope if said[place, unit.text] < _NEARLY_ALL * len(scopes))
        heads = {place for place, _ in takewhile(lambda one: one[1].tag in HEADINGS, own)}
        leading.update(heads)
        headed += bool(heads)
        pages += bool(scope)
        filed.update({place for place, unit in scope if unit.link and says_file(unit.text)})
    most = _MOST * pages
    is_headed = not has_title and headed >= most
    return frozenset(
        place
        for place, count in having.items()
        if count >= 2
        and standing[place] <= _ONCE * count
        and (
            (count >= most and _is_named(place) and lengths[place] <= _LINE * count)
            or (count >= most and lengths[place] <= _LONG * count and early[place] >= _NEARLY_ALL * count)
            or (count >= most and linked[place] >= _NEARLY_ALL * count)
            or (linked[place] >= _NEARLY_ALL * count and _is_called_title(place))
            or (is_headed and leading[place] >= _NEARLY_ALL * count)
            or (count >= most and filed[place] >= _NEARLY_ALL * count)
            or is_signature(place)
        )
    )


def places_of_template(scopes: Sequence[Sequence[tuple[str, Unit]]], texts: frozenset[str]) -> Iterator[str]:
    """Yield the places in running text, outside of paragraphs, where a template puts short texts.

    Nearly all pages have one there, or two: what leads to the page before and to the next one.
    scopes  the units in running text of each page, each with its whole place
    texts   the places of running text
    """
    pages = sum(map(bool, scopes))
    words = Counter[str]()
    numbers: defaultdict[str, Counter[int]] = defaultdict(Counter)  # place -> texts there -> pages
    for scope in scopes:
        words.update({place: words_in(unit.text) for place, unit in scope})
        for place, number in Counter(place for place, _ in scope).items():
            numbers[place][number] += 1
    for place, having in numbers.items():
        (number, times), *_ = having.most_common(1)
        is_always = times >= _ALWAYS * having.total() and having.total() >= max(_MIN_ALWAYS, _ALWAYS * pages)
        steps = place[len(around(texts, place)) + 1 :].split("/")
        is_written = any(parts_of(step)[0] in _WRITTEN for step in steps)
        if is_always and number <= _PAIR and words[place] <= _LINE * having.total() and not is_written:
            yield place


def places_inside(scopes: Iterable[Sequence[tuple[str, Unit]]], texts: frozenset[str]) -> frozenset[str]:
    """Return the places with class words in running text that are a part of it: fewer than half have them.

    What holds a title is none.
    scopes  the units of each page, each with its whole place
    texts   the places of running text
    """
    having, inside = Counter[str](), Counter[str]()
    for scope in scopes:
        found = {
            (text, place)
            for place, unit in scope
            if unit.tag not in _TITLES and (text := around(texts, place))
        }
        having.update({text for text, _ in found})
        inside.update({part for text, place in found for part in named_steps(text, place)})
    return frozenset(
        place for place, count in inside.items() if count < _RARELY * having[around(texts, place)]
    )


def sections_of(parts: Sequence[Unit], usual: str = "") -> list[Unit]:
    """Return the headings of the sections of a running text: the highest ones of which it has several.

    usual  the heading that such texts mostly have: one is enough
    """
    headings = [unit for unit in parts if unit.heading and not unit.text.isdecimal()]
    counts = Counter(unit.heading for unit in headings)
    highest = min((heading for heading, count in counts.items() if count > 1 or heading == usual), default="")
    return [unit for unit in headings if unit.heading == highest]


def around(texts: frozenset[str], place: str) -> str:
    """Return the place of the innermost running text around a place, "" without one."""
    found = (one for one in texts if place.startswith(one) and place[len(one) :][:1] in ("", "/"))
    return max(found, key=len, default="")


def named_steps(text: str, place: str) -> Iterator[str]:
    """Yield the places with class words between running text and a place in it.

    >>> list(named_steps("div.post", "div.post/div.quote/p/b.name"))
    ['div.post/div.quote']
    """
    for step in place[len(text) + 1 :].split("/")[:-1]:
        text = f"{text}/{step}"
        if parts_of(step)[1]:
            yield text


@lru_cache(maxsize=MAX_PLACES)
def _around(place: str, blocks: frozenset[str]) -> list[tuple[str, bool]]:
    """Return the places around one, each with whether no class word sets the two apart."""
    steps = place.split("/")
    is_paragraph = any(parts_of(step)[0] in _PARAGRAPHS for step in steps[-4:])
    found, is_free, end = [], is_paragraph, len(place)
    tags = [parts_of(step)[0] for step in steps]
    code = tags.index("pre") - _WRAPPERS if "pre" in tags else len(steps)
    for at in range(len(steps) - 1, max(len(steps) - _MAX_STEPS, 0), -1):
        tag, words = parts_of(steps[at])
        is_free = is_free and (at >= code or ((not words or place[:end] in blocks) and tag not in _CELLS))
        end -= len(steps[at]) + 1
        found.append((place[:end], is_free))
    return found


def _up(place: str) -> Iterator[str]:
    """Yield a place and those around it, the innermost first."""
    while place:
        yield place
        place = place.rpartition("/")[0]


def _is_called_title(place: str) -> bool:
    """Return whether the class words of a heading call it a title."""
    steps = map(parts_of, place.split("/")[-_TITLED:])
    return any(tag in HEADINGS and any(map(_TITLE, words)) for tag, words in steps)


def _is_named(place: str) -> bool:
    """Return whether the markup names an element; the id of a heading does not, it is a link target."""
    tag, words = parts_of(place.rpartition("/")[2])
    return any(tag not in HEADINGS or word[0] != "#" for word in words) and not is_section(place)


def _may_hold(step: str) -> bool:
    tag, words = parts_of(step)
    return tag not in _NO_TEXTS and (bool(words) or tag in _NAMED)
