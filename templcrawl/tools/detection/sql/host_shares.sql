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
    distinct_pages.host,
    count(*) AS pages,
    count(owned.page) AS template_pages,
    CAST(sum(distinct_pages.characters) AS bigint) AS html,
    CAST(coalesce(sum(owned.characters), 0) AS bigint) AS template_html,
    CAST(sum(distinct_pages.words) AS bigint) AS words,
    CAST(coalesce(sum(owned.words), 0) AS bigint) AS template_words,
    CAST(sum(distinct_pages.links) AS bigint) AS links,
    CAST(coalesce(sum(owned.links), 0) AS bigint) AS template_links
FROM distinct_pages LEFT JOIN owned ON distinct_pages.page = owned.page
GROUP BY distinct_pages.host
