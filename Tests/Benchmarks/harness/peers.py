"""Peers that a machine may lack or refuse; then they are left out, and it is said why."""

import functools
import os
import shutil
import subprocess
import sys

from . import rows
from .programs import HERE, OUT

VENV = OUT / "extism"
EXTISM = "extism==1.1.1"


def commands(place):
    """By row: a command, or the reason why there is none."""
    return {rows.FIREJAIL: firejail(place), rows.EXTISM: extism()}


def firejail(place):
    if shutil.which("firejail") is None:
        return "firejail is not installed"
    command = [place.programs / "time-program", "firejail", "--quiet", "--noprofile", "--net=none",
               "--caps.drop=all", "--seccomp", "/bin/true"]
    # What it mounts for good stays in a namespace of its own.
    return ["unshare", "--mount", *command] if os.getuid() == 0 == place.user else command


@functools.cache
def extism():
    """Installed at the first call, and tried once only."""
    python = VENV / "bin" / "python"
    if not is_there(python):
        try:
            make(python)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{EXTISM} cannot be installed from PyPI: {error}"
    return [python, HERE / "extism_peer.py"]


def is_there(python):
    if not python.exists():
        return False
    return subprocess.run([python, "-c", "import extism"], capture_output=True).returncode == 0


def make(python):
    quiet = {"capture_output": True, "check": True, "timeout": 90}
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], **quiet)
    subprocess.run([python, "-m", "pip", "install", "--quiet", EXTISM], **quiet)
