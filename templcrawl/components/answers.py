"""What a crawl can say of a page: one row an answer, from which all that names answers is made.

The settings, the page item, the columns of Parquet, what ``scrapy strip`` writes, what a callback reads in
``response.meta`` and the table of the reference come from here.  A new answer is a row here and an attribute
of :class:`~templcrawl.memory.observation.Observation` with its name.
"""

from __future__ import annotations

from typing import NamedTuple

MARKDOWN = "markdown"
"""The extra that some answers need."""

MAX_TRACKED = "max_tracked"
"""The option of the memory that some answers need."""


class Answer(NamedTuple):
    """An answer.

    name     attribute of ``Observation``, and the item field that carries it unless another is named
    meaning  what the reference says of it, in Markdown
    column   type of its column in Parquet: a name of ``column_types.COLUMN_TYPES``
    needs    the setting or the extra without which nobody can give it, or the option that is set for it
    option   option of ``scrapy strip`` that has it written; "": it always is; None: it is not
    in_meta  whether a callback reads it in ``response.meta["templcrawl"]``
    """

    name: str
    meaning: str
    column: str = "string"
    needs: str = ""
    option: str | None = None
    in_meta: bool = False


_ROWS = (
    Answer("content_text", "visible text of the content, a line for each line that a reader sees", option=""),
    Answer(
        "content_html",
        "HTML of the content, well nested, without the template, comments, scripts and styles. Tags stand as "
        "the page wrote them, with event handlers, frames and `javascript:` links, and what lies beyond the "
        "limits of reading stands as it is, scripts too: it is not sanitised, so sanitise it before a "
        "browser shows it",
        option="html",
    ),
    Answer(
        "content_markdown",
        "the content as Markdown: headings, lists, tables, code, emphasis, absolute links; links and images "
        "have harmless schemes alone (`http`, `https`, `mailto`, `tel`, `ftp` and kin; `data:image/` for "
        "images), of others the text stays; needs `pip install 'templcrawl[markdown]'`",
        needs=MARKDOWN,
        option="markdown",
    ),
    Answer(
        "content_headings",
        "the sections of that Markdown in order: `path` (texts of the headings that it stands under, its "
        "own the last, 200 characters of each at most; empty before the first), `start` and `stop` "
        "(characters of `content_markdown`)",
        column="sections",
        needs=MARKDOWN,
        option="markdown",
    ),
    Answer(
        "article_text",
        "text of the page's article, by the extractor; the content where it finds none",
        needs="extractor",
        option="extractor",
    ),
    Answer("template_html", "HTML of the template, not sanitised either"),
    Answer("template_text", "visible text of the template"),
    Answer(
        "template_id",
        "the template (page type) that the page was built from, as known when it was seen: `host#` and a "
        "name (an early word: join by `leaf_id`)",
        option="",
        in_meta=True,
    ),
    Answer(
        "leaf_id",
        "the small group of near-equal pages within the template, named once and for ever; what `scrapy "
        "labels ITEMS --of JOBDIR` or `memory.resolve` makes of it is the page type",
        in_meta=True,
    ),
    Answer(
        "cluster_id",
        "the cluster of its template fingerprint over all sites: which sites are built alike; the same name "
        "in every crawl",
        in_meta=True,
    ),
    Answer(
        "page_type",
        "the page type by your examples (`TEMPLCRAWL_PAGE_TYPES`), or none",
        needs="page_types",
        in_meta=True,
    ),
    Answer(
        "relevance",
        "how relevant the page is to the topic (`TEMPLCRAWL_RELEVANCE`), from 0 to 1",
        column="float64",
        needs="relevance",
        in_meta=True,
    ),
    Answer(
        "changed",
        'what has become of the page since it was last read: `"new"`; `"same"`: its words, title, '
        "addresses of links and images, texts in attributes and structured data are the same; "
        '`"changed"`: its content says something else, or in another order, whatever other pages say; '
        '`"template only"`: something else has changed. A page that is read twice in a crawl is what it was '
        "first. Known from one crawl to the next where the memory of sites is kept; a crawl that does "
        "not ask for it drops what was known of it",
        needs=MAX_TRACKED,
    ),
    Answer(
        "content_hash",
        "hash of the text of the content (white space folded, NFC; xxh3, 64 bits) as it was when that last "
        "changed: the same until it changes, however the page is judged meanwhile",
        needs=MAX_TRACKED,
    ),
    Answer("first_seen", "when the page was first seen, as ISO 8601 has it", needs=MAX_TRACKED),
    Answer("last_changed", "when its content was first read as it is now, likewise", needs=MAX_TRACKED),
)

ANSWERS = {row.name: row for row in _ROWS}
"""Name of an answer -> its row, in the order in which items and tables have them."""


def answers_that_need(what: str) -> frozenset[str]:
    """Return the names of the answers that a setting, an extra or an option makes known."""
    return frozenset(row.name for row in ANSWERS.values() if row.needs == what)
