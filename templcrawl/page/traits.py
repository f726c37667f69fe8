"""Read from a start tag whether its element is hidden, opens by a click, or opens another.

Cost: O(length of the tag).
"""

from __future__ import annotations

from collections.abc import Mapping

from templcrawl.page.vocabulary import (
    ARTICLE,
    DRAWN,
    FIELDS,
    FLOWING,
    HIDDEN,
    MAX_IDS,
    OPENER,
    PANEL,
    SHUT,
    SKELETON,
    TOGGLE,
    TRAITS,
    UNSEEN,
    role_hint,
)

_BLANK = " \t\n\f\r"
_HIDES = frozenset({("display", "none"), ("visibility", "hidden"), ("visibility", "collapse")})
_NAMES_OPENED = ("data-target", "data-bs-target", "data-tab")  # attributes that name what is opened
_TOGGLES = ("role", "data-toggle", "data-bs-toggle")
_TABS = frozenset("tab pill".split())
# What such a toggle opens that is not part of the page's text.
_OVERLAYS = frozenset("dropdown modal offcanvas popover tooltip".split())


def traits_of(name: str, attributes: Mapping[str, str]) -> int:
    """Return the bits of a start tag: those of its name, and what its attributes say of being shown.

    >>> traits_of("p", {"style": "Color:red; DISPLAY : none !important"}) == HIDDEN
    True
    """
    traits = TRAITS.get(name, FLOWING)
    if name == "template" and attributes.get("shadowrootmode", "").lower() in ("open", "closed"):
        traits &= ~UNSEEN
    if name not in SKELETON:
        is_shut = "popover" in attributes or (name == "dialog" and "open" not in attributes)
        if is_shut or _is_hidden(attributes):
            traits |= HIDDEN
            if is_shut or role_hint(attributes) & ~ARTICLE:
                traits |= SHUT
            elif _is_panel(attributes):
                traits |= PANEL
    if traits & FLOWING and attributes.get("aria-hidden", "").lower() == "true":
        traits |= DRAWN
    if opened_by(name, attributes):
        traits |= OPENER
    if _is_toggle(name, attributes):
        traits |= TOGGLE
    return traits


def _is_panel(attributes: Mapping[str, str]) -> bool:
    roles, names = (attributes.get(said, "").lower().split() for said in ("role", "itemprop"))
    return roles[:1] == ["tabpanel"] or "acceptedanswer" in names


def _is_toggle(name: str, attributes: Mapping[str, str]) -> bool:
    if name in SKELETON or _opens_overlay(attributes):
        return False
    if name == "button" or "aria-expanded" in attributes or attributes.get("role", "").lower() == "button":
        return True
    if name == "a":
        href = attributes.get("href", "")
        return href in ("", "#") or href[:11].lower() == "javascript:"
    is_button = name == "input" and attributes.get("type", "").lower() == "button"
    return is_button or "onclick" in attributes or (name == "label" and "for" in attributes)


def _opens_overlay(attributes: Mapping[str, str]) -> bool:
    toggles = (attributes.get(said, "").lower() for said in _TOGGLES)
    return attributes.get("aria-haspopup", "false").lower() != "false" or not _OVERLAYS.isdisjoint(toggles)


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if attributes.get("hidden", "until-found").lower() != "until-found":
        return True
    for declaration in attributes.get("style", "").lower().split(";"):
        says, _, value = declaration.partition(":")
        value = value.strip(_BLANK).removesuffix("important").rstrip(_BLANK).removesuffix("!")
        if (says.strip(_BLANK), value.rstrip(_BLANK)) in _HIDES:
            return True
    return False


def opened_by(name: str, attributes: Mapping[str, str], *, is_furniture: bool = False) -> list[str]:
    """Return the ids of what a start tag says that it opens; none where that is an overlay.

    is_furniture  whether it stands in furniture, where only tabs open what is read

    >>> opened_by("button", {"aria-controls": "facts care"}), opened_by("a", {"href": "#facts"})
    (['facts', 'care'], ['facts'])
    >>> opened_by("a", {"href": "#basket", "data-toggle": "modal"})
    []
    """
    toggles = [attributes.get(said, "").lower() for said in _TOGGLES]
    if name in FIELDS or _opens_overlay(attributes) or (is_furniture and _TABS.isdisjoint(toggles)):
        return []
    ids = [attributes.get(said, "").removeprefix("#") for said in _NAMES_OPENED]
    if name == "a" and attributes.get("href", "")[:1] == "#":
        ids.append(attributes["href"][1:])
    ids = [said for said in ids if said]
    return attributes.get("aria-controls", "").split(maxsplit=MAX_IDS)[:MAX_IDS] + ids
