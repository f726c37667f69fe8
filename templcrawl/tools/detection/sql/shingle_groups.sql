-- Figure 5, step 3: shingle -> its group G_s.  Groups of the same pages are one: they are called after
-- their smallest shingle, so that the header, the menu and the footer of a site are searched once.
WITH members AS (
    SELECT DISTINCT shingle, page FROM template_candidates
),
groups AS (
    SELECT shingle, count(*) AS pages, min(page) AS first, max(page) AS last, bit_xor(xxhash64(page)) AS mark
    FROM members
    GROUP BY shingle
)
SELECT shingle, min(shingle) OVER (PARTITION BY pages, first, last, mark) AS leader
FROM groups
