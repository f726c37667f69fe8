-- The pagelets of G that can be told: they have words or links, and at least {min_links} links.
SELECT pagelets.shingle, pagelets.page, pagelets.pagelet
FROM pagelets JOIN distinct_pages ON pagelets.page = distinct_pages.page
WHERE pagelets.shingle IS NOT NULL AND pagelets.links >= {min_links}
