"""Files from an nginx on this machine, to a disk and to memory, against other downloaders."""

import hashlib
import os
import pathlib
import random
import resource
import shutil
import subprocess
import tempfile
import time

from . import nginx, rows
from .programs import OUT, PLUGINS, RELEASE, CannotRun, run

RUN_SECONDS = 300
MEMORY = pathlib.Path("/dev/shm")
# A GiB, and room for what a file system gives back late.
NEEDED_BYTES = 3 << 30


def places():
    """By name of the place: a folder that is measured in, or the reason why not."""
    found = {"disk": OUT, "memory": MEMORY}
    for name, folder in found.items():
        kind = file_system(folder)
        if name == "memory" and kind != "tmpfs":
            found[name] = f"{folder} is not in memory"
        elif name == "disk" and kind == "tmpfs":
            found[name] = "the checkout lies in memory"
        elif shutil.disk_usage(folder).free < NEEDED_BYTES:
            found[name] = f"less than {NEEDED_BYTES >> 30} GiB are free in {folder}"
    return found


def file_system(folder):
    done = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True)
    return done.stdout.strip()


def measure(turns, say):
    """For each work and place: seconds and processor seconds by row, and what was left out."""
    for name in ["curl", "openssl", "sha256sum"]:
        if shutil.which(name) is None:
            raise CannotRun(f"{name} is not installed")
    if nginx.program() is None:
        raise CannotRun("nginx is not installed")
    run(["make", "-s", "examples"])
    with tempfile.TemporaryDirectory(prefix="downloads-", dir=OUT) as name:
        folder = pathlib.Path(name)
        (folder / "www").mkdir()
        works = {rows.GIB: serve_big(folder / "www"), rows.MANY: serve_many(folder / "www")}
        with nginx.Server(folder, folder / "www") as server:
            return [measured(work, place, files, where, server.base, turns, say)
                    for work, files in works.items() for place, where in places().items()]


def serve_big(folder):
    """One file of zeros; its digest by its name."""
    with open(folder / "big", "wb") as file:
        file.truncate(rows.BIG_BYTES)
    zeros = hashlib.sha256()
    for _ in range(rows.BIG_BYTES >> 20):
        zeros.update(bytes(1 << 20))
    return {"big": (rows.BIG_BYTES, zeros.hexdigest())}


def serve_many(folder):
    choice = random.Random(0)
    files = {}
    for number in range(rows.MANY_COUNT):
        data = choice.randbytes(rows.MANY_BYTES)
        (folder / f"file-{number:04}").write_bytes(data)
        files[f"file-{number:04}"] = (len(data), hashlib.sha256(data).hexdigest())
    return files


def measured(work, place, files, where, base, turns, say):
    section = {"work": work, "place": place, "taken": {}, "leftOut": {}}
    if isinstance(where, str):
        return section | {"leftOut": {row: where for row in rows.DOWNLOADS[work]}}
    with tempfile.TemporaryDirectory(prefix="bahost-downloads-", dir=where) as name:
        folder = pathlib.Path(name)
        # The plugin runs as somebody else.
        folder.chmod(0o755)
        commands = {rows.GIB: big_commands, rows.MANY: many_commands}[work](folder, files, base)
        for row, program in rows.DOWNLOAD_PROGRAMS.items():
            if row in commands and shutil.which(program) is None:
                section["leftOut"][row] = f"{program} is not installed"
                del commands[row]
        section["taken"] = take_turns(
            commands, turns, lambda line: say(f"{work}, {place}: {line}"), timed,
            lambda: clear(folder), section["leftOut"])
    return section


def take_turns(commands, turns, say, timed, clear, left_out):
    """By row, what was timed. The first turn does not count; each begins with another row.

    A downloader that a machine may lack and that fails is left out.
    """
    taken = {row: [] for row in commands}
    names = list(commands)
    for turn in range(-1, turns):
        say(f"turn {turn + 1} of {turns}")
        first = turn % len(names)
        for row in names[first:] + names[:first]:
            if row not in taken:
                continue
            try:
                times = timed(commands[row])
            except CannotRun as error:
                if row not in rows.DOWNLOAD_PROGRAMS:
                    raise
                left_out[row] = str(error)
                del taken[row]
            else:
                if turn >= 0:
                    taken[row].append(times)
            clear()
    return taken


def ours(folder, files, base):
    manifest = folder / "manifest"
    manifest.write_text("".join(f"{name} {size} {digest} {base}/{name}\n"
                                for name, (size, digest) in files.items()))
    return [RELEASE / "bahost", "run", "--quiet", "--plugin", PLUGINS / "HelloDownload.so",
            "--manifest", manifest, "--allow-loopback", "--allow-domain", "127.0.0.1",
            "--output", folder / "output", "--state", folder / "state"]


# Nothing is allocated ahead: that is the fastest of its ways.
ARIA2C = ["aria2c", "--quiet", "--no-conf", "--file-allocation=none", "--allow-overwrite=true"]
WGET2 = ["wget2", "--quiet", "--no-config", "--no-robots", "--no-hsts"]


def big_commands(folder, files, base):
    url, got = f"{base}/big", folder / "got" / "big"
    digest = files["big"][1]
    curl = f"curl --silent --show-error --max-time {RUN_SECONDS} --create-dirs --output {got} {url}"
    return {
        rows.RUN_GIB: ours(folder, files, base),
        rows.CURL_SUM_GIB: ["sh", "-c", f"{curl} && sha256sum {got}"],
        # Debian's sha256sum does without the processor's instructions for it; this one does not.
        rows.CURL_OPENSSL_GIB: ["sh", "-c", f"{curl} && openssl dgst -sha256 {got}"],
        rows.CURL_GIB: ["sh", "-c", curl],
        rows.ARIA2C_GIB: [*ARIA2C, f"--checksum=sha-256={digest}", f"--dir={got.parent}", url],
        rows.WGET2_GIB: [*WGET2, f"--directory-prefix={got.parent}", url],
    }


def many_commands(folder, files, base):
    got = folder / "got"
    urls, configuration, inputs = (folder / name for name in ["urls", "curl.conf", "aria2.list"])
    urls.write_text("".join(f"{base}/{name}\n" for name in files))
    configuration.write_text("".join(f"url={base}/{name}\noutput={got}/{name}\n"
                                     for name in files))
    inputs.write_text("".join(f"{base}/{name}\n  checksum=sha-256={digest}\n"
                              for name, (_, digest) in files.items()))
    return {
        rows.RUN_MANY: ours(folder, files, base),
        rows.CURL_MANY: ["curl", "--no-progress-meter", "--parallel", "--create-dirs", "--config",
                         configuration],
        rows.ARIA2C_MANY: [*ARIA2C, "--max-concurrent-downloads=16", f"--dir={got}",
                           f"--input-file={inputs}"],
        rows.WGET2_MANY: [*WGET2, f"--directory-prefix={got}", f"--input-file={urls}"],
    }


def timed(command):
    """Seconds, and the processor's seconds of the command and of all that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    run(command, stdout=subprocess.DEVNULL, timeout=RUN_SECONDS)
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def clear(folder):
    for name in ["got", "output", "state"]:
        shutil.rmtree(folder / name, ignore_errors=True)
    # What one turn leaves to be written is not the next one's.
    os.sync()
