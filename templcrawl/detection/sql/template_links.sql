-- Figure 5, step 3: for every group the links between its pages.  A bucket is what is searched at once.
-- Groups are looked for link by link, by the lists of two pages: a group of n pages is never joined with itself.
WITH page_groups AS (
    SELECT page, collect_list(shingle) AS shingles FROM group_pages GROUP BY page
),
shared AS (
    SELECT explode(array_intersect(sources.shingles, targets.shingles)) AS shingle, page_links.a, page_links.b
    FROM page_links
    JOIN page_groups AS sources ON sources.page = page_links.a
    JOIN page_groups AS targets ON targets.page = page_links.b
)
SELECT shingle & 255 AS bucket, shingle, a, b FROM shared
