"""The columns of a page type: each holds what one place has on each page, with a name and a selector."""
