"""Rewrite what a tree has for display alone before it becomes Markdown: permalinks, spacing, parts of code.

permalinks  links to a heading that show a sign (``¶``, ``#``, ``§``) or an icon, inside that heading; links
            with such a sign whose class says that they are one, anywhere
spacing     no-break spaces are spaces; outside of code, soft hyphens and spaces without width are left out;
            several line breaks in a row end a paragraph, and one at the start of a block is none
code        tables of numbers | code are the code, in one row (Pygments, Rouge, Crayon, SyntaxHighlighter) or
            a row a line (GitHub, highlight.js); so are lines of Doxygen's fragments.  Elements in a block,
            or right before one, whose class names line numbers and that hold digits alone are left out
languages   of a block are named by its code, itself or what is near around it, in a class or an attribute; no
            more of a class is read: a backtick in a language would end the block before it begins

Cost: O(length of the HTML): of what encloses an element the nearest ``_ABOVE`` are looked at.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from templcrawl.page.markdown_search import find_named, outermost
from templcrawl.page.markdown_tree import HEADINGS, LESS, MARKS, is_code
from templcrawl.page.vocabulary import BLOCKS, PERMALINKS

if TYPE_CHECKING:
    from turbohtml import Element

_ABOVE = 64
_DEEPEST = 4
_EMPTY_INLINE = frozenset("a b button em font i iframe object small span strong u video".split())
_PERMALINKS = "a:is({})".format(",".join(f".{name}" for name in sorted(PERMALINKS)))
_NUMBER = re.compile(r"[0-9]{1,9}\Z").match
_NUMBERED = (
    ":is(.blob-num, .crayon-num, .gutter, .hljs-ln-n, .hljs-ln-numbers, .line-number, .line-numbers, .lineno,"
    ".linenos, .linenumber, .lines-num, .ln, .lno, .lnt, .source-line-no):not(pre, code)"
)
_NUMBERS_OF_CODE = f"pre {_NUMBERED}, {_NUMBERED}:has(+ pre, + * > pre)"
_LANGUAGE = re.compile(
    r"\s(?:(?:(?:language|lang|highlight-source|highlight|src)-|brush:\s*)([a-zA-Z][\w+#.-]{0,30})"
    r"|(?:(?<=^figure\s)highlight|sourceCode|hljs)\s+([a-zA-Z][\w+#]{0,30}))(?=[\s;]|$)"
).search
_NAME = re.compile(r"[a-zA-Z][\w+#.-]{0,30}").fullmatch
_NO_LANGUAGE = frozenset(
    "auto code de default en es fr ja none nohighlight notranslate numberlines plain plaintext text".split()
)
_HAS_WORDS = re.compile(r"\w").search
_MARKED = {**dict.fromkeys(MARKS), "\xa0": " "}
_CODE = str.maketrans({**_MARKED, "<": LESS})
_WORDS = str.maketrans({**_MARKED, **dict.fromkeys("\xad\u200b\ufeff")})
_REPLACED = re.compile(f"[<\xa0\xad\u200b\ufeff{MARKS}]").search


def remove_spacing(library: Any, tree: Element) -> None:
    """Remove the spacing from a tree."""
    _plain_spaces(library, tree)
    _end_paragraphs(library, tree)


def remove_permalinks(tree: Element) -> None:
    """Remove the links to a heading from a tree, before links that lead nowhere are unwrapped."""
    for anchor in tree.select(f":is({HEADINGS}) a, {_PERMALINKS}"):
        leads_here = "#" in (anchor.attr("href") or "#") and anchor.find("img") is None
        if (leads_here or anchor.matches(_PERMALINKS)) and not _HAS_WORDS(anchor.text):
            anchor.extract()


def remove_white_space(tree: Element) -> None:
    """Remove styles that keep white space: the library would read what has one as code."""
    for element in tree.select("[style*=white-space i]:not(pre)"):
        element.attrs.pop("style")


def _plain_spaces(library: Any, tree: Element) -> None:
    """Replace spaces, take marks out, and mark what reads as a tag of emphasis in code and in titles."""
    if _REPLACED(tree.text):
        kind = library.Text
        for text in [node for node in tree.descendants if isinstance(node, kind) and _REPLACED(node.data)]:
            text.data = text.data.translate(_CODE if is_code(text) else _WORDS)
    for name, less in (("alt", "<"), ("title", LESS)):
        for element in tree.find_all(attrs={name: True}):
            if _REPLACED(value := element.attr(name) or ""):
                element.attrs[name] = value.translate(_WORDS).replace("<", less)


def _end_paragraphs(library: Any, tree: Element) -> None:
    for first in tree.find_all("br"):
        if first.parent is None or first.closest("pre") is not None:
            continue
        follows, number = _beside(library, first, after=True), 1
        while isinstance(follows, library.Element) and follows.tag == "br":
            beyond = _beside(library, follows, after=True)
            follows.extract()
            follows, number = beyond, number + 1
        if _begins_line(library, first):
            first.extract()
        elif number > 1:
            first.replace_with(library.Element("div"))


def _beside(library: Any, node: Any, *, after: bool) -> Any:
    """Return the next or the previous sibling of a node that is seen; None at the end."""
    while True:
        node = node.next_sibling if after else node.previous_sibling
        if node is None or (isinstance(node, library.Text) and node.data.strip()):
            return node
        if isinstance(node, library.Element) and (
            node.tag not in _EMPTY_INLINE or node.text.strip() or node.find("img") is not None
        ):
            return node


def _begins_line(library: Any, node: Any) -> bool:
    """Return whether nothing that is seen stands before a node on its line."""
    for _ in range(_ABOVE):
        before = _beside(library, node, after=False)
        if before is not None:
            return isinstance(before, library.Element) and before.tag in BLOCKS
        node = node.parent
        if node.tag in BLOCKS or node.parent is None:
            return True
    return False


def rewrite_code(library: Any, tree: Element) -> None:
    """Rewrite the blocks of code of a tree."""
    for table in tree.find_all("table"):
        _unfold_numbered(table)
    for fragment in outermost(tree, ".fragment"):
        if lines := list(outermost(fragment, ".line")):
            fragment.tag = "pre"  # not an element of our own: the library gives all of those one hash
            fragment.clear()
            for line in lines:
                line.tag = "span"
                fragment.extend([line, library.Text("\n")])
    if tree.find("pre") is None:
        return
    for element in tree.select(_NUMBERS_OF_CODE):
        if _counts(library, element):
            behind = element.next_sibling
            if isinstance(behind, library.Text):
                behind.data = behind.data.removeprefix("\xa0")
            if behind is None and element.previous_sibling is None:
                element.replace_with(library.Text(" "))  # the line stays
            else:
                element.extract()
    for line in tree.select("pre div,pre li"):  # what was left out in front of it has left its space
        before = line.previous_sibling
        if isinstance(before, library.Text) and not before.data.strip() and "\n" not in before.data:
            before.extract()
    _name_languages(library, tree)


def _counts(library: Any, node: Any, depth: int = _DEEPEST) -> bool:
    """Return whether a node holds nothing but digits, no deeper than some depth."""
    if isinstance(node, library.Text):
        return not node.data.strip() or "".join(node.data.split()).isdecimal()
    return depth > 0 and all(_counts(library, child, depth - 1) for child in node.children)


def _unfold_numbered(table: Element) -> None:
    """Turn a table of line numbers | code into its code."""
    cells = find_named(table, ("td", "th")) if table.find("table") is None else []
    numbers, codes = cells[::2], cells[1::2]
    lines: list[str] = []
    if len(cells) == 2:
        counted = numbers[0].to_text().split()
        first = int(counted[0]) if counted and _NUMBER(counted[0]) else -1
        if first < 0 or counted != [str(first + line) for line in range(len(counted))]:
            return
        if block := codes[0].find("pre"):
            table.replace_with(block.extract())
        elif len(written := codes[0].select("[class*=line]")) == len(counted):
            lines = [line.text for line in written]
    elif len(cells) % 2 == 0 and all(
        number.matches(_NUMBERED) and number.parent is code.parent for number, code in zip(numbers, codes)
    ):
        lines = [code.text.strip("\n") for code in codes]
    if lines:
        codes[0].tag = "pre"
        codes[0].set_text("\n".join(lines))
        table.replace_with(codes[0].extract())


def _name_languages(library: Any, tree: Element) -> None:
    """Write the language of code blocks as the library reads it."""
    language_of = cache(_language_of)
    for block in outermost(tree, "pre"):
        code = block.find("code")
        named = [element for element in (code, block, *islice(block.ancestors, 2)) if hasattr(element, "tag")]
        language = next(filter(None, map(language_of, named)), "")
        for element in (block, *block.find_all(["pre", "code"])):
            element.attrs.pop("class", None)
        if language:
            if code is None:
                code = block.wrap_children(library.Element("code"))
            code.attrs["class"] = f"language-{language}"


def _language_of(element: Element) -> str:
    """Return the language that an element names, "" if it names none."""
    match = _LANGUAGE(f"{element.tag} {element.attr('class') or ''}")
    names = [match[1] or match[2]] if match is not None else []
    names += [element.attr(name) or "" for name in ("data-language", "data-lang")]
    if element.tag in ("pre", "code"):
        names.append(element.attr("lang") or "")
    return next((name for name in names if _NAME(name) and name.lower() not in _NO_LANGUAGE), "")
