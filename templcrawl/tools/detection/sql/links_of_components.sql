-- Figure 5, step 5: of every page a link to the root that it got in its bucket.  These are fewer than the links.
SELECT shingle & 255 AS bucket, shingle, page AS a, root AS b FROM template_forests WHERE page <> root
