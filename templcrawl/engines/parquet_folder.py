"""Write a folder of Parquet in one go: aside first, so that it holds the old file or the new one, whole."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from templcrawl.archive.location import locate
from templcrawl.arrow import load_pyarrow

_FILE = "part-00000.parquet"
_ASIDE = "_part"


class ParquetFolder:
    """A folder, local or of any file system that PyArrow has."""

    def __init__(self, folder: str) -> None:
        """Take a path or a URI.  Raises InvalidOption."""
        location = locate(folder)
        self._filesystem, self._path = location.filesystem, location.path

    def replace(self, batches: Any) -> None:
        """Write the batches of a reader in the place of the Parquet files that are there.  Raises OSError."""
        arrow = load_pyarrow()
        self._filesystem.create_dir(self._path, recursive=True)
        aside, target = f"{self._path}/{_ASIDE}", f"{self._path}/{_FILE}"
        try:
            with arrow.parquet.ParquetWriter(
                aside, batches.schema, filesystem=self._filesystem, compression="zstd"
            ) as writer:
                for batch in batches:
                    writer.write_batch(batch)
        except BaseException:
            with suppress(OSError):
                self._filesystem.delete_file(aside)
            raise
        for info in self._filesystem.get_file_info(arrow.fs.FileSelector(self._path)):
            if info.base_name.endswith(".parquet") and info.base_name != _FILE:
                self._filesystem.delete_file(info.path)
        self._filesystem.move(aside, target)
