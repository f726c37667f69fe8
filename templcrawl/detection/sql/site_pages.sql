-- The pages whose HTML was kept, each of them once for either pass over its site.
SELECT pages.host, turns.turn, pages.fetched_at, pages.page, pages.url, substr(bodies.html, 1, {longest}) AS html
FROM pages
JOIN bodies ON pages.page = bodies.page
CROSS JOIN (VALUES (0), (1)) AS turns(turn)
WHERE pages.url <> ''
