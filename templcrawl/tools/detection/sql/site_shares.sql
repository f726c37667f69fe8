-- Site by site: pages with visible words of a template; and what of their HTML, words and links is template.
SELECT
    host,
    count(*) AS pages,
    count(CASE WHEN template_words > 0 THEN 1 END) AS template_pages,
    CAST(sum(bytes) AS bigint) AS html,
    CAST(sum(template_bytes) AS bigint) AS template_html,
    CAST(sum(words) AS bigint) AS words,
    CAST(sum(template_words) AS bigint) AS template_words,
    CAST(sum(links) AS bigint) AS links,
    CAST(sum(template_links) AS bigint) AS template_links
FROM separated_pages
GROUP BY host
