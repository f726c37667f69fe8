"""Sites on which template and content are hard to tell apart, listed in ``hard_sites``."""
