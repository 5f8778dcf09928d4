"""Rows of published files held against the files themselves."""

import collections
import pathlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A published file as the store has it."""

    name: str
    path: str
    stamp: tuple
    is_purging: bool


def stamp(status):
    return status.st_ino, status.st_size, status.st_mtime_ns


def files(container):
    """By path in the container, the stamps of what a plugin can reach."""
    return {str(path.relative_to(container)): stamp(path.lstat())
            for place in ("Downloads", "Library") for path in (container / place).rglob("*")
            if not path.is_dir()}


def faults(rows, found, states, is_settled):
    """What rows and files say differently.

    `found` is what ``files`` has found, `states` says what each download's row says. A file that has
    its name is without a row until its host, or the next one, has stored that: no longer once a host
    that was not killed has come to its end (`is_settled`).
    """
    rows_by_stamp = collections.Counter(row.stamp for row in rows)
    stamps = set(found.values())
    wrong = [f"the row of {row.name} has no file" for row in rows if row.stamp not in stamps]
    wrong += [f"{row.name} is still being taken back" for row in rows if row.is_purging]
    for path, stamped in found.items():
        count, state = rows_by_stamp[stamped], states.get(pathlib.PurePath(path).name)
        if count > 1:
            wrong.append(f"{path} has {count} rows")
        if count == 0 and (is_settled or state not in ("waiting", "downloading")):
            wrong.append(f"{path} has no row, and its download is {state}")
    return wrong


def lost(found, states):
    """Downloads that are finished, and whose files are nowhere."""
    names = {pathlib.PurePath(path).name for path in found}
    return [f"{name} is finished and nowhere" for name, state in states.items()
            if state == "finished" and name not in names]
