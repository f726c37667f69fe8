-- Figure 5, step 2: the pagelets whose shingle re-occurs.
SELECT distinct_pagelets.shingle, distinct_pagelets.page, distinct_pagelets.pagelet
FROM distinct_pagelets JOIN template_shingles ON distinct_pagelets.shingle = template_shingles.shingle
