-- The links between pages that own candidates, each once, whichever way it leads.
WITH owners AS (
    SELECT DISTINCT page FROM group_pages
)
SELECT DISTINCT least(links.source, links.target) AS a, greatest(links.source, links.target) AS b
FROM links
JOIN owners AS sources ON links.source = sources.page
JOIN owners AS targets ON links.target = targets.page
WHERE links.source <> links.target
