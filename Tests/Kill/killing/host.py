"""The program under test: started, killed, and what it leaves."""

import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass

from . import published

ENDED_SECONDS = 20
STOPPED_SECONDS = 60
UNFINISHED = ("created", "waiting", "downloading", "paused")


@dataclass(frozen=True)
class Row:
    """A download as the store has it."""

    name: str
    unique: str
    state: str


class Host:
    """`bahost run` of one plugin in one folder."""

    def __init__(self, binary, plugin, folder, manifest):
        self.folder = folder
        self.output, self.state = folder / "output", folder / "state"
        self.downloads, self.private = self.output / "Downloads", self.output / ".bahost"
        # The worker's command line names this folder: by that a process left over is found.
        self.worker = folder / "worker"
        self.worker.symlink_to(binary.parent / "bahost-worker")
        self.command = [
            str(word) for word in [
                binary, "run", "--quiet", "--plugin", plugin, "--manifest", manifest,
                "--allow-loopback", "--allow-domain", "127.0.0.1", "--output", self.output,
                "--state", self.state]]
        self.process = None

    def start(self):
        environment = dict(os.environ, BAHOST_WORKER=str(self.worker), HOME=str(self.folder))
        with open(self.folder / "said", "wb") as said:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env=environment, start_new_session=True)

    def said(self):
        return (self.folder / "said").read_text(errors="replace")[-2000:]

    def has_ended(self):
        return self.process.poll() is not None

    def kill(self):
        """Ends it and its process group; its status, negative when the signal ended it."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return self.process.wait()

    def is_alone(self):
        """Whether every process of a run is gone within the time for it."""
        end = time.monotonic() + ENDED_SECONDS
        while time.monotonic() < end:
            if not self.alive():
                return True
            time.sleep(0.005)
        return False

    def alive(self):
        marker = str(self.folder).encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes()
            except OSError:
                continue
            words = line.split(b"\0")
            if words[0].startswith(marker) or b"run" in words[1:2] and marker in line:
                found.append(int(path.parent.name))
        return found

    def stop(self):
        """Ends it as a user does; its status."""
        while not self.has_ended() and not self.hears_signals():
            time.sleep(0.001)
        if not self.has_ended():
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOPPED_SECONDS)

    def hears_signals(self):
        """Whether SIGINT is no longer the end of it at once."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return False
        masks = re.findall(r"^(?:SigBlk|SigCgt):\s*(\w+)$", status, re.MULTILINE)
        return any(int(mask, 16) >> signal.SIGINT - 1 & 1 for mask in masks)

    def rows(self):
        """The downloads that the store has."""
        return [Row(*row) for row in self.select(
            "downloads", "identifier, uniqueIdentifier, state")]

    def published(self):
        """The published files that the store has."""
        found = self.select(
            "publishedFiles",
            "identifier, path, inode, sizeBytes, modifiedNanoseconds, isPurging")
        return [published.Row(name, path, tuple(stamp), bool(is_purging))
                for name, path, *stamp, is_purging in found]

    def select(self, table, columns):
        """Rows read from a copy of the database: the original is not touched."""
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            for path in self.state.glob("downloads.sqlite*"):
                if not path.name.endswith("-shm"):
                    shutil.copy(path, copy)
            if not (pathlib.Path(copy) / "downloads.sqlite").exists():
                return []
            base = sqlite3.connect(f"{copy}/downloads.sqlite")
            try:
                if base.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise ValueError("the database is damaged")
                if not base.execute("SELECT 1 FROM pragma_table_info(?)", (table,)).fetchone():
                    return []
                return base.execute(f"SELECT {columns} FROM {table}").fetchall()
            finally:
                base.close()

    def received(self, rows):
        """By name, the bytes of unfinished downloads that are in the container.

        A file that has its name already is whole, while its row does not know it:
        it is in the second of the two.
        """
        partial, named = {}, {}
        for row in rows:
            path = self.private / f"{row.unique}.partial"
            if row.state in UNFINISHED and path.exists():
                partial[row.name] = path.stat().st_size
            elif row.state in UNFINISHED and (self.downloads / row.name).exists():
                named[row.name] = (self.downloads / row.name).stat().st_size
        return partial, named

    def left(self):
        """Files that no run may leave."""
        return [str(path.relative_to(self.folder)) for place in (self.private, self.output / "tmp")
                for path in place.rglob("*") if path != self.private / "state"] + [
                    path.name for path in self.state.iterdir()
                    if path.name.removeprefix("downloads.sqlite") not in ("", "-wal", "-shm")
                    and path.name not in ("ballast", "host.lock")]
