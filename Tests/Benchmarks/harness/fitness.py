"""Whether a machine and a number of turns are fit for the page that people read."""

import os
import time

from .measuring import PAGE_TURNS

QUIET_LOAD = 0.5
PAGE_LOAD = 1.5
WAIT_SECONDS = 120


def load():
    return os.getloadavg()[0]


def wait_for_quiet(say, load=load, sleep=time.sleep, seconds=WAIT_SECONDS):
    """Until the load of the build before is gone, or for so many seconds."""
    if load() > QUIET_LOAD:
        say(f"waiting for a load of {QUIET_LOAD:g}, {seconds} s at most")
    for _ in range(seconds // 2):
        if load() <= QUIET_LOAD:
            return
        sleep(2)


def too_few(turns):
    """Why there can be no page of so many turns; empty when there can."""
    return [f"{turns} turns are fewer than {PAGE_TURNS}"] if turns < PAGE_TURNS else []


def too_busy(load):
    """Why there can be no page at this load; empty when there can."""
    return [f"the load is {load:.2f}, over {PAGE_LOAD:g}"] if load > PAGE_LOAD else []
