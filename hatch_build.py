"""A wheel for one platform, with the native kernel in it, where TEMPLCRAWL_BUILD_KERNEL=1 asks for one.

Without that variable the wheel is pure Python, and needs nothing but Python to be built.
"""

from __future__ import annotations

import os
import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelBuildHook(BuildHookInterface):
    """Builds the kernel with cargo, and puts its library and digests into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what a wheel holds beside the package, and for which platform it is."""
        if version == "editable" or os.environ.get("TEMPLCRAWL_BUILD_KERNEL") != "1":
            return
        built = runpy.run_path(str(Path(self.root) / "kernel" / "build.py"))["build"]()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        for path in built:
            build_data["force_include"][str(path)] = f"templcrawl/_native/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
