"""The settings of a project that knows nothing of templcrawl."""

import os

BOT_NAME = "shop"
SPIDER_MODULES = ["tests.components.shop.spiders"]
ROBOTSTXT_OBEY = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "INFO"
TEMPLCRAWL_SAMPLE_SALT = 0
HTTPCACHE_ENABLED = True
HTTPCACHE_DIR = os.environ.get("SHOP_OUTPUT", "") + "/cache"
SPIDER_MIDDLEWARES = {"tests.components.shop.recorders.CopyMeta": 500}
DOWNLOADER_MIDDLEWARES = {"tests.components.shop.recorders.AddHeader": 550}
ITEM_PIPELINES = {"tests.components.shop.recorders.RecordItems": 300}
EXTENSIONS = {"tests.components.shop.recorders.RecordStats": 100}
