-- Figure 4, step 3: each group is a template; it is named by its shingle and its smallest page.
SELECT template_shingles.shingle, template_shingles.root, distinct_pagelets.page, distinct_pagelets.pagelet
FROM distinct_pagelets JOIN template_shingles ON distinct_pagelets.shingle = template_shingles.shingle
