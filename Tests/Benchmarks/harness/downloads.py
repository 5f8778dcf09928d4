"""One file of 1 GiB from an nginx on this machine, against curl. Only shown, without goals."""

import hashlib
import os
import shutil
import socket
import subprocess
import time

from . import rows
from .programs import OUT, PLUGINS, RELEASE, CannotRun, run

BYTES = 1 << 30
NEEDED_BYTES = 4 << 30
RUN_SECONDS = 120


def measure(folder, turns, say):
    """Seconds by row, one for each turn; or the reason why there are none."""
    for name in ["curl", "openssl", "sha256sum"]:
        if shutil.which(name) is None:
            return f"{name} is not installed"
    if nginx() is None:
        return "nginx is not installed"
    if shutil.disk_usage(OUT).free < NEEDED_BYTES:
        return "less than 4 GiB are free beside .build"
    run(["make", "-s", "examples"])
    place = folder / "downloads"
    place.mkdir()
    with Server(place) as port:
        commands = orders(place, port)
        return take_turns(commands, turns, say, timed, lambda: clear(place))


def take_turns(commands, turns, say, timed, clear):
    """By row, a list of seconds. The first turn does not count; each begins with another row."""
    taken = {row: [] for row in commands}
    names = list(commands)
    for turn in range(-1, turns):
        say(f"1 GiB: turn {turn + 1} of {turns}")
        first = turn % len(names)
        for row in names[first:] + names[:first]:
            seconds = timed(commands[row])
            clear()
            if turn >= 0:
                taken[row].append(seconds)
    return taken


def orders(place, port):
    url = f"http://127.0.0.1:{port}/big"
    zeros = hashlib.sha256()
    for _ in range(BYTES >> 20):
        zeros.update(bytes(1 << 20))
    manifest = place / "manifest"
    manifest.write_text(f"big {BYTES} {zeros.hexdigest()} {url}\n")
    curl = f"curl --silent --show-error --max-time {RUN_SECONDS} --output {place}/got {url}"
    return {
        rows.RUN_GIB: [
            RELEASE / "bahost", "run", "--quiet", "--plugin", PLUGINS / "HelloDownload.so",
            "--manifest", manifest, "--allow-loopback", "--allow-domain", "127.0.0.1",
            "--output", place / "output", "--state", place / "state"],
        rows.CURL_SUM_GIB: ["sh", "-c", f"{curl} && sha256sum {place}/got"],
        # Debian's sha256sum does without the processor's instructions for it; this one does not.
        rows.CURL_OPENSSL_GIB: ["sh", "-c", f"{curl} && openssl dgst -sha256 {place}/got"],
        rows.CURL_GIB: ["sh", "-c", curl],
    }


def timed(command):
    begin = time.perf_counter()
    run(command, stdout=subprocess.DEVNULL, timeout=RUN_SECONDS)
    return time.perf_counter() - begin


def clear(place):
    (place / "got").unlink(missing_ok=True)
    for name in ["output", "state"]:
        shutil.rmtree(place / name, ignore_errors=True)
    # What one turn leaves to be written is not the next one's.
    os.sync()


def nginx():
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")


class Server:
    """nginx with a file of zeros."""

    def __init__(self, place):
        self.place = place
        with open(place / "big", "wb") as file:
            file.truncate(BYTES)

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        configuration = self.place / "nginx.conf"
        configuration.write_text(self.text(port))
        self.process = subprocess.Popen(
            [nginx(), "-p", self.place, "-e", self.place / "error.log", "-c", configuration])
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return port
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.__exit__()
        raise CannotRun(f"nginx does not start: see {self.place}/error.log")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def text(self, port):
        paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        temporary = "".join(f"{name}_temp_path {self.place}/tmp;" for name in paths)
        user = "user root root;" if os.getuid() == 0 else ""
        return (f"daemon off; {user} worker_processes 1; pid {self.place}/nginx.pid;"
                f"error_log {self.place}/error.log; events {{}}"
                f"http {{ access_log off; sendfile on; {temporary}"
                f"server {{ listen 127.0.0.1:{port}; root {self.place}; }} }}\n")
