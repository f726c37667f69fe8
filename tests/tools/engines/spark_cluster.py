"""A standalone cluster of Spark on this machine: a master and workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

_STARTED = 60.0


def free_port() -> int:
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        port: int = end.getsockname()[1]
        return port


class SparkCluster:
    """A cluster; leaving the context ends it.

    master   its address
    workers  their processes
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        self._folder = folder
        self._program = str(Path(spec.origin).parent / "bin" / "spark-class")
        self._environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        port = free_port()
        self.master = f"spark://127.0.0.1:{port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        self._wait("master.log", "I have been elected leader")
        self.workers = [self._start_worker(number) for number in range(workers)]
        for number in range(workers):
            self._wait(f"worker{number}.log", "Successfully registered with master")

    def __enter__(self) -> SparkCluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            _kill(process)

    def _start(self, name: str, *arguments: str, log: str = "") -> subprocess.Popen[bytes]:
        command = [self._program, f"org.apache.spark.deploy.{name.lower()}.{name}", *arguments]
        with (self._folder / (log or f"{name.lower()}.log")).open("wb") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=file, env=self._environment, start_new_session=True
            )
        self._processes.append(process)
        return process

    def _start_worker(self, number: int) -> subprocess.Popen[bytes]:
        work = self._folder / f"work{number}"
        sizes = ("--cores", "1", "--memory", "1g", "--work-dir", str(work))
        places = ("--host", "127.0.0.1", "--webui-port", "0", self.master)
        return self._start("Worker", *sizes, *places, log=f"worker{number}.log")

    def _wait(self, log: str, words: str) -> None:
        """Wait until a process says something."""
        end = time.monotonic() + _STARTED
        while words not in (self._folder / log).read_text(errors="replace"):
            assert time.monotonic() < end, (self._folder / log).read_text(errors="replace")
            time.sleep(0.2)

    def kill_worker(self, number: int) -> None:
        """Kill a worker and its executors, as if the machine went down."""
        of_worker = str(self._folder / f"work{number}")
        _kill(self.workers[number])
        for path in Path("/proc").glob("[0-9]*"):
            if _works_in(path, of_worker):
                os.kill(int(path.name), signal.SIGKILL)


def _works_in(process: Path, folder: str) -> bool:
    try:
        return str((process / "cwd").readlink()).startswith(folder)
    except OSError:
        return False


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
