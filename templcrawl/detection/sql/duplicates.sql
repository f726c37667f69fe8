-- Figures 4 and 5, before all else: pages that repeat another page.
-- A page repeats the smallest page that it shares a fourth of its sketch with (see templcrawl/archive/rows.py).
WITH entries AS (
    SELECT page, explode(sketch) AS entry FROM pages
),
firsts AS (
    SELECT entry, min(page) AS original FROM entries GROUP BY entry HAVING count(*) > 1
),
shared AS (
    SELECT entries.page, firsts.original, count(*) AS entries
    FROM entries JOIN firsts ON entries.entry = firsts.entry
    WHERE firsts.original < entries.page
    GROUP BY entries.page, firsts.original
)
SELECT DISTINCT pages.page
FROM shared JOIN pages ON shared.page = pages.page
WHERE 4 * shared.entries >= size(pages.sketch)
