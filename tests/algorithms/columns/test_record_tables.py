"""Which records have a table of their own."""

from __future__ import annotations

from tests.algorithms.columns.typed_pages import columns_of, records_of, values_of


def test_tables_of_facts_below_headings_are_facts_of_the_page() -> None:
    sizes = "long wide thin round flat tall".split()

    def body(page: int) -> str:
        parts = [("Shape", ("Handle", "Rim", "Foot")), ("Trade", ("Maker", "Town", "Year"))]
        tables = "".join(
            f"<h4>{head}</h4><table>"
            + "".join(f"<tr><td>{name}<td>{sizes[(page + at) % 6]} {page}" for at, name in enumerate(names))
            + "</table>"
            for head, names in [*parts, ("Care", ("Wash", "Dry", "Store"))]
        )
        return f"<h1>Cup {page}</h1><div class=about>{tables if page % 3 == 0 else '<p>No facts.'}</div>"

    columns = columns_of([*map(body, range(30))])
    assert not columns.rows
    assert (
        values_of(columns, body(3)).items()
        >= {"Handle": "round 3", "Town": "flat 3", "Dry": "flat 3"}.items()
    )


def test_what_stands_in_records_of_one_column_is_of_the_page() -> None:
    step = "<li class=step><b>{0} {1}</b><i>more</i>"

    def body(page: int) -> str:
        steps = "".join(step.format(word, page) for word in "stir rinse pour".split()[: 2 + page % 2])
        return f"<h1>Tea {page}</h1><ol>{steps}</ol>"

    columns = columns_of([*map(body, range(12))])
    assert not columns.rows
    assert ["stir 3", "rinse 3", "pour 3"] in values_of(columns, body(3)).values()


def test_the_rows_of_a_table_in_a_text_are_records_if_most_texts_have_some() -> None:
    words = "long wide thin round flat tall deep warm cold grey".split()

    def body(page: int, *, is_in: bool) -> str:
        text = " ".join(words[(page + at) % 10] for at in range(30))
        rows = "".join(
            f"<tr><td>{words[(page + at) % 10]} {at}<td>{page + at} cm<td>{words[at]} {page}"
            for at in range(4)
        )
        table = f"<table>{rows}</table>" if is_in else ""
        return f"<h1>Cup {page}</h1><div class=about><p>{text}.</p>{table}<p>{text} again.</p></div>"

    columns = columns_of([body(page, is_in=True) for page in range(12)])
    (rows,) = records_of(columns, body(3, is_in=True)).values()
    assert [list(row.values()) for row in rows[:1]] == [["round 0", "3 cm", "long 3"]]
    assert "round 0 3 cm long 3" in values_of(columns, body(3, is_in=True))["text"]
    assert not columns_of([body(page, is_in=page % 3 == 0) for page in range(12)]).rows
