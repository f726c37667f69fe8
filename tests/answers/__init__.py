"""A digest of the package's answers, so that code can be rewritten and every change of an answer be seen."""
