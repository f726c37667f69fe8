"""A benchmark of template detection over sites that anyone can repeat, see its README."""
