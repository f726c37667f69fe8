"""The crawl archive: the tables PAGES, LINKS and PAGELETS of a crawl as Parquet files in a folder.

No file here imports Scrapy; pyarrow is imported when an archive is opened.
"""
