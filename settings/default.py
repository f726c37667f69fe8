"""Settings for crawling real sites: polite, breadth first, with templcrawl switched on."""

BOT_NAME = "templcrawl"
USER_AGENT = "templcrawl/0.1 (a Scrapy crawler)"

SPIDER_MODULES = ["spiders"]
ADDONS = {"templcrawl.Addon": 500}
DOWNLOADER_MIDDLEWARES = {
    "templcrawl.crawl.site_spider.PageLimit": 546,
    "templcrawl.crawl.saved_site.SavedSite": 950,
}
REQUEST_FINGERPRINTER_CLASS = "templcrawl.crawl.saved_site.SavedSiteFingerprinter"

# Polite: obey robots.txt, one request at a time and a pause between them, slower where the site is slow.
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0.5
AUTOTHROTTLE_ENABLED = True
DOWNLOAD_TIMEOUT = 60
DOWNLOAD_MAXSIZE = 32 * 1024 * 1024

# First in, first out: breadth first, so that sibling pages come one after the other.
DEPTH_PRIORITY = 1
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"

# The leaf of a page too, by which items join the table of page types when the crawl is over.
TEMPLCRAWL_ITEM_FIELDS = {name: name for name in ("content_html", "content_text", "leaf_id", "cluster_id")}

# Scrapy looks at the name behind -O before an add-on is asked.
FEED_EXPORTERS = {"parquet": "templcrawl.outputs.parquet_exporter.ParquetItemExporter"}
FEED_EXPORT_ENCODING = "utf-8"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
