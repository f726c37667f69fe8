"""What has become of a page since it was last read, in a word or two."""

NEW, SAME, CHANGED, TEMPLATE_ONLY, GONE = "new", "same", "changed", "template only", "gone"
