-- Figure 5, step 1; Figure 4, step 2: the shingles that occur on two pages or more.
SELECT shingle, min(page) AS root
FROM distinct_pagelets
GROUP BY shingle
HAVING min(page) < max(page)
