"""Tools over finished crawls: commands, readers, batch detection, ranking, detectors of a whole site."""
