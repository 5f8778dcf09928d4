"""Why a goal is missed: said only of those that are, with the figures of this result."""

from . import rows


def explanations(result):
    lines = []
    for (row, peer), explain in EXPLAINED.items():
        missed = [user for user in result["users"]
                  if any((ratio["row"], ratio["peer"]) == (row, peer) and not ratio["isReached"]
                         for ratio in user["ratios"])]
        if missed:
            lines += [f"**{rows.ROWS[row]} ÷ {rows.ROWS[peer]}.** {explain(missed[0])}", ""]
    if not all(user["packMicroseconds"]["isReached"] for user in result["users"]):
        lines += ["**`should_download`.** Each batch of 256 packs is a frame to the worker and one"
                  " back; the rest is the plugin's call and its arguments.", ""]
    return lines


def milliseconds(user, row):
    return f"{user['milliseconds'][row]['median']:.2f} ms"


def ratio(user, row, peer):
    return next(f"{found['median']:.2f}" for found in user["ratios"]
                if (found["row"], found["peer"]) == (row, peer))


def warm_bwrap(user):
    return (
        f"The floor alone is {ratio(user, rows.FLOOR, rows.BWRAP)} of it: a program that does"
        " nothing but set these layers, in C and without a word to spare, does not reach the goal"
        " either. Of the floor's time a good half is the kernel's, and is the price of single"
        " layers: translating the system call filter, which every worker has to do anew, copying"
        " the mount namespace and mounting its own `/proc` and `/tmp`, the page faults of a forked"
        " process, and taking all of that down at the end. bwrap sets no filter and no Landlock,"
        " but starts a program and waits for four namespaces; it is less slow than the goal"
        " supposed.")


def warm_floor(user):
    stages = user["stages"][rows.WARM]
    largest = sorted(stages, key=stages.get, reverse=True)[:2]
    return (
        f"Most goes to {largest[0]} ({stages[largest[0]]:.2f} ms) and {largest[1]}"
        f" ({stages[largest[1]]:.2f} ms). What the floor does not do: it reads no file before it"
        " loads it, measures no memory (`/proc/self/status` is read four times in a run, each time"
        " about 30 µs), and talks to its host once where bahost does four times, each of them a"
        " wake-up on both sides.")


def cold_bwrap(user):
    return (
        f"{milliseconds(user, rows.COLD)} are one after the other. About a fifth: the host's program"
        " starts, most of it the relocation of a program with a static Swift runtime and Foundation"
        " in it. About two fifths: the launcher starts, with its own relocation, the audit library's"
        " namespace in the loader, building the system call filter with libseccomp, the rehearsal,"
        " seals and fence. The rest: the only worker runs, on cold caches, and what was made for the"
        " run is taken back. The host opens its state while the launcher starts. A host that runs"
        " many plugins pays this once: then a run is the warm row.")


def swift_warm(user):
    stages = user["stages"][rows.SWIFT]
    return (
        f"The call itself takes {stages['call']:.2f} ms and the end {stages['end']:.2f} ms: the"
        " plugin uses Foundation for the first time in its process, and what a library makes at"
        " first use is made anew in each worker; more memory was touched and has to be given back.")


EXPLAINED = {
    (rows.WARM, rows.BWRAP): warm_bwrap,
    (rows.WARM, rows.FLOOR): warm_floor,
    (rows.COLD, rows.BWRAP): cold_bwrap,
    (rows.SWIFT, rows.WARM): swift_warm,
}
