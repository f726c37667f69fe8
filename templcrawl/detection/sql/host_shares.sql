-- Table 2, site by site: pages that own template pagelets; and what of their HTML, words and links is template.
WITH owned AS (
    SELECT
        template_pagelets.page,
        sum(pagelets.characters) AS characters,
        sum(pagelets.words) AS words,
        sum(pagelets.links) AS links
    FROM template_pagelets JOIN pagelets ON template_pagelets.pagelet = pagelets.pagelet
    GROUP BY template_pagelets.page
)
SELECT
    kept_pages.host,
    count(*) AS pages,
    count(owned.page) AS template_pages,
    CAST(sum(kept_pages.characters) AS bigint) AS html,
    CAST(coalesce(sum(owned.characters), 0) AS bigint) AS template_html,
    CAST(sum(kept_pages.words) AS bigint) AS words,
    CAST(coalesce(sum(owned.words), 0) AS bigint) AS template_words,
    CAST(sum(kept_pages.links) AS bigint) AS links,
    CAST(coalesce(sum(owned.links), 0) AS bigint) AS template_links
FROM kept_pages LEFT JOIN owned ON kept_pages.page = owned.page
GROUP BY kept_pages.host
