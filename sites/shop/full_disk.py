"""An extension that fills the disk, as far as Parquet is concerned."""

from __future__ import annotations

import errno
import os

import pyarrow.parquet


class FullDisk:
    """From when it is built, every attempt to write Parquet fails for lack of room."""

    def __init__(self) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        pyarrow.parquet.write_table = full
