"""The settings of a project that knows nothing of templcrawl."""

import os

BOT_NAME = "shop"
SPIDER_MODULES = ["lab.sites.shop.spiders"]
ROBOTSTXT_OBEY = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "INFO"
HTTPCACHE_ENABLED = True
HTTPCACHE_DIR = os.environ.get("SHOP_OUTPUT", "") + "/cache"
SPIDER_MIDDLEWARES = {"lab.sites.shop.recorders.CopyMeta": 500}
DOWNLOADER_MIDDLEWARES = {"lab.sites.shop.recorders.AddHeader": 550}
ITEM_PIPELINES = {"lab.sites.shop.recorders.RecordItems": 300}
EXTENSIONS = {"lab.sites.fixed_salt.FixedSalt": -1, "lab.sites.shop.recorders.RecordStats": 100}
