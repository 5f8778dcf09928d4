"""Bytes fetched twice: the server's log against what was there after each kill."""

import re
from dataclasses import dataclass

from .workload import MIB

# What nginx writes for each request, when it is over.
LOG = "$msec $request_time $uri $status $body_bytes_sent $http_range"
STEP = 64 << 10
LINE = re.compile(r"([\d.]+) ([\d.]+) /(\S+) (\d+) (\d+) (?:bytes=(\d+)-|-)$")


@dataclass(frozen=True)
class Request:
    """One request for `name`: the bytes from `start` up to `end` were sent."""

    at: float
    name: str
    start: int
    end: int


def requests(log):
    """In the order in which they began; a line that is not understood is an error."""
    found = []
    for line in log.splitlines():
        match = LINE.match(line)
        if match is None:
            raise ValueError(f"not a line of the server's log: {line}")
        ended, took, name, status, sent, start = match.groups()
        # A refused range has a body of its own.
        start, sent = (int(start or 0), int(sent)) if status in ("200", "206") else (0, 0)
        if status == "200":
            start = 0
        found.append(Request(float(ended) - float(took), name, start, start + sent))
    return sorted(found, key=lambda request: request.at)


@dataclass(frozen=True)
class Run:
    """The host from its start to its kill; `received` is what was there then."""

    at: float
    killed: float
    received: dict


@dataclass
class Kill:
    """What one kill cost, and what it may: 1 MiB, or a second of the transfers that it cut."""

    cut: int = 0
    twice: int = 0
    sent_twice: int = 0
    second: int = 0

    @property
    def is_fair(self):
        return self.twice <= max(MIB, self.second)


def last_second(request, killed, rate):
    """Bytes of a request in the second before the kill.

    nginx gives a second's worth at once, and then keeps to the rate, in steps.
    """
    sent = request.end - request.start
    return sent if killed - request.at <= 1 else min(sent, rate + STEP)


def kills(runs, asked, rate):
    """One for each run but the last; and the bytes that were fetched twice without a kill.

    A request that follows another one for the same file, in a later run, is the answer to the kill
    that ended the earlier one. `twice` counts from what we had received, `sent_twice` from what the
    server had sent, some of which was still on its way.
    """
    found = [Kill() for _ in runs[:-1]]
    again, last = 0, {}
    for request in asked:
        place = max(0, sum(run.at <= request.at for run in runs) - 1)
        before = last.get(request.name)
        last[request.name] = (place, request)
        if before is None:
            continue
        earlier, old = before
        if earlier == place:
            again += max(0, old.end - request.start)
            continue
        kill = found[earlier]
        kill.cut += 1
        kill.twice += max(0, runs[earlier].received.get(request.name, 0) - request.start)
        kill.sent_twice += max(0, old.end - request.start)
        kill.second += last_second(old, runs[earlier].killed, rate)
    return found, again
