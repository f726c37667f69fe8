"""Puts the native kernel into wheels and editable installations, wherever cargo can build it.

Where there is a kernel, a wheel is one of its platform, for every Python: the library is called by ctypes.
Where there is none, it is pure Python.  ``kernel/build.py`` says which, and what
``TEMPLCRAWL_BUILD_KERNEL`` decides.
"""

from __future__ import annotations

import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags


class KernelBuildHook(BuildHookInterface):
    """Builds the kernel where that can be done, and puts the library and its length into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what a wheel holds beside the package, and for which platform it is."""
        built = runpy.run_path(str(Path(self.root) / "kernel" / "build.py"))["build_as_asked"]()
        if version == "editable" or not built:  # the library lies in the checkout
            return
        for path in built:
            build_data["force_include"][str(path)] = f"templcrawl/_native/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"


def _platform() -> str:
    """Return the tag of this platform; of a Python for two processors, that of the one that runs it."""
    platform = sysconfig.get_platform()
    if platform.endswith("universal2"):
        return next(platform_tags())
    return platform.replace("-", "_").replace(".", "_")
