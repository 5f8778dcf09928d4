"""Facts of the machine that figures depend on."""

import datetime
import os
import pathlib
import re
import shutil
import subprocess

from . import peers


def facts():
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "kernel": re.match(r"[\d.]+", os.uname().release)[0],
        "architecture": os.uname().machine,
        "processor": processor(),
        "processors": os.cpu_count(),
        "isVirtual": "hypervisor" in read("/proc/cpuinfo"),
        "memoryMiB": int(re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))[1]) >> 10,
        "mounts": len(read("/proc/self/mounts").splitlines()),
        "system": system(),
        "loadBefore": round(os.getloadavg()[0], 2),
        "versions": versions(),
    }


def read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def processor():
    names = re.findall(r"^(?:model name|CPU part)\s*:\s*(.*)$", read("/proc/cpuinfo"), re.M)
    return names[0] if names else "unknown"


def system():
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"), re.M)
    return name[1] if name else "unknown"


def versions():
    found = {}
    for name in ["swift", "bwrap", "firejail", "curl", "aria2c", "wget2"]:
        if shutil.which(name) is None:
            continue
        done = subprocess.run([name, "--version"], capture_output=True, text=True)
        number = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
        if number:
            found[name] = number[0]
    found["extism"] = peers.EXTISM.partition("==")[2]
    return found
