-- Figure 5, step 3: for every group the links between its pages.
-- Joined as written, a link at a time: of a group of n pages, no join makes n * n rows.
SELECT sources.shingle, page_links.a, page_links.b
FROM page_links
JOIN group_pages AS sources ON sources.page = page_links.a
JOIN group_pages AS targets ON targets.page = page_links.b AND targets.shingle = sources.shingle
