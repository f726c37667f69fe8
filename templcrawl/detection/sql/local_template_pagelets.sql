-- Figure 4, step 3: each group is a template; it is named by its shingle and its smallest page.
SELECT template_shingles.shingle, template_shingles.root, kept_pagelets.page, kept_pagelets.pagelet
FROM kept_pagelets JOIN template_shingles ON kept_pagelets.shingle = template_shingles.shingle
