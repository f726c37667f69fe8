"""The words for the change of a page since it was last read."""

NEW, SAME, CHANGED, TEMPLATE_ONLY, GONE = "new", "same", "changed", "template only", "gone"
