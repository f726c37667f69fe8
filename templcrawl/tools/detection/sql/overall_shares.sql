-- Table 2, over all sites.
SELECT
    count(*) AS hosts,
    CAST(sum(pages) AS bigint) AS pages,
    CAST(sum(template_pages) AS bigint) AS template_pages,
    CAST(sum(html) AS bigint) AS html,
    CAST(sum(template_html) AS bigint) AS template_html,
    CAST(sum(words) AS bigint) AS words,
    CAST(sum(template_words) AS bigint) AS template_words,
    CAST(sum(links) AS bigint) AS links,
    CAST(sum(template_links) AS bigint) AS template_links
FROM host_shares
