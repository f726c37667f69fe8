-- The pages whose HTML was kept.
SELECT pages.host, pages.fetched_at, pages.page, pages.url, substr(bodies.html, 1, {longest}) AS html
FROM pages
JOIN bodies ON pages.page = bodies.page
WHERE pages.url <> ''
