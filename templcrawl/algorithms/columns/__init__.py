"""The columns of a page type: what differs from page to page in one place, with a name and a selector."""
