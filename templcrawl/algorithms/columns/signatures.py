"""Signatures: what declares a function, a class or a field, as one text beside its parts.

A signature is an element that a class word calls so ("sig", "member-signature"), if it has texts in several
elements. The outermost one counts.  A link in brackets ("[source]") is no part of it.

Source: our own.  m elements.  Cost: O(m + length of the texts).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from templcrawl.algorithms.columns.flows import FOLDED
from templcrawl.page.page import Page

_LONGEST = 1_000  # characters
_BLOCKS = frozenset("p li td dd blockquote".split())
_MAX_UP = 4  # elements from a text up to its link
_MAX_PLACES = 10_000  # that are remembered
# As the last part of a class word, or as Scaladoc and Dokka say it: other symbols are of currencies, shares.
_CALLS = re.compile(
    r"(?:(?:^|[-_.]|(?<=[a-z])(?=S))[Ss]ig(?:nature)?|(?:^|/)span\.symbol|\.symbol\.monospace)(?=$|[.#/])"
).search


def signatures_of(
    page: Page, whole: Sequence[int], gaps: Sequence[str], unwritten: Collection[int]
) -> dict[int, str]:
    """Return the signatures of a page, element -> text.

    whole      element -> the one that holds the unit of its own text
    gaps       form of a token -> what it puts between two texts
    unwritten  positions of texts that are no part of the page's words
    """
    elements, tokens = page.elements, page.tokens
    form_of, forms = tokens.form_of, tokens.forms
    opens = tokens.form_array[elements.open_array].tolist()
    calling = {
        form
        for form in set(opens)
        if _CALLS(".".join([tokens.form_tags[form].name, *tokens.form_tags[form].classes]))
    }
    if not calling:
        return {}
    around = [0]  # element -> the signature that it is, or is in
    for element, parent in enumerate(elements.parents[1:], start=1):
        is_called = opens[element] in calling and whole[element] == element
        around.append(around[parent] or element * is_called)
    texts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # signature -> positions, elements
    for position, element in zip(page.text_runs.positions.tolist(), page.text_runs.elements.tolist()):
        if around[element] and position not in unwritten and whole[element] >= 0:
            texts[around[element]].append((position, element))
    found = {}
    for signature, runs in texts.items():
        owners = {whole[element] for _, element in runs}
        is_lone = len(owners) == 1 and (elements.names[signature] != "dt" or signature in owners)
        if is_lone or any(elements.names[owner] in _BLOCKS for owner in owners):
            continue  # what a member of a forum writes below each post is called so, too
        written, before = "", 0
        for position, element in runs:
            text = FOLDED[forms[form_of[position]]]
            is_aside = text.strip().startswith("[") and text.strip().endswith("]")
            if is_aside and _is_linked(element, elements.names, elements.parents):
                continue
            written += max((gaps[form] for form in form_of[before:position] if written), default="") + text
            before = position + 1
        if written.strip() and len(written) <= _LONGEST:
            found[signature] = " ".join(written.split())
    return found


@lru_cache(maxsize=_MAX_PLACES)
def is_signature(place: str) -> bool:
    """Return whether the element at a place is called a signature.

    >>> is_signature("dl/dt.sig"), is_signature("dl/dt.sig/span.sig-name"), is_signature("div.signatures")
    (True, False, False)
    >>> is_signature("p/div.symbol.monospace"), is_signature("td.symbol"), is_signature("b.currency-symbol")
    (True, False, False)
    """
    return _CALLS(place.rpartition("/")[2]) is not None


@lru_cache(maxsize=_MAX_PLACES)
def is_in_signature(place: str) -> bool:
    """Return whether a place is inside of an element that is called a signature.

    >>> is_in_signature("dl/dt.sig"), is_in_signature("dl/dt.sig/span.sig-name")
    (False, True)
    """
    return _CALLS(f"{place.rpartition('/')[0]}/") is not None


def _is_linked(element: int, names: Sequence[str], parents: Sequence[int]) -> bool:
    """Return whether an element is a link, or in one."""
    for _ in range(_MAX_UP):
        if names[element] == "a":
            return True
        element = parents[element]
    return False
