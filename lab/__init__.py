"""The laboratory, which is not shipped: generated sites, benchmarks, the tables of the papers."""
