-- Figures 4 and 5, before all else: the pages that have an entry of sketches, if several have; the smallest is in place 1.
SELECT page, entry, place
FROM (
    SELECT
        page,
        entry,
        row_number() OVER (PARTITION BY entry ORDER BY page) AS place,
        count(*) OVER (PARTITION BY entry) AS holders
    FROM (SELECT page, explode(sketch) AS entry FROM pages) AS entries
) AS placed
WHERE holders > 1
