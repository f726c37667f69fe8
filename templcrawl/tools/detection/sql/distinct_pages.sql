-- G without its duplicates.
SELECT page, host, characters, words, links
FROM pages
WHERE NOT EXISTS (SELECT 1 FROM duplicates WHERE duplicates.page = pages.page)
