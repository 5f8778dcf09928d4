"""The plugin that asks for everything in its manifest and keeps it."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent


def build(folder):
    """With the SDK's own rules."""
    plugin = folder / "keep_all.so"
    subprocess.run(
        ["cc", "-O2", "-std=gnu11", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
         f"-I{ROOT}/SDK/include", "-shared", "-Wl,-z,defs", "-Wl,-z,now", "-Wl,-z,noexecstack",
         "-o", plugin, HERE / "keep_all.c"], check=True)
    return plugin
