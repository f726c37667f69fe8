-- Figure 5, step 4: the links of a group, spread over eight buckets: a large group is no work of one core alone.
SELECT ((shingle & 255) + (a & 7)) & 255 AS bucket, shingle, a, b FROM template_links
