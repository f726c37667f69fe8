-- Figure 5, step 5: the pagelets of each component that is not a singleton; named by its smallest page.
SELECT template_candidates.shingle, template_components.root, template_candidates.page, template_candidates.pagelet
FROM template_candidates
JOIN shingle_groups ON template_candidates.shingle = shingle_groups.shingle
JOIN template_components
    ON template_components.shingle = shingle_groups.leader AND template_components.page = template_candidates.page
