"""Bytes fetched twice: the server's log against what was there after each kill."""

import re
from dataclasses import dataclass

from .workload import MIB

# What nginx writes for each request, when it is over.
LOG = "$msec $request_time $uri $status $body_bytes_sent $http_range"
STEP = 64 << 10
# What the server has sent on one connection, and nobody has read yet: both ends' socket buffers.
BUFFER = MIB
LINE = re.compile(r"([\d.]+) ([\d.]+) /(\S+) (\d+) (\d+) (?:bytes=(\d+)-|-)$")


@dataclass(frozen=True)
class Request:
    """One request for `name`: the bytes from `start` up to `end` were sent, from `at` to `ended`."""

    at: float
    name: str
    start: int
    end: int
    ended: float


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
        ended = float(ended)
        found.append(Request(ended - float(took), name, start, start + sent, ended))
    return sorted(found, key=lambda request: request.at)


@dataclass(frozen=True)
class Run:
    """The host from its start to its kill, or to its stop; `received` is what was there then."""

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
        return (self.twice <= self.allowed
                and self.sent_twice <= self.allowed + self.cut * BUFFER)

    @property
    def allowed(self):
        return max(MIB, self.second)


def last_second(request, killed, rate):
    """Bytes of a request in the second before the kill.

    nginx gives a second's worth at once, and then keeps to the rate, in steps. A file that was whole
    before that second has none in it, however long it waited for its name.
    """
    if request.ended < killed - 1:
        return 0
    sent = request.end - request.start
    return sent if killed - request.at <= 1 else min(sent, rate + STEP)


def kills(runs, asked, rate):
    """One for each run but the last, stopped ones too; and bytes fetched twice without a kill.

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


def faults(found, again, while_publishing, hits):
    """What is wrong with the costs of these kills, or with the proof: kills that hit nothing.

    `again` is the bytes fetched twice without a kill, `while_publishing` the number of kills that
    fell between a file's name and its row, `hits` how many of these are wanted.
    """
    wrong = [f"the end of run {number} cost {kill.twice} bytes that we had and"
             f" {kill.sent_twice} that were sent, on {kill.cut} transfers, of which"
             f" {kill.second} came in the last second"
             for number, kill in enumerate(found, 1) if not kill.is_fair]
    if again > 0:
        wrong.append(f"{again} bytes were asked for twice without a kill")
    if not any(kill.cut for kill in found):
        wrong.append("no kill cut a transfer")
    if while_publishing < hits:
        wrong.append(f"only {while_publishing} kills fell between a file's name and its row")
    return wrong
