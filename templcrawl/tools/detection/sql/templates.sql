-- TEMPLATES: a row for each template; example is its smallest pagelet.
SELECT
    template_pagelets.shingle,
    template_pagelets.root,
    count(DISTINCT template_pagelets.page) AS pages,
    count(*) AS pagelets,
    count(DISTINCT distinct_pages.host) AS hosts,
    min(template_pagelets.pagelet) AS example
FROM template_pagelets JOIN distinct_pages ON template_pagelets.page = distinct_pages.page
GROUP BY template_pagelets.shingle, template_pagelets.root
