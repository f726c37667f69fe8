-- Pages that repeat another: they share a fourth of their sketch with a smaller page (see templcrawl/outputs/archive/rows.py).
-- A page that is left over is compared with the 64 smallest holders of each of its entries: of an entry that all
-- pages have, no join makes n * n rows.
WITH pairs AS (
    SELECT DISTINCT later.page, earlier.page AS original
    FROM sketch_holders AS later JOIN sketch_holders AS earlier ON later.entry = earlier.entry
    WHERE earlier.place < later.place AND earlier.place <= 64
        AND NOT EXISTS (SELECT 1 FROM first_duplicates WHERE first_duplicates.page = later.page)
)
SELECT page FROM first_duplicates
UNION
SELECT pairs.page
FROM pairs
JOIN pages ON pairs.page = pages.page
JOIN pages AS originals ON pairs.original = originals.page
WHERE 4 * size(array_intersect(pages.sketch, originals.sketch)) >= size(pages.sketch)
