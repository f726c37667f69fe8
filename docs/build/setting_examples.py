"""An example of each setting, as a user writes it into ``settings.py``; a test reads them all."""

from __future__ import annotations

from templcrawl.crawl.setting_values import PREFIX

EXAMPLES: dict[str, object] = {
    f"{PREFIX}{name}": value
    for name, value in {
        "ENABLED": False,
        "ITEM_FIELDS": ["content_text", "leaf_id"],
        "STRIP_FIELDS": ["html"],
        "SKIP_UNCHANGED": "template only",
        "DROP_NEAR_DUPLICATES": True,
        "PAGE_TYPES_FILE": "page-types.json",
        "REPORT": "report.html",
        "DETECTOR": "sandwich",
        "TEMPLATE_OF": "site",
        "PAGE_TYPE_EXAMPLES": "types/",
        "KIND_CALLBACKS": {"product": "parse_product"},
        "EXTRACTOR": "article",
        "ORDER": "changes",
        "TARGETS": ["https://shop.example/p/1"],
        "STOP": True,
        "MAY_MISS": 10,
        "FULL_CRAWL_EVERY": 5,
        "CHANGES": "changes.jsonl",
        "TOPIC": "solar power, wind",
        "RELEVANCE": "templcrawl.page.render.visible_text",
        "STORE": "memory.sqlite",
        "DATABASE": "sqlite:pages.sqlite",
        "ARCHIVE": "archive/",
        "LIMITS": {"max_sites": 2_000},
    }.items()
}
