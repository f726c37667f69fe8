"""The answers of a crawl about a page: one row an answer, the one source of all lists of answers.

The settings, the page item, the columns of Parquet, what ``scrapy strip`` writes, what a callback reads in
``response.meta`` and the table of the reference come from here.  A new answer is a row here and an attribute
of :class:`~templcrawl.memory.observation.Observation` with its name, or what a section says.
"""

from __future__ import annotations

from typing import NamedTuple

# What ``request.meta`` holds of a request that waits, and of a page, stands under this key.
META_KEY = "templcrawl"

_MARKDOWN = "templcrawl.page.markdown.load"


_KINDS, _CHANGES = "kinds", "changes"


class Answer(NamedTuple):
    """An answer.

    name     attribute of ``Observation``, and the item field that carries it unless another is named
    meaning  its description in the reference, in Markdown
    column   type of its column in Parquet: a name of ``column_types.COLUMN_TYPES``
    needs    the setting or the extra that it needs
    load     import path of what loads the library that it needs; raises MissingExtra
    section  the section of the memory that says it (:data:`templcrawl.memory.memory_options.SECTIONS`)
    option   option of ``scrapy strip`` that writes it, one word; "": it is always written; None: never
    in_meta  whether a callback reads it in ``response.meta["templcrawl"]``
    """

    name: str
    meaning: str
    column: str = "string"
    needs: str = ""
    load: str = ""
    section: str = ""
    option: str | None = None
    in_meta: bool = False


_ROWS = (
    Answer(
        "content_text",
        "visible text of the content, a line for each visible line; what the page "
        "hides only if a reader opens it (tabs, accordions), or if it is most of the page. What style alone "
        "sets apart is set apart: `10^6`, `$4.35` of raised cents, a space between tags",
        option="",
    ),
    Answer(
        "content_html",
        "HTML of the content, well nested, without template, comments, scripts and styles. **It is not "
        "sanitised**: tags keep event handlers, frames and `javascript:` links, and text beyond the limits "
        "of reading stays as it is, scripts too. Sanitise it before a browser shows it",
        option="html",
    ),
    Answer(
        "content_markdown",
        "the content as Markdown: headings, lists, tables, code, emphasis, absolute links. Links and images "
        "have harmless schemes only (`http`, `https`, `mailto`, `tel`, `ftp` and similar); of others the "
        "text stays. Needs `pip install 'templcrawl[markdown]'`",
        needs="markdown",
        load=_MARKDOWN,
        option="markdown",
    ),
    Answer(
        "content_headings",
        "the sections of that Markdown in order: `path` (the headings above the section, its own last, at "
        "most 200 characters of each; empty before the first heading), `start` and `stop` (characters of "
        "`content_markdown`). One of more than 8,000 characters is cut at "
        "paragraphs into several with one path. Related products and further articles come last, under "
        "headings of their own",
        column="sections",
        needs="markdown",
        load=_MARKDOWN,
        option="markdown",
    ),
    Answer(
        "article_text",
        "text of the page's article, by the extractor; the content if it finds none",
        needs="extractor",
        option="extractor",
    ),
    Answer("template_html", "HTML of the template, not sanitised"),
    Answer("template_text", "visible text of the template"),
    Answer(
        "leaf_id",
        "the leaf of the page, which never changes; the table of page types "
        "(`TEMPLCRAWL_PAGE_TYPES_FILE`) and `memory.resolve` name its "
        "page type",
        option="",
        in_meta=True,
    ),
    Answer(
        "cluster_id",
        "the cluster of its fingerprint over all sites: which sites are built alike; "
        "the same name in every crawl",
        in_meta=True,
    ),
    Answer(
        "metadata",
        "what the page declares of its main thing, in JSON-LD, microdata, OpenGraph or `html lang`, by the "
        "names of schema.org: `type`, `name`, `headline`, `author`, `datePublished`, `dateModified`, "
        "`inLanguage`, `description`, `image`, `url` and others; a list where it declares several",
        column="json",
        option="",
    ),
    Answer(
        "near_duplicate",
        "whether the content is that of an earlier page of the site, or nearly",
        column="bool",
        in_meta=True,
    ),
    Answer(
        "page_type",
        "the page type after your examples (`TEMPLCRAWL_PAGE_TYPE_EXAMPLES`), or none",
        needs="page_type_examples",
        in_meta=True,
    ),
    Answer(
        "page_kind",
        "the kind of the page: `article`, `product`, `listing`, `collection`, `forum`, "
        "`documentation`, `profile`, `service`, `error` or `other`; by the page and by the pages of its leaf "
        "so far",
        section=_KINDS,
        in_meta=True,
    ),
    Answer(
        "page_kind_confidence",
        "the chance that this is its kind, from 0 to 1",
        column="float64",
        section=_KINDS,
        in_meta=True,
    ),
    Answer(
        "relevance",
        "the relevance of the page to the topic (`TEMPLCRAWL_RELEVANCE`), from 0 to 1",
        column="float64",
        needs="relevance",
        in_meta=True,
    ),
    Answer(
        "changed",
        'the change since the page was last read: `"new"`; `"same"`: its words, title, addresses of links '
        'and images, texts in attributes and structured data are equal; `"changed"`: its content has other '
        'words or another order; `"template only"`: something else has changed. A page that is read twice '
        "in a crawl keeps the first answer. It needs a memory that lasts from crawl to crawl (a JOBDIR or a "
        "store); a crawl without this field forgets it",
        section=_CHANGES,
    ),
    Answer(
        "content_hash",
        "hash of the text of the content (white space folded, NFC; xxh3, 64 bits) at its last change; it "
        "stays equal until the content changes, even if the page is judged otherwise meanwhile",
        section=_CHANGES,
    ),
    Answer("first_seen", "when the page was first seen, in ISO 8601", section=_CHANGES),
    Answer(
        "last_changed", "when its content was first read in its present form, in ISO 8601", section=_CHANGES
    ),
)

# Name of an answer -> its row, in the order in which items and tables have them.
ANSWERS = {row.name: row for row in _ROWS}
