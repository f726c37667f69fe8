"""Settings are read once, and a value that is not accepted is named."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from templcrawl.components.settings import TemplcrawlSettings, setting_names
from templcrawl.errors import InvalidOption


def read(**values: object) -> TemplcrawlSettings:
    return TemplcrawlSettings.from_settings(Settings({f"TEMPLCRAWL_{k}": v for k, v in values.items()}))


def test_an_empty_project_gets_the_defaults() -> None:
    assert read() == TemplcrawlSettings()


@pytest.mark.parametrize(
    ("name", "given", "attribute", "expected"),
    [
        ("ENABLED", "0", "enabled", False),
        ("ENABLED", "True", "enabled", True),
        ("ORDER", "off", "order", "off"),
        ("PRIORITY_STEP", "3", "priority_step", 3),
        ("SLOW_START", 0, "slow_start", 0),
        ("STRIP_FIELDS", "html, body", "strip_fields", ("html", "body")),
        ("STRIP_FIELDS", ["html"], "strip_fields", ("html",)),
        ("CHECKPOINT_SECONDS", "1.5", "checkpoint_seconds", 1.5),
        ("SQLITE_PATH", "", "sqlite_path", None),
        (
            "ITEM_FIELDS",
            {"content_text": "text", "content_html": None},
            "item_fields",
            {"content_text": "text"},
        ),
        ("ITEM_FIELDS", None, "item_fields", {}),
        ("ITEM_FIELDS", ["leaf_id"], "item_fields", {"leaf_id": "leaf_id"}),
        (
            "ITEM_FIELDS",
            "leaf_id, cluster_id",
            "item_fields",
            {"leaf_id": "leaf_id", "cluster_id": "cluster_id"},
        ),
        ("ITEM_FIELDS", ["leaf_id"], "names_item_fields", True),
        ("ORDER", "off", "names_item_fields", False),
        ("SLOW_START", None, "slow_start_pages", 0),
        ("SLOW_START", 5, "slow_start_pages", 5),
        ("ITEM_FIELDS", '{"content_text": "text"}', "item_fields", {"content_text": "text"}),
    ],
)
def test_values_as_settings_files_and_command_lines_give_them(
    name: str, given: object, attribute: str, expected: object
) -> None:
    assert getattr(read(**{name: given}), attribute) == expected


def test_the_options_of_the_memory_are_settings_too() -> None:
    assert read(DETECTOR="sandwich-lines", MAX_LINKS="77").memory.detector == "sandwich-lines"
    assert read(MAX_LINKS="77").memory.max_links == 77


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("ENABLED", "perhaps", "True or False"),
        ("ORDER", "sideways", "one of adaptive, focus, off, template"),
        ("DETECTOR", "toast", "one of etdm, sandwich, sandwich-lines"),
        ("PRIORITY_STEP", 0, "a whole number of 1 or more"),
        ("PRIORITY_STEP", True, "a whole number"),
        ("SLOW_START", -1, "a whole number of 0 or more"),
        ("MAX_TAGS", "many", "a whole number of 1 or more"),
        ("TEMPLATE_PAGES", 1, "a whole number of 2 or more"),
        ("FINGERPRINT_SPLIT", 25, "from 1 to 24"),
        ("CHECKPOINT_SECONDS", "soon", "a number of seconds above 0"),
        ("CHECKPOINT_SECONDS", float("nan"), "a number of seconds above 0"),
        ("ITEM_FIELDS", {"contents": "x"}, "content_html, content_text"),
        ("ITEM_FIELDS", "contents", "a list of item fields out of content_html, content_text"),
        ("ITEM_FIELDS", ["content_text", 5], "or a dict of these to names"),
        ("STRIP_FIELDS", 5, "a list of names"),
        ("URL_FIELD", "", "a name"),
    ],
)
def test_a_value_that_is_not_accepted_names_setting_value_and_what_is(
    name: str, value: object, accepted: str
) -> None:
    with pytest.raises(InvalidOption) as caught:
        read(**{name: value})
    message = str(caught.value)
    assert f"TEMPLCRAWL_{name} = {value!r}" in message
    assert accepted in message


def test_a_focused_crawl_starts_slowly_by_itself() -> None:
    focused = {"ORDER": "focus", "RELEVANCE": len}
    assert read(**focused).slow_start_pages == 10
    assert read(**focused, SLOW_START=0).slow_start_pages == 0
    assert read(ORDER="off", SLOW_START=5).slow_start_pages == 0


def test_every_setting_has_one_name() -> None:
    assert len(setting_names()) == len(set(setting_names()))
