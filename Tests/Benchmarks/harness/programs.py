"""Programs that are measured: how they are built, laid out, and driven turn by turn."""

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

from . import rows

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "Tests" / "Benchmarks"
RELEASE = ROOT / ".build" / "release"
PLUGINS = ROOT / ".build" / "plugins"
OUT = ROOT / ".build" / "bench"
SHIMS = ROOT / "Sources" / "CLinuxShims"
# The slowest row takes less than a second on a busy machine.
TURN_SECONDS = 30
END_SECONDS = 10
WORKER_USER = 61790  # Sources/HostEngine/SwiftRuntime.swift, WorkerIdentity.


class CannotRun(Exception):
    pass


def run(command, **options):
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=ROOT, **options)
    except subprocess.TimeoutExpired as error:
        raise CannotRun(f"no end after {options['timeout']:g} s of: {' '.join(words)}") from error
    if done.returncode != 0:
        raise CannotRun(f"status {done.returncode} from: {' '.join(words)}")
    return done


def build():
    for name in ["bahost", "bahost-worker", "run-bench", "queue-bench", "Episodes"]:
        run(["swift", "build", "-c", "release", "--product", name])
    OUT.mkdir(exist_ok=True)
    flags = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]
    # GCC does not know clang's words for pointers.
    own = ["-D_Nonnull=", "-D_Nullable=", f"-I{SHIMS / 'include'}", "-ISDK/include"]
    run(["gcc", *flags, *own, "-o", OUT / "floor", *sorted(HERE.glob("floor*.c")),
         *sorted(SHIMS.glob("*.c")), "-lseccomp"])
    run(["gcc", *flags, "-o", OUT / "time-program", HERE / "time-program.c"])
    for name in ["minimal", "packs"]:
        # The rules of SDK/template/plugin.mk.
        run(["gcc", *flags, "-fPIC", "-fvisibility=hidden", "-ISDK/include", "-shared",
             "-Wl,-z,defs", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack", "-o",
             OUT / f"{name}.so", HERE / f"{name}.c"])


def runtime():
    """The folder of the Swift runtime, which bahost shows to every worker."""
    compiler = shutil.which("swift")
    folder = pathlib.Path(compiler).resolve().parent.parent / "lib" / "swift" / "linux"
    return [folder] if (folder / "libswiftCore.so").exists() else []


class Place:
    """What one user's measurements need: copies of programs and plugins, a container."""

    def __init__(self, folder, user):
        self.folder = folder
        self.user = user
        folder.mkdir()
        self.programs = folder / "programs"
        self.programs.mkdir()
        for path in [RELEASE / "bahost", RELEASE / "bahost-worker", RELEASE / "run-bench",
                     PLUGINS / "libbahost-seal.so", OUT / "floor", OUT / "time-program"]:
            shutil.copy(path, self.programs)
        self.plugins = {}
        for row, path in [(rows.WARM, OUT / "minimal.so"), (rows.PACKS, OUT / "packs.so"),
                          (rows.SWIFT, RELEASE / "libEpisodes.so")]:
            (folder / row).mkdir()
            self.plugins[row] = folder / row / path.name
            shutil.copy(path, self.plugins[row])
        self.manifest = folder / "packs.json"
        self.manifest.write_text(json.dumps(packs()))
        self.container = folder / "container"
        for name in ["Downloads", "Library/Caches", "tmp"]:
            (self.container / name).mkdir(parents=True)
        self.give_all()

    def give_all(self):
        if os.getuid() != 0:
            return
        owner = WORKER_USER if self.user == 0 else self.user
        for path in [self.container, *self.container.rglob("*")]:
            os.chown(path, owner, owner)
        os.chown(self.folder, self.user, self.user)

    def commands(self):
        """By row; peers that are not there on every machine come from `peers`."""
        timed = self.programs / "time-program"
        bench = [self.programs / "run-bench", self.programs / "bahost-worker"]
        cold = [timed, self.programs / "bahost", "run", "--quiet", "--output",
                self.folder / "output", "--state", self.folder / "state"]
        c, swift, many = (self.plugins[row] for row in (rows.WARM, rows.SWIFT, rows.PACKS))
        return {
            rows.BWRAP: [timed, "bwrap", "--unshare-all", "--ro-bind", "/", "/", "/bin/true"],
            rows.WARM: [*bench, c, self.container],
            rows.FLOOR: [self.programs / "floor", c, self.container, *runtime()],
            rows.SWIFT: [*bench, swift, self.container],
            rows.PACKS: [*bench, many, self.container, f"packs={rows.PACK_COUNT}"],
            rows.COLD: [*cold, "--plugin", c],
            rows.COLD_PACKS: [*cold, "--plugin", many, "--event", "should-download", "--packs",
                              self.manifest],
        }

    def start(self, command):
        environment = dict(os.environ, BAHOST_WORKER=str(self.programs / "bahost-worker"))
        if os.getuid() != self.user:
            group = ["--regid", self.user, "--clear-groups"]
            command = ["setpriv", "--reuid", self.user, *group, *command]
            environment["HOME"] = str(self.folder)
        return Program(command, environment)


def packs():
    fields = {"downloadSize": 1048576, "downloadPolicy": {"onDemand": {}}}
    return {"assetPacks": [{"id": f"pack-{number}", "version": number, **fields}
                           for number in range(rows.PACK_COUNT)]}


class Program:
    """One that does its work once for each line that it reads, and says how long that took."""

    def __init__(self, command, environment, seconds=TURN_SECONDS):
        self.name = " ".join(map(str, command))
        self.seconds = seconds
        self.stages = []
        self.notes = []
        self.unread = b""
        # A file takes any number of complaints; a pipe that nobody reads would stop the program.
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, env=environment, cwd="/", bufsize=0, start_new_session=True)

    def turn(self):
        """The whole and the stages, in nanoseconds."""
        deadline = time.monotonic() + self.seconds
        try:
            self.process.stdin.write(b"\n")
        except BrokenPipeError:
            pass
        while (line := self.line(deadline)) is not None:
            word, _, rest = line.partition(" ")
            if word == "run":
                return [int(number) for number in rest.split()]
            if word == "stages":
                self.stages = rest.split()
            elif word in ("missing", "layers"):
                self.notes.append(rest.strip() if word == "layers" else f"without {rest.strip()}")
        raise CannotRun(f"{self.complaint() or 'it ended'} ({self.name})")

    def line(self, deadline):
        """The next line of its output, None at the end of it."""
        output = self.process.stdout.fileno()
        while b"\n" not in self.unread:
            left = max(0, deadline - time.monotonic())
            if not select.select([output], [], [], left)[0]:
                self.kill()
                raise CannotRun(f"no answer in {self.seconds:g} s ({self.name})")
            more = os.read(output, 1 << 16)
            if not more:
                return None
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode(errors="replace")

    def complaint(self):
        """The first line that it wrote to its standard error."""
        return os.pread(self.errors.fileno(), 4096, 0).decode(errors="replace").strip().partition(
            "\n")[0]

    def kill(self):
        """Ends it and what it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self):
        """Lets it end, or ends it."""
        self.process.stdin.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()
