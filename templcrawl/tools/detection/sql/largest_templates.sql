-- The templates on the most pages, with what their example looks like.
WITH largest AS (
    SELECT * FROM templates ORDER BY pages DESC, shingle, root LIMIT {top}
)
SELECT largest.pages, largest.hosts, largest.pagelets, pagelets.tag_path, pagelets.links, substr(pagelets.text, 1, 200)
FROM largest JOIN pagelets ON largest.example = pagelets.pagelet
ORDER BY largest.pages DESC, largest.shingle, largest.root
