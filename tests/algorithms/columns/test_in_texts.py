"""What stands in running text, or beside it, and is a column of its own: links, labels, counts; by hand."""

from __future__ import annotations

import pytest

from tests.algorithms.columns.typed_pages import columns_of, values_of

TEAS = "assam ceylon darjeeling earlgrey keemun lapsang nilgiri oolong pekoe sencha yunnan gunpowder".split()
MORE = "It is grown on the hills behind the river, and nobody picks it before the month of May."


def test_links_that_a_template_puts_into_a_text_are_columns_each_and_no_part_of_it() -> None:
    links = "<a href=/{0}/small>MP4 download</a> | <a href=/{0}/large>Download all</a> | <a href=/h>Help</a>"
    bodies = [
        f"<h1>The {tea}</h1><div class=text><p>{links.format(tea)}</p><p>{MORE} {tea}</p></div>"
        for tea in TEAS
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert row["MP4 download"] == "http://h.example/earlgrey/small"
    assert row["Download all"] == "http://h.example/earlgrey/large"
    assert "load" not in row["text"]


def test_a_link_in_a_text_that_says_that_it_leads_to_a_file_is_no_part_of_it() -> None:
    link = (
        "<p><a href=/get/{0}.py><code><b>Download Python source code: plot_of_the_{0}.py</b></code></a></p>"
    )
    bodies = [
        f"<h1>The {tea}</h1><div class=text><p>{MORE} {tea}</p>{link.format(tea)}</div>" for tea in TEAS
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert row["text"] == f"{MORE} earlgrey"
    assert "http://h.example/get/earlgrey.py" in row.values()
    others = [body.replace("Download Python source code", "How this is done") for body in bodies]
    assert "How this" in values_of(columns_of(others), others[3])["text"]


def test_what_stands_in_a_heading_labels_the_section_of_a_text_as_the_heading_does() -> None:
    part = "<h2><span class=headline>{0}</span></h2><p>{1} {2}</p>"
    bodies = [
        f"<h1>The {tea}</h1><div class=text>{part.format(f'On {tea}', tea, MORE)}"
        f"{part.format('Cultivation', MORE, tea)}</div>"
        for tea in TEAS * 2
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert row["Cultivation"] == f"{MORE} earlgrey"
    assert row["text"].count("It is grown") == 2


def test_a_text_of_which_all_is_under_a_heading_that_some_texts_have_is_a_text() -> None:
    def chapter(at: int) -> str:
        heading = "Cultivation" if at % 2 else f"On the {TEAS[at]} of today"
        text = f"<h2>{heading}</h2><p>{MORE} {at}</p><p>{at} {MORE}</p>"
        return f"<h1>The {TEAS[at]}</h1><div class=text>{text}</div>"

    bodies = [chapter(at) for at in range(12)]
    columns = columns_of(bodies)
    row = values_of(columns, bodies[3])
    assert row["Cultivation"] == [f"{MORE} 3", f"3 {MORE}"]
    assert row["text"] == f"Cultivation {MORE} 3 3 {MORE}"


def test_a_label_with_a_class_word_in_a_text_has_the_list_behind_it() -> None:
    bodies = [
        f"<h1>The {tea}</h1><div class=text><p>{MORE} {tea}</p><p>{tea} {MORE}</p>"
        f"<b class=label>Found in:</b><ul><li><a href=/{tea}>{tea} hills</a></li>"
        f"<li><a href=/all>{TEAS[at - 1]} hills</a></li></ul></div>"
        for at, tea in enumerate(TEAS)
    ]
    assert values_of(columns_of(bodies), bodies[3])["Found in"] == ["earlgrey hills", "darjeeling hills"]


def test_tags_behind_a_label_go_on_behind_a_comma() -> None:
    link = "<a rel=category href=/c/{0}>{0}</a>"
    line = f"<p><span>Posted in</span> {link}, {link.replace('0', '1')}</p>"
    bodies = [
        f"<h1>The {tea}</h1>{line.format(TEAS[at % 3], TEAS[3 + at % 5])}" for at, tea in enumerate(TEAS * 2)
    ]
    assert values_of(columns_of(bodies), bodies[4])["Posted in"] == ["ceylon", "oolong"]


@pytest.mark.parametrize("others", [0, 1])
def test_tags_that_all_pages_have_are_some_if_they_have_others(others: int) -> None:
    links = "<p class=tags><a href=/t/hot>hot</a> <a href=/t/new>new</a> {}</p>"
    link = "<a href=/t/{0}>{0}</a>"
    bodies = [
        f"<h1>The {tea}</h1>{links.format(link.format(TEAS[at % 5]) * others)}" for at, tea in enumerate(TEAS)
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert row.get("tags") == (["hot", "new", "earlgrey"] if others else None)


def test_only_tags_go_on_behind_a_comma() -> None:
    line = "<p><span>Posted in</span> <i><a rel=category href=/c/{0}>{0}</a>, <b>{1} cups</b></i></p>"
    bodies = [f"<h1>The {tea}</h1>{line.format(TEAS[at % 3], at)}" for at, tea in enumerate(TEAS * 2)]
    assert values_of(columns_of(bodies), bodies[4])["Posted in"] == "ceylon"


def test_a_long_text_is_no_value_of_a_label_outside_of_it() -> None:
    bodies = [
        f"<h1>The {tea}</h1><div class=text><b class=label>Found in:</b>"
        f"{f'<p>{tea} hills</p>' * (at % 4 > 0)}<p>{MORE} {tea}</p><p>{tea} {MORE}</p></div>"
        for at, tea in enumerate(TEAS)
    ]
    row = values_of(columns_of(bodies), bodies[4])
    assert "Found in" not in row
    assert row["text"].count("It is grown") == 2


def test_lines_of_counts_are_facts_however_thousands_are_written() -> None:
    bodies = [
        f"<h1>The {tea}</h1><table><tr><td>{tea}<td>2 {312 + at} replies<br>1 {120 + at} views</table>"
        for at, tea in enumerate(TEAS)
    ]
    values = values_of(columns_of(bodies), bodies[3]).values()
    assert {"2 315 replies", "1 123 views"} <= {*map(str, values)}


def test_records_below_a_heading_are_called_after_it_whatever_is_in_the_heading() -> None:
    card = "<div class=x><b>{0} {1}</b> <i>{1} cups of {0}</i></div>"
    bodies = [
        f"<h1>The {tea}</h1><main><h3><span class=y>Other cups</span></h3>"
        f"{''.join(card.format(tea, at) for at in range(1, 4 + len(tea) % 2))}</main>"
        for tea in TEAS
    ]
    assert [*columns_of(bodies).rows] == ["other_cups"]


def test_a_label_in_the_footer_of_a_post_is_one_of_the_page() -> None:
    line = "<p>Posted <span class=time>{1} days ago</span>. Tags: <a href=/t/{0}>{0}</a></p>"
    footer = f"<div class=footer>{line}</div>"
    bodies = [
        f"<h1>The {tea}</h1><div class=post><p>{MORE} {tea}</p>{footer.format(TEAS[at % 5], at)}</div>"
        for at, tea in enumerate(TEAS)
    ]
    assert values_of(columns_of(bodies), bodies[3])["Tags"] == "earlgrey"


def test_counts_among_other_texts_of_a_place_are_columns() -> None:
    line = "<p class=by><a href=/{0}>{0} o'clock</a> <a href=/{0}/c>Comments ({1})</a>"
    bodies = [
        f"<h1>The {tea}</h1>{line.format(tea, at)}" + f" <a href=/{tea}/t>{tea} too</a>" * (at % 3 == 0)
        for at, tea in enumerate(TEAS)
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert row["comments"] == "Comments (3)"
    assert ["earlgrey o'clock", "earlgrey too"] in row.values()


@pytest.mark.parametrize(
    ("back", "on", "is_one"),
    [
        ("Previous: The {0}", "Next: The {1}", True),
        ("Previous post The {0}", "Next post The {1}", True),
        ("<svg></svg><b>The {0}</b>", "<b>The {1}</b><svg></svg>", True),
        ("<svg></svg><b>The {0}</b>", "<svg></svg><b>The {1}</b>", False),
        ("<svg></svg><b>The {0}</b><svg></svg>", "<b>The {1}</b><svg></svg>", False),
        ("Previously The {0}", "Next: The {1}", False),
    ],
)
def test_two_links_lead_to_the_neighbours_of_a_page_by_words_or_icons_outside(
    back: str, on: str, *, is_one: bool
) -> None:
    def page(at: int) -> str:
        links = f"<a href=/{TEAS[at - 1]}>{back}</a> <a href=/{TEAS[(at + 1) % 12]}>{on}</a>"
        return f"<h1>Tea {TEAS[at]}</h1><div>{links.format(TEAS[at - 1], TEAS[(at + 1) % 12])}</div>"

    bodies = [page(at) for at in range(12)]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row.get("previous"), row.get("next")) == (
        ("The darjeeling", "The keemun") if is_one else (None, None)
    )


@pytest.mark.parametrize(
    "line", ["{0} wrote on {1} May 2026", "On 2026-05-1{1}, all of {0}", "Of {0}, May {1}, 2026, in {0}"]
)
def test_the_date_in_a_line_is_a_column_whatever_stands_around_it(line: str) -> None:
    bodies = [
        f"<h1>The {tea}</h1><p class=info>{line.format(f'{tea} tea ' * (at % 3 + 1), at % 9 + 1)}</p>"
        for at, tea in enumerate(TEAS)
    ]
    dates = ("4 May 2026", "2026-05-14", "May 4, 2026")
    assert values_of(columns_of(bodies), bodies[3])["date"] in dates


def test_facts_in_brackets_behind_a_text_are_facts() -> None:
    line = "<p class=file>Full size (2,048 by 1,{0} pixels, size: {0} KB, type: image/{1})</p>"
    bodies = [
        f"<h1>The {tea}</h1>{line.format(500 + at, ('png', 'gif')[at % 2])}" for at, tea in enumerate(TEAS)
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row["size"], row["type"]) == ("503 KB", "image/gif")


def test_a_text_that_begins_with_its_date_is_led_by_the_paragraph_behind_that() -> None:
    part = "<p>{0} May 2026</p><p>{1} {2}</p><h2>On {2}</h2><p>{2} {1}</p>"
    bodies = [
        f"<h1>The {tea}</h1><div class=text>{part.format(at + 1, MORE, tea)}</div>"
        for at, tea in enumerate(TEAS)
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row["date"], row["lead"]) == ("4 May 2026", f"{MORE} earlgrey")
