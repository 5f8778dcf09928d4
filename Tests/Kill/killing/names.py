"""Waiting for a file to get its name in a folder."""

import ctypes
import os
import select

MOVED_TO = 0x80  # IN_MOVED_TO, inotify(7)


class Names:
    """Wakes at once when something is renamed into `folder`: asking again and again is too slow."""

    def __init__(self, folder):
        library = ctypes.CDLL(None, use_errno=True)
        self.watch = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.watch < 0 or library.inotify_add_watch(
                self.watch, os.fsencode(folder), MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.watch)

    def wait(self, seconds):
        """Whether one was within that time."""
        return bool(select.select([self.watch], [], [], max(0, seconds))[0])
