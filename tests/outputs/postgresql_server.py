"""A PostgreSQL server of a test's own, on a socket, that can be stopped and started."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
OWNER = "postgres"
"""Who runs it where a test runs as root, as which it does not run."""


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest; None without one."""
    found = sorted(path for place in PLACES for path in Path("/").glob(place[1:]))
    on_path = shutil.which("initdb")
    return found[-1] if found else (Path(on_path).parent if on_path else None)


class PostgresqlServer:
    """A server with an empty database, and its URL."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(mkdtemp(prefix="pg-"))
        is_root = os.geteuid() == 0
        self._as_owner = ["runuser", "-u", OWNER, "--"] if is_root else []
        if is_root:
            shutil.chown(self._folder, OWNER)
        user = OWNER if is_root else getpass.getuser()
        self.url = f"postgresql://{user}@/postgres?host={self._folder}"
        self._run("initdb", "-D", "data", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        self.start()

    def query(self, sql: str, url: str = "") -> list[Any]:
        """Return the rows of a query, in this database or in another one of the server."""
        import psycopg

        with psycopg.connect(url or self.url, autocommit=True, client_encoding="utf8") as connection:
            cursor = connection.execute(sql)  # type: ignore[call-overload, unused-ignore]
            rows = cursor.fetchall() if cursor.description else []
        return [row[0] if len(row) == 1 else row for row in rows]

    def _run(self, program: str, *arguments: str, codes: Sequence[int] = (0,)) -> None:
        command = [*self._as_owner, str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode in codes, done.stderr

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off"
        self._run("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop: ``immediate`` as if it was killed."""
        self._run("pg_ctl", "-D", "data", "-w", "-m", mode, "stop", codes=(0, 1))

    def start_again(self) -> None:
        """Start unless it runs."""
        command = [
            *self._as_owner,
            str(self._programs / "pg_ctl"),
            "-D",
            str(self._folder / "data"),
            "status",
        ]
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
            self.start()

    def _signal(self, number: int) -> None:
        """Send a signal to each of its processes, the one that they are of last."""
        parent = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for process in (*map(int, children), parent):
            os.kill(process, number)

    def freeze(self) -> None:
        """Let it answer nothing, while its connections stand and new ones are taken."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it answer again, what came meanwhile too."""
        self._signal(signal.SIGCONT)

    def remove(self) -> None:
        """Stop, and remove its files."""
        self.stop()
        shutil.rmtree(self._folder)
