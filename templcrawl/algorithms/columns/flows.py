"""Flows: which texts of a page flow together as one, as a heading with its words in bold.

Text in the same heading, link or ``pre`` flows together, and in the same block where that is running text
(``MIN_RUNNING`` words of its own), without the buttons in it.  What the markup of a part of a heading calls
otherwise ("status", "rank") is apart, and so are the texts of a link that stand in elements of their own, a
first line in bold, and the one link of each item of a list if marks are between it and the words beside it.

Source: our own.  m elements.  Cost: O(m).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from templcrawl.page.page import Page
from templcrawl.page.text import Memo, remove_zero_width, unescape
from templcrawl.page.tokens import SPACE
from templcrawl.page.vocabulary import FLOWING, HEADINGS, TRAITS

MIN_RUNNING = 6
JOINING = frozenset("em i sub sup mark abbr code wbr u q kbd var font bdi acronym tt".split())
MIN_ITEMS, _LISTED = 3, 0.8  # items of a list; of these: those alike
_BEFORE, _BEHIND = "-–—:：|•·", "-–—:：|•·,(["  # marks beside a link
WHOLE = HEADINGS | {"a", "pre"}  # elements of which all inside is one text
_RUNNING = frozenset("p li td dd div span font blockquote figcaption article section".split())
_WIDE_GAP = re.compile(r"\xa0(?:\s*?\xa0)+").split  # what a reader sees as the end of a line
_BOLD = frozenset({"b", "strong"})
_CURRENCY = "urrency"  # of a class word: the sign before an amount
_OTHERWISE = frozenset("status state position rank count date author byline subtitle".split())  # in headings


def _keep_ends(run: str) -> str:
    text = remove_zero_width(unescape(run))
    folded = "\n".join(" ".join(part.split()) for part in _WIDE_GAP(text))
    return f"{' ' * text[:1].isspace()}{folded}{' ' * text[-1:].isspace()}" if folded else " " * bool(text)


FOLDED = Memo(_keep_ends)


def flows_of(page: Page) -> list[int]:
    """Return element -> the element that holds the unit of its own text; -1 in a button beside a text."""
    elements, runs = page.elements, page.text_runs
    names, own = elements.names, np.bincount(runs.elements, runs.words, len(elements)).tolist()
    _leave_numbers(page, own)
    flows = [TRAITS.get(name, FLOWING) & FLOWING for name in names]
    tags, form_of = page.tokens.form_tags, page.tokens.form_array[elements.open_array].tolist()
    apart, said = _apart(page, own), list(own)  # said: words in an element, but those in its buttons
    listed = _listed_links(page)
    calls = [calls_otherwise(tag.classes) for tag in tags]
    for element in range(len(names) - 1, 0, -1):
        said[elements.parents[element]] += said[element] * (names[element] != "button")
    whole = [0]
    for element, parent in enumerate(elements.parents[1:], start=1):
        around = whole[parent]
        if around < 0:
            whole.append(-1)
            continue
        in_heading = names[around] in HEADINGS
        joins = names[around] == "pre" or (
            flows[element]
            and (
                (
                    names[around] in WHOLE
                    and not apart[around]
                    and not (in_heading and calls[form_of[element]])
                )
                or (own[around] >= MIN_RUNNING and names[around] in _RUNNING and element not in listed)
                or (own[parent] > 0 and names[element] in JOINING and not tags[form_of[element]].classes)
                or (
                    names[element] == "span"
                    and any(_CURRENCY in word for word in tags[form_of[element]].classes)
                )
            )
        )
        joins = joins and not (names[element] in _BOLD and _is_line(page, element))
        is_aside = names[element] == "button" and said[around] > 0
        whole.append(element if not joins else -1 if is_aside else around)
    return whole


def _listed_links(page: Page) -> set[int]:
    """Return the links of lists of which most items have one, with marks between it and the words beside."""
    elements, tokens, runs = page.elements, page.tokens, page.text_runs
    names, parents = elements.names, elements.parents
    lists: defaultdict[int, list[int]] = defaultdict(list)  # list -> its items
    inside: defaultdict[int, list[int]] = defaultdict(list)  # item -> the elements right in it
    texts: defaultdict[int, list[int]] = defaultdict(list)  # item -> positions of its own texts
    for element, parent in enumerate(parents[1:], start=1):
        if names[element] == "li":
            lists[parent].append(element)
        elif names[parent] == "li":
            inside[parent].append(element)
    for position, element in zip(runs.positions.tolist(), runs.elements.tolist()):
        if element in inside:
            texts[element].append(position)
    links = set[int]()
    for items in lists.values():
        linked = [one for one in items if [names[each] for each in inside[one]] == ["a"]]
        found = set[int]()
        for item in linked if len(items) >= MIN_ITEMS and len(linked) >= _LISTED * len(items) else ():
            link = inside[item][0]
            said = [
                (at > elements.opens[link], FOLDED[tokens.forms[tokens.form_of[at]]].strip())
                for at in texts[item]
            ]
            if said and all(
                not text or (text[0] in _BEHIND if is_behind else text[-1] in _BEFORE)
                for is_behind, text in said
            ):
                found.add(link)
        links |= found if len(found) >= _LISTED * len(items) else set()
    return links


def _is_line(page: Page, element: int) -> bool:
    """Return whether an element is the first line of the one around it, which a ``br`` ends."""
    elements, tokens = page.elements, page.tokens
    kinds, form_of = tokens.form_kinds, tokens.form_of
    before, behind = elements.opens[element] - 1, elements.closes[element]
    while kinds[form_of[before]] == SPACE:
        before -= 1
    while behind < len(form_of) and kinds[form_of[behind]] == SPACE:
        behind += 1
    is_ended = behind < len(form_of) and tokens.form_names[form_of[behind]] == "br"
    return is_ended and before == elements.opens[elements.parents[element]]


def calls_otherwise(classes: Sequence[str]) -> bool:
    """Return whether class words say what stands in an element, and that it is no title."""
    return any(not _OTHERWISE.isdisjoint(word.lower().replace("_", "-").split("-")) for word in classes)


def _leave_numbers(page: Page, own: list[float]) -> None:
    """Clear the running words of short texts that are not sentences, such as a date or "by".

    own  element -> words of its own
    """
    runs, tokens = page.text_runs, page.tokens
    for position, element in zip(runs.positions.tolist(), runs.elements.tolist()):
        if MIN_RUNNING <= own[element] < 2 * MIN_RUNNING:
            words = FOLDED[tokens.forms[tokens.form_of[position]]].split()
            own[element] -= sum(1 for word in words if any(map(str.isdigit, word)))


def _apart(page: Page, own: Sequence[int]) -> list[bool]:
    """Return element -> whether texts stand in elements in it: in one, or in several with own classes.

    own  element -> words of its own
    """
    names, parents, tags = page.elements.names, page.elements.parents, page.tokens.form_tags
    form_of = page.tokens.form_array[page.elements.open_array].tolist()
    texts, apart = list(own), [False] * len(own)
    parts: defaultdict[int, list[int]] = defaultdict(list)
    for element in range(len(own) - 1, 0, -1):
        if texts[element]:
            texts[parents[element]] += texts[element]
            parts[parents[element]].append(element)
        if own[element] or names[element] == "pre" or not (inside := parts.pop(element, [])):
            continue
        if len(inside) == 1:
            apart[element] = True
        else:
            classes = sum(1 for one in inside if tags[form_of[one]].classes)
            apart[element] = classes >= len(inside) - 1 and len({form_of[one] for one in inside}) > 1
    return apart
