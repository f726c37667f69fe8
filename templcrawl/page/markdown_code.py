"""Blocks of code in a tree before it becomes Markdown: whole, without numbers of lines, with their language.

blocks     tables of highlighted code, numbers | code, are the code, in one row (Pygments, Rouge, Crayon,
           SyntaxHighlighter) or in a row a line (GitHub, highlight.js); so are the lines of Doxygen's fragments
numbers    elements whose class names line numbers and that hold digits alone are left out, in a block and
           beside it
languages  of a block are named by its code, itself or what encloses it, by class or attribute, and nothing else
           in its class is read: a backtick in a language would end the block before it begins

Cost: O(length of the HTML): of what encloses or precedes an element a bounded part is looked at.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from templcrawl.page.markdown_tree import near_ancestors, outermost

if TYPE_CHECKING:
    from turbohtml import Element

_ABOVE = 64
_NEAR = 4
_NUMBER = re.compile(r"[0-9]{1,9}\Z").match
_NUMBERED = ",".join(
    f".{name}"
    for name in """blob-num crayon-num gutter hljs-ln-n hljs-ln-numbers line-number line-numbers lineno linenos
    linenumber lines-num ln lno lnt source-line-no""".split()
)
_LANGUAGE = re.compile(
    r"\s(?:(?:(?:language|lang|highlight-source|highlight|src)-|brush:\s*)([a-zA-Z][\w+#.-]{0,30})"
    r"|(?:(?<=^figure\s)highlight|sourceCode|hljs)\s+([a-zA-Z][\w+#]{0,30}))(?=[\s;]|$)"
).search
_NAME = re.compile(r"[a-zA-Z][\w+#.-]{0,30}").fullmatch
_NO_LANGUAGE = frozenset(
    "auto code de default en es fr ja none nohighlight notranslate numberlines plain plaintext text".split()
)


def rewrite_code(library: Any, tree: Element) -> None:
    """Rewrite the blocks of code of a tree."""
    for table in tree.find_all("table"):
        _unfold_numbered(library, table)
    for fragment in outermost(tree, ".fragment"):
        if lines := list(outermost(fragment, ".line")):
            fragment.tag = "pre"  # not an element of our own: the library gives all of those one hash
            fragment.clear()
            for line in lines:
                line.tag = "span"
                fragment.extend([line, library.Text("\n")])
    for element in tree.select(_NUMBERED):
        if element.tag not in ("pre", "code") and _counts(library, element) and _is_by_code(element):
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


def _counts(library: Any, node: Any, depth: int = _NEAR) -> bool:
    """Return whether a node holds nothing but digits, no deeper than some depth."""
    if isinstance(node, library.Text):
        return not node.data.strip() or "".join(node.data.split()).isdecimal()
    return depth > 0 and all(_counts(library, child, depth - 1) for child in node.children)


def _is_by_code(element: Element) -> bool:
    """Return whether an element is in a block of code or right before one."""
    if element.closest("pre") is not None:
        return True
    beside: Any = next((node for node in islice(element.next_siblings, 2) if node.text.strip()), None)
    for _ in range(_NEAR):
        if getattr(beside, "tag", "pre") == "pre":
            break
        beside = next((child for child in islice(beside.children, 2) if child.text.strip()), None)
    return getattr(beside, "tag", "") == "pre"


def _unfold_numbered(library: Any, table: Element) -> None:
    """Turn a table of line numbers | code into its code."""
    cells = table.find_all(["td", "th"]) if table.find("table") is None else []
    numbers, codes = cells[::2], cells[1::2]
    lines: list[str] = []
    if len(cells) == 2:
        counted = numbers[0].to_text().split()
        first = int(counted[0]) if counted and _NUMBER(counted[0]) else -1
        if first < 0 or counted != [str(first + line) for line in range(len(counted))]:
            return
        if block := codes[0].find("pre"):
            table.replace_with(block.extract())
        else:
            lines = _code_lines(library, codes[0], len(counted))
    elif all(cell.matches(_NUMBERED) for cell in numbers) and _rows(numbers) == _rows(codes):
        lines = [code.text.strip("\n") for code in codes]
    if lines:
        codes[0].tag = "pre"
        codes[0].set_text("\n".join(lines))
        table.replace_with(codes[0].extract())


def _rows(cells: list[Element]) -> list[Any]:
    return [cell.parent for cell in cells]


def _code_lines(library: Any, cell: Element, number: int) -> list[str]:
    """Return the lines of a cell that has an element for each, where a class there names code; [] if not."""
    children = [cell]
    is_code = False
    for _ in range(_ABOVE):
        if len(children) != 1:
            break
        is_code = is_code or "code" in (children[0].attr("class") or "").lower()
        children = [child for child in children[0] if isinstance(child, library.Element)]
    if number == 1:
        children = [cell]
    return [child.text for child in children] if is_code and len(children) == number else []


def _name_languages(library: Any, tree: Element) -> None:
    """Say the language of code blocks as the library reads it."""
    language_of: dict[Element, str] = {}
    for block in outermost(tree, "pre"):
        code = block.find("code")
        named = [element for element in (code, block, *islice(near_ancestors(block), 2)) if element is not None]
        for element in named:
            if element not in language_of:
                language_of[element] = _language_of(element)
        language = next((language_of[element] for element in named if language_of[element]), "")
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
