"""The template of a site from one key page and few others."""
