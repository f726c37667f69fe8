"""Every regular expression of the package, and what may make it slow.

An attack is a text of three parts: a head, a piece that is repeated, a tail.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import templcrawl

Attack = tuple[str, str, str]

PUMPS = """
    a A 0 - / = ' " < > & ; : . , _ | # ? % [ é 茶 a= a. a/ a- // <! <!-- --> &# &#1 &a nav page 1. 1-
""".split()
ON_ALL = [
    (head, piece, tail)
    for piece in (*PUMPS, " ", "\n", "a ", "= ", " =", "- ", "\0")
    for head, tail in (("", ""), ("", "!"), ("a", ">"), ("<a ", " "), ("/", "\0"))
]
"""Attacks on every pattern."""

_OF_ATTRIBUTES = [
    ("<a ", "a", ""),
    ("<a ", "a ", ""),
    ("<a ", "a= ", ">"),
    ("<a a", " ", "="),
    ("<a a=", " ", ">"),
    ("<a ", "a='", ""),
    ("<a ", "'\"", ">"),
    ("<a a=", '"', ">"),
]
ATTACKS: dict[str, list[Attack]] = {
    "algorithms.columns.cells._MEANS": [("a", "a", "!"), ("a", "1a", "!"), ("a", "-", "11")],
    "algorithms.columns.cells._NUMBER": [("", "1", "x"), ("", "1,", "x")],
    "algorithms.columns.cells._STATE": [("cat-", "a", "\n"), ("", "post_cat-", ""), ("", "in-stock", "")],
    "algorithms.columns.choice.prefixed": [("a", " ", "a"), ("a:", " ", ""), ("", "a:", ""), ("", "a ", ":")],
    "algorithms.columns.values.prefixed": [("a", " ", "a"), ("a:", " ", ""), ("", "a:", ""), ("", "a ", ":")],
    "algorithms.columns.kinds._CLOCK": [("", "1", "x"), ("", "1/1", ""), ("", "1:", "")],
    "algorithms.columns.kinds._DIGITS": [("", "1", "x"), ("", "1x", "")],
    "algorithms.columns.kinds._MONEY": [
        ("$", "1", "x1"),
        ("", "1 ", "1$1"),
        ("", "Rp ", ""),
        ("", "1.", "EUR1"),
    ],
    "algorithms.columns.kinds._NUMBER": [("", "1", "xxxxxx"), ("", "1 ", "!"), ("+", "1.", "kgkgkg")],
    "algorithms.columns.kinds._WORDS": [("", "aB", ""), ("", "A", "a"), ("", "A", "")],
    "algorithms.columns.kinds._YEAR": [("", "19", ""), ("", "1", "\u5e74"), ("1", " ", "")],
    "tools.commands.type_tables._UNSAFE": [("", "/", "a"), ("", "/a", "")],
    "tools.commands.type_spider._ODD": [("", "/", "a"), ("", "/a", "")],
    "outputs.item_databases._ODD": [("", "/", ""), ("", "a/", "")],
    "outputs.item_databases._ESCAPE": [
        ("", "\\\\", "u"),
        ("", "\\\\ud83d", ""),
        ("", "\\\\ud83d\\\\u", ""),
    ],
    "tools.engines.engine._AMOUNT": [("", "0", ""), ("1.", "0", "K"), ("1", ".1", "GB")],
    "page.scan._FOREIGN_PIECE": [
        *_OF_ATTRIBUTES,
        ("", "<![CDATA[", ""),
        ("", "<![CDATA[]]", ""),
        ("", "</a", ""),
    ],
    "page.markdown._FORMULA": [("", "\x06", ""), ("\x06", "a", ""), ("", "\x06a", "")],
    "page.markdown._IS_SEEN": [("", " ", ""), ("", "\u200d", "")],
    "page.markdown._ITEM": [("", ". ", "\x04"), ("", " ", ""), ("", "\x04 ", "")],
    "page.markdown._HEAD": [("", "> ", ""), ("", "1", ""), ("", "1. ", "x"), ("", "- ", "#"), ("", "#", "")],
    "page.markdown_display._HAS_WORDS": [("", ".", "")],
    "page.markdown_display._LANGUAGE": [
        ("", " lang-", ""),
        ("", " ", "lang-"),
        (" lang-", "a", "!"),
        ("", " highlight-", ""),
        ("figure highlight", " ", "!"),
        ("", " hljs ", "!"),
        (" brush:", " ", "!"),
        ("", " brush:", ""),
    ],
    "page.markdown_display._NAME": [("", "a", "!"), ("", "+.-", "")],
    "page.markdown_display._NUMBER": [("", "1", "x")],
    "page.markdown_display._REPLACED": [("", "a", "")],
    "page.markdown_emphasis._BREAK": [("", "<br>", ""), ("<br>", " ", "x"), ("", "<br", "")],
    "page.markdown_emphasis._TAG": [("", "<strong", ""), ("", "\\", ""), ("", "<s>", ""), ("", "</", "")],
    "page.markdown_emphasis._CONTAINERS": [("", "> ", ""), ("", "1", ""), ("", "1. ", "x"), ("", " ", "#")],
    "page.markdown_emphasis._BLOCK": [
        ("", "- ", "x"),
        ("-", " ", "x"),
        ("", "-=", "x"),
        ("---", " ", "x"),
        ("", "1", ""),
        ("", "#", ""),
    ],
    "page.markdown_emphasis._HALF": [("", "\\", "<"), ("", "&", " "), ("&", "a", " "), ("", "<!-", " ")],
    "page.markdown_emphasis._ENTITY": [("", "&", ""), ("&", "a", ""), ("", "&a", ""), ("", "&a;", "x")],
    "page.markdown._PARAGRAPH_OR_FENCE": [
        ("", "> ", ""),
        ("", "1. ", "x"),
        ("", "\n", "x"),
        ("", "1", ""),
    ],
    "page.markdown_tree._SCHEME": [("", "a", ""), ("", "a:", ""), ("a", "+.-", "/")],
    "page.markdown_tree._UNSAFE": [("", " ", ""), ("", "<>", "a"), ("", "a\\`", "")],
    "page.markdown_tree._POWER": [("", "1", "["), ("", "a", "1["), ("", "a1", "[")],
    "page.markdown_tree._NO_TEX": [("", "]", ""), ("", "] ", "(")],
    "page.scan._SCRIPT_TAG": [("", "<script", ""), ("", "</script", ""), ("<", "/", "")],
    "page.scan._TURNING_TAG": [("", "<svg", ""), ("<script", " ", ""), ("<", "math", "")],
    "page.scan._SCRIPT_MARK": [("", "<!-", ""), ("", "<script", ""), ("", "</script", ""), ("", "--", "")],
    "page.scan._WHOLE_TAG": _OF_ATTRIBUTES,
    "page.template_page._NO_SCRIPTS": [
        ("", "<noscript", ""),
        ("", "<noscript>", ""),
        ("<noscript ", "a ", ""),
    ],
    "page.template_page._SCRIPTS": [("", "<script", ""), ("", "<script>", ""), ("<script ", "a ", "")],
    "page.scan._RAW_TEXT_TAG": [("", "<script", ""), ("<", "iframe", "")],
    "page.text._OF_ZERO_WIDTH": [("", "\u00ad", ""), ("", "\u200ba", "")],
    "page.text._LABEL": [("", "=", ""), ("=", " ", ""), ("=", "x", ""), ("", " ", "")],
    "algorithms.page_kinds.classifier._BARRED": [("", "access ", ""), ("", "log", ""), ("", "are you ", "")],
    "algorithms.page_kinds.classifier._MISSING": [
        ("", "error ", ""),
        ("", "page", ""),
        ("", "page...", ""),
        ("", "not ", ""),
    ],
    "algorithms.page_kinds.evidence._DATE": [
        ("", "20", ""),
        ("", "1.", ""),
        ("", "may ", ""),
        ("1 ", "a", ""),
    ],
    "algorithms.page_kinds.evidence._NUMBER": [("", "123a", "")],
    "algorithms.page_kinds.evidence._PRICE": [("", "$ ", ""), ("", "1 ", "")],
    "algorithms.page_kinds.evidence._SENTENCE": [
        ("", ".", "a"),
        (".", " ", "a"),
        ("", '."', "a"),
        ("", ". ", "a"),
    ],
    "algorithms.page_kinds.evidence._WORDS": [("", "a1", ""), ("", "a", "")],
    "algorithms.page_kinds.evidence._YEAR": [("", "/20", ""), ("", "/2020", "")],
    "algorithms.page_kinds.words._CLAIMING": [("", "item", ""), ("", "type", "")],
    "algorithms.page_kinds.words._EXTENSION": [("", ".ab", "!"), (".", "a", "")],
    "algorithms.page_kinds.words._LETTERS": [("", "a1", ""), ("", "a", "")],
    "algorithms.page_kinds.words._NAMES": [
        ("", " class=", ""),
        ("", ' id="', ""),
        ("", " id='", '"'),
        (' id="', "a", ""),
        ("", " id = ", ""),
    ],
    "algorithms.page_kinds.words._PART": [("", "aA", ""), ("", "A", ""), ("", "Aa", "")],
    "algorithms.page_kinds.words._QUOTED": [("", '"', ""), ('"', "a", "")],
    "algorithms.page_kinds.words._REL": [
        ("", " rel=", ""),
        ("", ' rel="', ""),
        (' rel="', "a", ""),
        ("", " rel = ", ""),
    ],
    "algorithms.page_kinds.words._SPLIT": [("", "/", ""), ("", "a", "")],
    "algorithms.page_kinds.words._TAG_NAME": [("<", "a", ""), ("", "<", "")],
    "algorithms.page_kinds.words._TYPES": [("", '"@type"', ""), ('"@type"', " ", "x"), ("", '"@type":[', "")],
    "algorithms.page_types.url_shape._DIGITS": [("", "1", "a"), ("", "1a", "")],
    "algorithms.page_types.url_shape._EXTENSION": [("", ".", ""), ("", ".a", "!"), (".", "a", "")],
    "algorithms.page_types.url_shape._INDEX": [("", "index.", ""), ("", "index.html", "!")],
    "algorithms.page_types.url_shape._SAVED_QUERY": [("", "?", ""), ("?", "a", ""), ("", "?a", "")],
    "algorithms.page_types.url_shape._WORDS": [("", "a", ""), ("", "a1", ""), ("", "_", "")],
    "algorithms.page_types.tag_paths._DIGITS": [("", "1", "a"), ("", "1a", "")],
    "page.tokens._ATTRIBUTE": _OF_ATTRIBUTES,
    "page.tokens._DIGITS": [("", "1", "a"), ("", "1a", "")],
    "algorithms.crawl_order.link_regression._NUMBER": [("", "0", "a"), ("", "0a", "")],
    "algorithms.crawl_order.link_regression._WORDS": [("", "a", "_"), ("", "a_", "")],
    "algorithms.crawl_order.link_value._NUMBER": [("", "0", "a"), ("", "0a", "")],
    "algorithms.crawl_order.focus._WORD": [("", "a", "_"), ("", "a_", "")],
    "algorithms.extraction.article._NAMED": [
        ("", "comment", "x"),
        ("", "disqu", ""),
        ("", "commentx ", ""),
        ("", "kommentarx ", ""),
    ],
    "algorithms.extraction.article._ASKS_CONSENT": [
        ("", "cookie-", ""),
        ("", "privacy", "x"),
        ("", "cookie-consent-", "x"),
        ("", "user-consent", ""),
        ("", "cookiespop", ""),
    ],
    "algorithms.extraction.article._HEADED": [("", "komentar", ""), ("", "отзыв", "")],
    "algorithms.extraction.blocks._IS_HTML5": [
        ("<!doctype", " ", "x"),
        ("<meta ", "viewpor", ""),
        ("", "<meta ", ""),
    ],
    "algorithms.extraction.blocks.WIDE": [("", "茶", "a")],
    "algorithms.extraction.blocks._TITLE_WORDS": [("", "a", "!"), ("", "茶a", ""), ("", "a!", "")],
    "algorithms.extraction.blocks._HIDDEN": [
        ("", " hidden", "x"),
        ("", "aria-hidden=", ""),
        ("display:", " ", "none"),
        ("", "display: ", "x"),
    ],
    "algorithms.extraction.blocks._NAMED_SO": [
        ("", "nav", "x"),
        ("", "aA", ""),
        ("", "related-", ""),
        ("", "ad", ""),
        ("", "cros", ""),
    ],
    "algorithms.extraction.blocks._AMOUNT": [("$", " ", "x"), ("", "1 ", "x"), ("", "$ ", "")],
    "algorithms.extraction.blocks._COMMA": [("", ",", ""), ("", "a,", "")],
    "algorithms.extraction.blocks._DIGIT": [("", "1", "a"), ("", "1a", "")],
    "algorithms.extraction.blocks._ENDS_SENTENCE": [("", ".", "a"), ("", '."', "a"), (".", '"', "a")],
    "algorithms.extraction.blocks._NOTICE": [("", "(c", ""), ("", "copyrigh", ""), ("", "cooki", "")],
    "algorithms.pagination.pager_signs._DATES": [
        ("", "20", ""),
        ("", "2026/", ""),
        ("/", "day=", ""),
        ("", "2026-1", "x"),
    ],
    "algorithms.pagination.pager_signs._PARAMETER": [
        ("&", "page", "="),
        ("&", "a", "=1"),
        ("", "&p=1x", ""),
        ("&updated-max=", "a", ""),
    ],
    "algorithms.pagination.pager_signs._SEGMENT": [
        ("", "/page/1", "x"),
        ("", "/p1", "x"),
        ("/page/", "1", "x"),
    ],
    "algorithms.pagination.pager_signs._SESSION": [
        ("&", "s", "="),
        ("&id=", "0", "x!"),
        ("", "&sid=0", ""),
    ],
    "algorithms.pagination.pager_links._CLASS": [
        ("", "pag", ""),
        ("", "page-", ""),
        ("", "pagi", ""),
        ("", "prenex", ""),
    ],
    "algorithms.pagination.pager_links._MAY_SAY": [
        (' class="', "x", ""),
        ("", ' class="', ""),
        ("", " id=a", ""),
        (" rel", " ", "x"),
    ],
    "algorithms.pagination.pager_signs._NUMBER": [("1", " ", "x"), ("[", " ", "1"), ("1 - 1", " ", "x")],
    "algorithms.similarity.alterations.YEAR": [("", "20", "x"), ("", "2026", ""), ("", "2026 ", "")],
    "algorithms.similarity.run_words.WORD": [("", "a", "-"), ("", "a ", ""), ("", "-", "")],
    "crawl.saved_site._HTTPS": [("", "https:", ""), ("https", " ", ""), ("", "http", "s:")],
    "crawl.saved_site._INDEX": [("", "/", ""), ("", "/index.html", "x"), ("", "/index.html#", "")],
    "errors._CREDENTIALS": [("", "//", ""), ("//", "a", ""), ("", "//a:", "")],
    "errors._PASSWORD": [
        ("", "password", ""),
        ("", "password=", ""),
        ("password=", "a", ""),
        ("password='", "a", ""),
    ],
    "page.addresses._PLAIN_BASE": [
        ("http://a", "/a", "|"),
        ("http://a/", "a", "|"),
        ("http://", "a.", "|"),
        ("http://a/?", "a", "|"),
        ("http://a/", "a/?", "|"),
    ],
    "page.addresses._PLAIN_PATH": [
        ("", "a/", "|"),
        ("/", "a", "|"),
        ("", "a.", "/|"),
        ("a?", "a", "|"),
        ("", "a/a.", "\n"),
    ],
    "page.addresses._PLAIN_URL": [
        ("http://a", "/", "|"),
        ("http://a", "/a", "|"),
        ("http://", "a.", "|"),
        ("http://a:", "1", "|"),
    ],
    "page.addresses._SCHEME": [("", "a", "!"), ("", "a+", "")],
    "page.text._IN_ATTRIBUTE": [("&", "a", "="), ("&#", "1", "x"), ("&#x", "f", "g"), ("", "&a", "=")],
    "page.text._LONG_NUMBER": [
        ("&#", "1", "x"),
        ("&#x", "f", "g"),
        ("", "&#1234567", ""),
        ("", "&#", ""),
    ],
    "page.runs._BETWEEN_PARTS": [
        ("", " -", "x"),
        (" ", "-", "x"),
        (" ", "-/:", ""),
        ("", " | ", ""),
        ("", "a: ", ""),
    ],
    "page.vocabulary._NAMED_SO": [("", "nav", "x"), ("", "navx ", ""), ("", "heade", ""), ("", "NAV", "y")],
    "page.kernel_tables.WIDE": [("", "茶", "a")],
    "page.text.WIDE": [("", "茶", "a"), ("", "茶a", "")],
    "page.text._WORD": [("", "a", "!"), ("", "a!", "")],
    "algorithms.extraction.sandwich._LINE": [("", "\r\n", ""), ("", "a", "\n")],
    "page.render._OPEN_END": [("&", "a", "!"), ("", "&a", "!"), ("", "<", "!"), ("", "&#", "!")],
    "page.render._TAG": [("<", "a", ""), ("", "<a", ""), ("", "<", ">")],
    "page.scan._NAMED_PIECE": [
        ("", "<a", ""),
        ("<a ", "'", ""),
        ("<script>", "<", ""),
        ("", "<!-", ""),
        ("<", "a", ""),
    ],
    "page.scan._PIECE": [
        ("", "<a", ""),
        ("<a ", "='", ""),
        ("<script>", "</", ""),
        ("<!--", "-", ""),
        ("<", "a", ""),
    ],
    "page.tokens._NAME": [("<", "a", ""), ("</", "a", "/")],
    "page.records._HOST": [
        ("", "a-", ""),
        ("", "a.", "!"),
        ("", "a", "."),
        ("", "a-a.", "-"),
        ("", "1.", ""),
    ],
    "page.records._INVALID_IN_HOST": [("", "!", "a"), ("", "!a", "")],
    "tools.ranking.page_database._QUERY_PART": [("", '"', ""), ('"', "a", ""), ("", '" ', "")],
    "tools.ranking.page_database._WORD": [("", "_", ""), ("", "!", "a")],
    "tools.ranking.page_database._IDEOGRAPH": [("", "茶", ""), ("", "茶a", "")],
    "tools.ranking.page_database._INDEX_PAGE": [("", "/index.", ""), ("", "/", "x"), ("", "/index.htm", "x")],
    "page.records._HTML_START": [
        ("", "<!---->", ""),
        ("", "<!-- -->\n", "x"),
        ("<!--", "-", ""),
        ("", " ", "x"),
        ("<?xml", " ", ""),
    ],
    "outputs.report.places._DIGITS": [("", "1", "a"), ("", "1a", "")],
    "page.text._UNSTORABLE": [("", "\1", "a"), ("", "a\1", "")],
    "outputs.report.html._OF_THE_WEB": [("http://", "a", " "), ("", "http://", " ")],
}
"""Pattern -> attacks on it in particular."""

ELSEWHERE = {
    "algorithms/crawl_order/focus.py: re.compile in __init__": "a person's own words",
    "page/kernel_tables.py: re.compile in _characters": "reads every character once, no page",
}
"""Patterns that are no global of a module -> why they cost linear time."""


def text_of(attack: Attack, size: int) -> str:
    """Return an attack of so many characters."""
    head, piece, tail = attack
    return head + piece * (size // len(piece)) + tail


def patterns() -> dict[str, Callable[[str], Any]]:
    """Return name -> how it is applied, of every pattern that is a global of a module of the package."""
    found = {}
    for info in pkgutil.walk_packages(templcrawl.__path__, "templcrawl."):
        for name, value in _values(vars(importlib.import_module(info.name))):
            pattern = _pattern(value)
            if pattern is not None:
                found[f"{info.name.removeprefix('templcrawl.')}.{name}"] = _applied(value, pattern)
    return found


def _values(module: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in module.items():
        yield name, value
        if isinstance(value, dict):
            yield from ((f"{name}[{key}]", one) for key, one in value.items())
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{at}]", one) for at, one in enumerate(value))


def _pattern(value: Any) -> re.Pattern[Any] | None:
    """Return the pattern that a value is, or is a method of."""
    if isinstance(value, re.Pattern):
        return value
    owner = getattr(value, "__self__", None)
    return owner if isinstance(owner, re.Pattern) else None


def _applied(value: Any, pattern: re.Pattern[Any]) -> Callable[[str], Any]:
    """Return what applies a pattern as its module does; where that may be in any way, to all of the text."""
    apply = pattern.findall if value is pattern or value.__name__ == "finditer" else value
    if isinstance(pattern.pattern, bytes):
        return lambda text: apply(text.encode())
    return lambda text: apply(text)


def patterns_elsewhere() -> set[str]:
    """Return where the package makes a pattern inside a function."""
    found = set()
    root = Path(templcrawl.__path__[0])
    for path in root.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                calls = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
                where = f"{path.relative_to(root).as_posix()}: {{}} in {function.name}"
                found |= {
                    where.format(call) for call in calls if call.startswith("re.") and call != "re.escape"
                }
    return found
