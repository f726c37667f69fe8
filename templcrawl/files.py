"""Files: written whole or not at all, named by addresses, locked by a process.

*Targets are tested* before work begins, so that a target that cannot be written is known before the work is
done.  *Addresses* of SQLite files have the same forms everywhere.  Missing folders are created only within
the working directory: elsewhere a missing folder is taken for a mistake.

Cost: O(1).
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import abspath
from pathlib import Path
from secrets import token_hex
from typing import IO
from weakref import finalize

PART = ".part"


def open_nonblocking(path: str, flags: int) -> int:
    """An ``opener`` for :func:`open` that does not wait for a named pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, which changes when the file is replaced; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


SQLITE_FORMS = "sqlite:FILE or the path of a file"
_SQLITE = "sqlite:"


def sqlite_file(address: str) -> Path | None:
    """Return the file that an address names, None for any other address.

    >>> [str(sqlite_file(f"sqlite:{slashes}a.sqlite")) for slashes in ("", "/", "//", "///", "////")]
    ['a.sqlite', '/a.sqlite', 'None', 'a.sqlite', '/a.sqlite']
    >>> sqlite_file("mysql://host/a"), sqlite_file("sqlite::memory:"), str(sqlite_file("crawls/a.sqlite"))
    (None, None, 'crawls/a.sqlite')
    """
    path = address
    if address.startswith(_SQLITE):
        path = address.removeprefix(_SQLITE).removeprefix("///")
    else:
        scheme, colon, _ = path.partition(":")
        if colon and len(scheme) != 1:  # one letter is a drive of Windows
            return None
    is_file = (
        bool(path.strip() and Path(path).name)
        and path.isprintable()
        and not path.startswith("//")
        and path != ":memory:"
    )
    return Path(path) if is_file else None


def make_folder_of(path: Path) -> None:
    """Make the folder of a file where it is missing; raises OSError outside of the working directory."""
    folder = Path(abspath(path)).parent  # noqa: PTH100
    if folder.is_relative_to(Path.cwd()):
        folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}, and is not created", str(folder))


def sync(path: str | os.PathLike[str]) -> None:
    """Flush a file and its name to the disk; ignore what is gone or not a file.

    Raises OSError.
    """
    if Path(path).is_file():
        _sync(path, os.O_RDWR)
        if sys.platform != "win32":
            _sync(Path(path).parent, os.O_RDONLY)


def _sync(path: str | os.PathLike[str], flags: int) -> None:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to; it takes its place, flushed to the disk, when the context is left.

    It is written aside, in the same folder under a name that ends in ``.part``, and renamed.  A failure
    leaves what was there before; a kill leaves the ``.part`` besides.

    What is not a plain file (a pipe, ``/dev/null``) is written to as it is.  Raises OSError.
    """
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    part = _aside(target)
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a folder to write to; it takes its place, if that is free or empty, when the context is left.

    Raises OSError.
    """
    target = target.resolve()
    part = _aside(target)
    try:
        part.mkdir()
        yield part
        if target.exists():
            target.rmdir()
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def empty_folder(folder: Path, *, but: Path) -> None:
    """Remove everything in a folder but one file.  Raises OSError."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path != but:
            path.unlink()


def try_file(target: Path) -> None:
    """Try whether a whole file can be written, and leave all as it was; raises OSError with the reason.

    What is not a plain file is not written to.
    """
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if target.exists() and not target.is_file():
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return
    _try(_aside(target))


def try_folder(target: Path) -> None:
    """Try whether a folder that may have to be made can be written to; raises OSError with the reason."""
    existing = target.absolute()
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    _try(_aside(existing / "folder"))


def _try(part: Path) -> None:
    try:
        part.write_bytes(b"\n")
    finally:
        with suppress(OSError):
            part.unlink()


def _aside(target: Path) -> Path:
    return target.absolute().with_name(f".{target.name}.{token_hex(4)}{PART}")


_LOCKED_BYTE = 2**30  # behind the text, so that a lock of Windows does not keep others from reading it

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL})


class FileLock:
    """A lock, held from when it is made until it is released, or nobody refers to it.

    It lies in a file and dies with its process, however that ends.  It is the operating system's (``flock``;
    on Windows a locked byte), so no lock is ever left over: the file may stay, and names the process that
    has, or had, the lock.  Another open file of the same process counts as another holder.  On a file system
    without locks (some network file systems) every process gets a lock that excludes nobody.

    path          its file
    is_exclusive  whether the file system has locks
    """

    def __init__(self, path: Path) -> None:
        """Lock the file; raises BlockingIOError if another has it, OSError."""
        self.path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            self.is_exclusive = _lock(descriptor)
            with suppress(OSError):  # a full disk
                os.ftruncate(descriptor, 0)
                os.write(descriptor, b"%d\n" % os.getpid())
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._close = finalize(self, os.close, descriptor)

    def release(self) -> None:
        """Release the lock, and empty its file."""
        if self._close.alive:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
        self._close()


def holder(path: Path) -> str:
    """Return the number of the process that has a lock, or died with it; "" if that is not known."""
    try:
        number = path.read_bytes()[:20].strip()
    except OSError:
        return ""
    return number.decode() if number.isdigit() else ""


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN, errno.EWOULDBLOCK):
            raise BlockingIOError(*error.args) from error
        if error.errno in _NO_LOCKS:
            return False
        raise
    return True
