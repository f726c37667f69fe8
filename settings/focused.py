"""What a focused crawl sets otherwise than the settings it runs with, ``default`` or ``replay``.

The spider ``focused`` takes it over by itself.
"""

TEMPLCRAWL_ORDER = "focus"
TEMPLCRAWL_ITEM_FIELDS = {
    name: name for name in ("content_html", "content_text", "leaf_id", "cluster_id", "relevance")
}

# A link goes by its promise alone, however deep; one queue over all hosts.
DEPTH_PRIORITY = 0
