"""Sites on which template and content are hard to tell apart: one case a file, listed in ``hard_sites``."""
