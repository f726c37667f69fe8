"""Settings for crawling saved sites and local servers: nothing leaves this machine, waits or is drawn."""

from settings.default import *  # noqa: F403

ROBOTSTXT_OBEY = False
AUTOTHROTTLE_ENABLED = False
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 16
RETRY_ENABLED = False
HTTPPROXY_ENABLED = False
EXTENSIONS = {"lab.sites.fixed_salt.FixedSalt": -1}

DOWNLOAD_HANDLERS = {"https": None, "ftp": None, "s3": None}
DOWNLOADER_MIDDLEWARES = {
    "templcrawl.crawl.site_spider.PageLimit": 546,
    "templcrawl.crawl.saved_site.SavedSite": 950,
    "spiders.confinement.StayOnThisMachine": 960,
}
