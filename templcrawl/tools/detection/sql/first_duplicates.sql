-- Most duplicates, without a pair of pages: those that share a fourth of their sketch with the first holder of these entries.
WITH shared AS (
    SELECT sketch_holders.page, firsts.page AS original, count(*) AS entries
    FROM sketch_holders JOIN sketch_holders AS firsts ON sketch_holders.entry = firsts.entry
    WHERE firsts.place = 1 AND sketch_holders.place > 1
    GROUP BY sketch_holders.page, firsts.page
)
SELECT DISTINCT pages.page
FROM shared JOIN pages ON shared.page = pages.page
WHERE 4 * shared.entries >= size(pages.sketch)
