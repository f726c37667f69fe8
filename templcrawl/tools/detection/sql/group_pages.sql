-- The pages of each distinct group.
SELECT DISTINCT template_candidates.shingle, template_candidates.page
FROM template_candidates JOIN shingle_groups ON template_candidates.shingle = shingle_groups.shingle
WHERE shingle_groups.shingle = shingle_groups.leader
