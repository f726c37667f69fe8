"""Hostile shapes: what makes a reader slow when there is more of it.

A shape makes a page of about ``size`` characters.  In its parts ``§`` stands for a number that is another one
each time, since equal pieces of a page are read once.
"""

from __future__ import annotations

from collections.abc import Callable

from lab.sites import hostile

Shape = Callable[[int], str]

WORDS = (
    "<p>Some words of a page that has them, and a few more of them, so that there is something to keep.</p>"
)
LISTS = "<ul><li><a href=/a§>x</a><li><a href=/b>x</a><li><a href=/c>x</a><li><a href=/d>x</a></ul>"


def repeated(piece: str, size: int) -> str:
    """Return as many of a piece as make ``size`` characters."""
    count = max(size // len(piece), 1)
    if "§" not in piece:
        return piece * count
    return "".join(piece.replace("§", str(number)) for number in range(count))


def pump(head: str, piece: str, tail: str = "") -> Shape:
    """Return the shape of a piece that is repeated."""
    return lambda size: f"{WORDS}{head}{repeated(piece, size)}{tail}{WORDS}"


def product(head: str, piece: str, between: str, other: str, tail: str = "") -> Shape:
    """Return the shape of two pieces, each in half of the page: what costs one times the other."""
    return lambda size: (
        f"{WORDS}{head}{repeated(piece, size // 2)}{between}{repeated(other, size // 2)}{tail}{WORDS}"
    )


def shape_of_bytes(make: Callable[[int], bytes], unit: int) -> Shape:
    """Return the shape of a hostile page whose argument stands for so many characters."""
    return lambda size: make(max(size // unit, 1)).decode("utf-8", "replace")


TITLES = {
    "title of newlines": pump("<title>", "\n", "</title>"),
    "title of newlines and dashes": pump("<title>", "\n-", "</title>"),
    "title of spaces before a dash": pump("<title>tea", " ", "-</title>"),
    "title of no-break spaces": pump("<title>", "&nbsp;", "</title>"),
    "title of bars": pump("<title>", "a|", "</title>"),
    "title of dashes": pump("<title>a ", "-", "a</title>"),
    "title of spaced dashes": pump("<title>a", " -", "a</title>"),
    "title of colons": pump("<title>", ": ", "</title>"),
    "title of parts that are leaves": product("<title>", "t§ | ", "</title>", "<p>t§</p>"),
    "many titles": pump("", "<title>tea §</title>"),
    "unclosed title": pump("<title>", "<p>tea § | "),
}
REFERENCES = {
    "a long number": pump("<p>&#", "1", ";</p>"),
    "a long number in a title": pump("<title>&#", "1", ";</title>"),
    "a long number in a link": pump("<a href='&#", "1", ";'>tea</a>"),
    "a long number in an anchor": pump("<a href=/x>&#", "1", ";</a>"),
    "a long hexadecimal number": pump("<p>&#x", "f", ";</p>"),
    "a number of zeros": pump("<p>&#", "0", "65;</p>"),
    "many numbers": pump("<p>", "&#§;", "</p>"),
    "ampersands": pump("<p>", "&", "</p>"),
    "ampersands with names": pump("<p>", "&notanentityatall", "</p>"),
    "ampersands in a link": pump("<a href='?", "&a§=1", "'>tea</a>"),
    "references in links": pump("", "<a href='?a=&#§;&amp;b'>&amp; &copy§</a>"),
    "the end of a reference": pump("<p>", "tea &#", "</p>"),
    "words like references": pump("<p>&", "a", "</p>"),
}
BASES = {
    "long base and many links": product("<base href='/", "b", "/'>", "<a href=l§>x</a>"),
    "deep base and links up": product("<base href='/", "b/", "'>", "<a href=../r§>x</a>"),
    "deep base and links up with a query": product("<base href='/", "b/", "'>", "<a href=../r?'§'>x</a>"),
    "deep base and many steps up": product("<base href='/", "b/", "'>", "<a href='../../../../§'>x</a>"),
    "long host and many links": product("<base href='//", "b", "/'>", "<a href=/l§>x</a>"),
    "base of dots": product("<base href='/", "../", "'>", "<a href=l§>x</a>"),
    "base of references": product("<base href='/", "&#46;", "'>", "<a href=l§>x</a>"),
    "base of letters to be escaped": product("<base href='/", "é", "/'>", "<a href=l§>x</a>"),
    "many bases": pump("", "<base href=/b§/>"),
    "many bases without address": pump("", "<base target=t§>"),
}
LINKS = {
    "many links": pump("", "<a href=/l§>tea</a>"),
    "unclosed strong words around others": pump("<b>", "<span>tea</span> <i>milk</i> "),
    "strong words and tables, unclosed": pump("", "<b><table>"),
    "links to be escaped": pump("", "<a href='/é ü§'>tea</a>"),
    "links of dots": pump("<a href='", "../", "'>tea</a>"),
    "a link of slashes": pump("<a href='http:", "/", "'>tea</a>"),
    "a long scheme": pump("<a href='", "a", ":b'>tea</a>"),
    "a long host": pump("<a href='//", "é", "/'>tea</a>"),
    "a link of per cents": pump("<a href='", "%", "'>tea</a>"),
    "a link of queries": pump("<a href='/", "?a=b", "'>tea</a>"),
    "a link of white space": pump("<a href='", " \n", "x'>tea</a>"),
    "a link of segments": pump("<a href='/", "a/", "|'>tea</a>"),
    "a link of parameters": pump("<a href='/?", "page&", "'>2</a>"),
    "links of dates": pump("", "<a href='/2026/05/§'>next</a>"),
    "a link of digits": pump("<a href='/page/", "1", "'>next</a>"),
    "numbered links": pump("<ul>", "<li><a href=/p§>§</a>", "</ul>"),
    "pagers": pump("", "<a rel=next class=pager href='?page=§'>next</a>"),
    "days in a table": pump("<table>", "<tr><td><a href=/d§>7</a>"),
    "a long anchor": pump("<a href=/x>", "<b>t</b> ", "</a>"),
    "an anchor of arrows": pump("<a href=/x>", "»", "</a>"),
    "nested links": pump("", "<a href=/l§>"),
    "links with queries": pump("", "<a href='/?a§=1'>tea</a>"),
    "a link with many parameters": pump("<a href='/?", "a§=1&", "'>tea</a>"),
    "links in lists": pump("", LISTS),
    "areas": pump("<map>", "<area href=/a§>", "</map>"),
    "empty links": pump("", "<a href=''></a>"),
}
ATTRIBUTES = {
    "names without values": pump("<div ", "a", ">tea</div>"),
    "many names without values": pump("<div ", "a§ ", ">tea</div>"),
    "names with values": pump("<div ", "a§=b ", ">tea</div>"),
    "equals signs": pump("<div a", "=", ">tea</div>"),
    "spaced equals signs": pump("<div a", " = ", ">tea</div>"),
    "white space in a tag": pump("<div a", " ", ">tea</div>"),
    "white space after an equals sign": pump("<div a=", " ", ">tea</div>"),
    "slashes in a tag": pump("<div ", "/", ">tea</div>"),
    "quotes in a tag": pump("<a ", "'\"", " href=/x>tea</a>"),
    "quoted values": pump("<a ", "a§='b' ", "href=/x>tea</a>"),
    "an unclosed value": pump("<a href=/x title='", "<p>tea"),
    "names like href": pump("<a ", "href ", "href=/x>tea</a>"),
    "a value with href": pump("<a title=\"'", " href=x'", '" href=/x>tea</a>'),
    "a class of words": pump("<div class='", "c§ ", "'>tea</div>"),
    "a class of one word": pump("<div class=", "c", ">tea</div>"),
    "a class of navs": pump("<div class='", "nav", "'>tea</div>"),
    "classes of navs": pump("", "<div class=nav§>tea</div>"),
    "nested navs": pump("", "<div class='nav§'>tea"),
    "a class of comments": pump("<div class='", "comment", "'>tea</div>"),
    "a class of pagers": pump("<div class='", "pag", "'><a href=/x>2</a></div>"),
    "an id of digits": pump("<div id=", "1", ">tea</div>"),
    "roles": pump("<div role='", "nav ", "'>tea</div>"),
    "a large tag around links": product("<div class=c ", "a§=b ", ">", "<ul><li><a href=/l§>x</a></ul>"),
    "a large list tag and many items": product("<ul class=c ", "a§=b ", ">", "<li><p>t§</p></li>"),
    "two classes each": pump("", "<p class=a§ class=b>tea</p>"),
    "meta names": pump("", "<meta name=m§ content=x>"),
    "styles": pump("<p style='", "a:b;", "'>tea</p>"),
    "images": pump("", "<img src=/i§ alt='tea §'>"),
    "a large label": pump("<img alt='", "tea ", "'>"),
    "fields": pump("<form>", "<input name=i§ value=tea>", "</form>"),
}
NESTING = {
    "inline elements": pump("", "<b>"),
    "divs with words": pump("", "<div>t§ "),
    "named levels": pump("", "<div class=c§>"),
    "lists in lists": pump("", "<ul><li>t§ "),
    "paragraphs in buttons": pump("", "<button><p>"),
    "links in tables": pump("", "<a href=/l§><table><tr><td>"),
    "definition lists": pump("<dl>", "<dt>t§<dd>x"),
    "end tags without start": pump("", "</div></p></b>"),
    "end tags of the first": product("<i>", "<b>", "", "</i>"),
    "misnested formatting": pump("", "<b><i></b></i>t§ "),
    "long names": product("<x", "y", ">", LISTS),
    "many long names on the way": product("<x", "y", "><x>" * 20, LISTS),
    "many long names": product("", "<div><p>", "<z", "y", "><b>tea"),
    "names of their own": pump("", "<x-§>tea"),
    "articles in headers": pump("", "<header><article>t§ "),
    "headings": pump("", "<h1>t§</h1>"),
    "open headings": pump("", "<h1>t§ "),
    "lines in preformatted text": pump("<pre>", "t§\n", "</pre>"),
    "columns": pump("<table><colgroup>", "<col>", "<tr><td>tea</table>"),
    "rows": pump("<table>", "<tr><td>t§</td></tr>", "</table>"),
    "options": pump("<select>", "<option value=o§>tea", "</select>"),
    "deep tables beside rows": product("", "<table><tr><td>", "tea", "<tr><td>t§"),
}
TEXTS = {
    "one long word": pump("<p>", "t", "</p>"),
    "one long line": pump("<p>", "tea§ ", "</p>"),
    "line breaks": pump("<p>", "t§<br>", "</p>"),
    "white space": pump("<p>", " \n\t", "</p>"),
    "carriage returns": pump("", "\r\n\r", ""),
    "equal paragraphs": pump("", "<p>tea</p>"),
    "paragraphs": pump("", "<p>tea and t§</p>"),
    "ideographs": pump("<p>", "茶", "</p>"),
    "combined marks": pump("<p>a", "\u0301", "</p>"),
    "half surrogates": pump("<p>", "\ud83d", "</p>"),
    "null characters": pump("<p>", "\0", "</p>"),
    "long words": pump("<p>", "teateateateateateateatea§ ", "</p>"),
    "capital sharp letters": pump("<p>", "ẞİŉ", "</p>"),
}
ENCODINGS = {
    "declared punycode": lambda size: pump("<meta charset=punycode>-", "ab9")(8 * size),
    "declared hexadecimal": pump("<meta charset=hex>", "<p>t§"),
    "declared other escapes": pump("<meta charset=unicode-escape>", "<p>t§"),
    "declared seven bits": pump("<meta charset=utf-7>", "<p>+t§"),
}
SCRIPTS = {
    "less-than signs in a script": pump("<script>", "<", "</script>"),
    "starts of ends of a script": pump("<script>", "</script"),
    "comments in a script": pump("<script>", "<!--<script>", "</script>"),
    "many scripts": pump("", "<script>s§</script>"),
    "many styles": pump("", "<style>p§{color:red}</style>"),
    "text areas": pump("", "<textarea>t§</textarea>"),
    "drawings": pump("", "<svg><title>t§</title><path d=x></svg>"),
    "self-closed scripts": pump("", "<svg><script/><style/></svg>t§"),
    "templates": pump("", "<template><tr><td>t§</template>"),
    "frames": pump("", "<iframe src=/f§></iframe>"),
    "plain text": pump("<plaintext>", "<p>t§"),
}
COMMENTS = {
    "comments": pump("", "<!-- c§ -->"),
    "empty comments": pump("", "<!---->"),
    "short comments": pump("", "<!-->"),
    "dashes in a comment": pump("<!--", "-", ">tea"),
    "ends of comments": pump("<!--", "--!", "tea"),
    "declarations": pump("", "<!DOCTYPE d§>"),
    "processing instructions": pump("", "<?xml §?>"),
    "character data": pump("", "<![CDATA[ t§ ]]>"),
    "conditions": pump("", "<!--[if IE §]>tea<![endif]-->"),
    "tags without end": pump("", "<p "),
    "tags of slashes": pump("", "</"),
    "questions": pump("", "<?"),
}
PAGES = {
    "ten megabytes in one line": shape_of_bytes(hostile.ten_megabytes_in_one_line, 1),
    "nested elements": shape_of_bytes(hostile.nested_elements, 5),
    "attributes on one tag": shape_of_bytes(hostile.attributes_on_one_tag, 16),
    "unclosed comments": shape_of_bytes(hostile.unclosed_comments, 4),
    "unclosed formatting": shape_of_bytes(hostile.unclosed_formatting, 18),
    "stray less-than signs": shape_of_bytes(hostile.stray_less_than, 1),
    "nul bytes": shape_of_bytes(hostile.nul_bytes, 1),
    "binary body": lambda size: hostile.binary_body(size).decode("latin-1"),
    "unclosed script": shape_of_bytes(hostile.unclosed_script, 44),
    "unclosed quote": shape_of_bytes(hostile.unclosed_quote, 27),
    "nested tables": shape_of_bytes(hostile.nested_tables, 15),
    "many scripts with code": shape_of_bytes(hostile.many_scripts, 42),
    "many list items in depth": lambda size: hostile.many_list_items_in_depth(
        size // 20, size // 20
    ).decode(),
}
MARKDOWN = {
    "headings in headings": pump("", "<h2><div>§"),
    "headings under a long one": product("<h1>", "tea ", "</h1>", "<h2>§</h2>"),
    "headings in depth": product("", "<div>", "", "<h2>§</h2>"),
    "headings of one long link": product("<a href='", "a", "'>", "<h2>§</h2>", "</a>"),
    "headings in links": pump("", "<a href=/a§><object><h2>§</h2>"),
    "headings in one long line": pump("<a href=/a>", "<span><h2>§</h2></span>", "</a>"),
    "items in deep quotes": product("", "<blockquote>", "", "<p>§</p>"),
    "items in deep lists": product("", "<ul>", "", "<li>§</li>"),
    "cells that span a thousand": pump("<table>", "<tr><td rowspan=1000 colspan=1000>§", "</table>"),
    "cells that span two rows": pump("<table>", "<tr><td rowspan=2>§<td>§", "</table>"),
    "a wide cell over many rows": product("<table><tr><td>", "a", "</td></tr>", "<tr><td>§", "</table>"),
    "a row of many cells over many rows": product("<table><tr>", "<td>§", "</tr>", "<tr><td>§", "</table>"),
    "empty cells": pump("<table>", "<tr><td><td>", "</table>"),
    "lists in a cell": pump("<table><tr><td>a<td>", "<ul><li>§<li>b</ul>", "</table>"),
    "powers": pump("", "a<sup>§</sup>"),
    "numbers of lines": pump("<pre>", "<span class=ln>§</span>a\n", "</pre>"),
    "empty numbers of lines": pump("<pre><div>", "<i class=ln></i>", "</div></pre>"),
    "fragments": pump("", "<div class=fragment><div class=line>§</div></div>"),
    "numbered tables": pump("", "<table><tr><td class=ln>1<td>§<tr><td class=ln>2<td>a</table>"),
    "formulas": pump("", "<math alttext=a§><mi>a</mi></math>"),
    "players": pump("", "<video><source src=§></video>"),
    "pictures of many sizes": pump("<img srcset='", "/§ 1x, ", "'>"),
    "layout in tables": pump("", "<table><tr><td><h2>§</h2>"),
    "code in one long class": product("<div class='", "language- ", "'>", "<pre>§</pre>", "</div>"),
    "code in code": pump("", "<code><a href=/a§>§</a>"),
    "backticks in code": product("<pre>", "`", "</pre>", "<code>`§</code>"),
}
SHAPES: dict[str, Shape] = {
    **TITLES,
    **REFERENCES,
    **BASES,
    **LINKS,
    **ATTRIBUTES,
    **NESTING,
    **TEXTS,
    **ENCODINGS,
    **SCRIPTS,
    **COMMENTS,
    **PAGES,
    **MARKDOWN,
}
"""Name -> what makes a page of about so many characters."""
