-- Figure 5, step 2: the pagelets whose shingle re-occurs.
SELECT kept_pagelets.shingle, kept_pagelets.page, kept_pagelets.pagelet
FROM kept_pagelets JOIN template_shingles ON kept_pagelets.shingle = template_shingles.shingle
