"""A queue of downloads that wait: memory, start and the next pick, as it grows."""

import math
import tempfile

from . import figures, rows
from .programs import OUT, RELEASE, CannotRun, run

PICKS = 2_000
SECONDS = 900


def measure(turns, say):
    """By count: what each turn found."""
    found = {}
    for count in rows.QUEUE_COUNTS:
        with tempfile.TemporaryDirectory(prefix="queue-", dir=OUT) as folder:
            say(f"queue of {count:,}: filling")
            bench("fill", folder, count, rows.QUEUE_APPS)
            # The first turn does not count.
            runs = []
            for turn in range(turns + 1):
                say(f"queue of {count:,}: turn {turn} of {turns}")
                runs.append(values(bench("pick", folder, PICKS).splitlines()))
            found[count] = runs[1:]
    return found


def bench(*words):
    done = run([RELEASE / "queue-bench", *words], capture_output=True, text=True, timeout=SECONDS)
    return done.stdout


def values(lines):
    """What one line each says: `memory BYTES`, `start NANOSECONDS`, `picks NANOSECONDS...`."""
    said = {word: list(map(int, rest.split()))
            for word, _, rest in (line.partition(" ") for line in lines)}
    if sorted(said) != ["memory", "picks", "start"] or len(said["picks"]) != PICKS:
        raise CannotRun(f"queue-bench said {sorted(said)}")
    return {
        "memoryMiB": said["memory"][0] / (1 << 20),
        "startSeconds": said["start"][0] / 1e9,
        "pickMilliseconds": figures.quantile(said["picks"], 0.99) / 1e6,
        "meanPickMilliseconds": sum(said["picks"]) / len(said["picks"]) / 1e6,
    }


def result(found):
    values = {count: {name: figures.summary([run[name] for run in runs])
                      for name in rows.QUEUE_VALUES} for count, runs in found.items()}
    return {"values": values, "goals": goals(values)}


def goals(values):
    shortest, longest = min(values), max(values)
    found = [goal(f"{rows.QUEUE_VALUES[name][0]}, {longest:,}",
                  values[longest][name]["median"], most)
             for name, most in rows.QUEUE_GOALS.items()]
    for name in rows.QUEUE_GROWTH:
        for count in sorted(values)[1:]:
            ratio = values[count][name]["median"] / values[shortest][name]["median"]
            found.append(goal(f"{rows.QUEUE_VALUES[name][0]}: {count:,} ÷ {shortest:,}", ratio,
                              math.log10(count) / math.log10(shortest)))
    return found


def goal(name, value, most):
    return {"name": name, "value": value, "goal": most,
            "isReached": figures.is_reached(value, most)}
