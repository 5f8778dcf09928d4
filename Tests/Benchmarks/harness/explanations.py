"""Why a goal is missed: said only of those that are, with the figures of this result."""

from . import rows


def explanations(result):
    lines = []
    for (row, peer), explain in EXPLAINED.items():
        missed = [user for user in result["users"] if is_missed(user, row, peer)]
        if missed:
            lines += [f"**{rows.ROWS[row]} ÷ {rows.ROWS[peer]}.** As {missed[0]['user']}:"
                      f" {explain(missed[0])}", ""]
    if not all(user["packMicroseconds"]["isReached"] for user in result["users"]):
        lines += ["**`should_download`.** Packs go to the worker in batches, each a frame there and"
                  " one back; the rest is the plugin's call and its arguments.", ""]
    for section in result["downloads"]:
        for ratio in section["ratios"]:
            if ratio["isReached"] is False:
                lines += [download(section, ratio), ""]
    return lines


def download(section, ratio):
    """One missed goal of one place."""
    ours, peer = ratio["row"], ratio["peer"]
    seconds = {row: section["seconds"][row]["median"] for row in (ours, peer)}
    busy = {row: section["processorSeconds"][row]["median"] for row in (ours, peer)}
    head = (f"**{section['work']}, {section['place']} ÷ {rows.DOWNLOADS[section['work']][peer]}.**"
            f" {seconds[ours]:.2f} s and {seconds[peer]:.2f} s, with {busy[ours]:.2f} s and"
            f" {busy[peer]:.2f} s of processors.")
    synced = (
        " When ours ends, bytes, names and rows are on the disk; the other's are in the kernel's"
        " memory." if section["place"] == "disk" else "")
    if section["work"] == rows.MANY:
        each = seconds[ours] / rows.MANY_COUNT * 1e3
        return (
            f"{head}{synced} Ours takes {each:.2f} ms for each file: two calls between host and"
            " plugin, in a process of its own, a log line, the judging of the address, four"
            " changes of its row, a hash, a name that is synced before it is told of. No part of"
            " that is the largest; it is done by one thread of the host, with four connections.")
    return (
        f"{head}{synced} In ours are also: a SHA-256 of what was written, read back on another"
        " thread; the start of the host, of a launcher and of two workers; the plugin's two calls;"
        " the rows.")


def is_missed(user, row, peer):
    found = ratio(user, row, peer)
    return found is not None and found["isReached"] is False


def ratio(user, row, peer):
    """None when one of them was left out."""
    return next((found for found in user["ratios"]
                 if (found["row"], found["peer"]) == (row, peer)), None)


def median(user, row):
    return user["milliseconds"][row]["median"]


def warm_bwrap(user):
    share, goal = ratio(user, rows.FLOOR, rows.BWRAP)["median"], GOALS[rows.WARM, rows.BWRAP]
    floor = (
        "does not reach the goal either" if share > goal
        else "does reach the goal: what is over it is what bahost does besides")
    return (
        f"bwrap takes {median(user, rows.BWRAP):.2f} ms, the floor {median(user, rows.FLOOR):.2f}"
        f" ms, bahost {median(user, rows.WARM):.2f} ms. The floor, turn by turn"
        f" {share:.2f} of bwrap, is a program in C that does little but set the same layers; it"
        f" {floor}. What a layer costs"
        " the kernel is paid in each run: translating the system call filter, copying the mount"
        " namespace and mounting its own `/proc` and `/tmp`, the page faults of a forked process,"
        " and taking all of that down at the end. bwrap sets no filter and no Landlock, but starts"
        " a program.")


def warm_floor(user):
    stages = user["stages"][rows.WARM]
    largest = sorted(stages, key=stages.get, reverse=True)[:2]
    more = median(user, rows.WARM) - median(user, rows.FLOOR)
    return (
        f"{more:.2f} ms more than the floor. The largest stages are `{largest[0]}`"
        f" ({stages[largest[0]]:.2f} ms) and `{largest[1]}` ({stages[largest[1]]:.2f} ms). What the"
        " floor does not do: it reads no file before it loads it, measures no memory, and talks"
        " less often to its host; each message is a wake-up on both sides.")


def cold_bwrap(user):
    cold, warm = median(user, rows.COLD), median(user, rows.WARM)
    return (
        f"{cold:.2f} ms, where a warm run takes {warm:.2f} ms: {cold - warm:.2f} ms are paid once"
        " for a process of the host. In that time, one after the other: the host's program starts"
        " and is relocated, with a static Swift runtime and Foundation in it; the launcher starts,"
        " with its own relocation, the audit library's namespace in the loader, building the system"
        " call filter with libseccomp, the rehearsal, seals and fence; and what was made for the"
        " run is taken back. A host that runs many plugins pays this once: then a run is the warm"
        " row.")


def swift_warm(user):
    swift, c = user["stages"][rows.SWIFT], user["stages"][rows.WARM]
    return (
        f"The call itself takes {swift['call']:.2f} ms and the end {swift['end']:.2f} ms, in C"
        f" {c['call']:.2f} ms and {c['end']:.2f} ms. The plugin uses Foundation for the first time"
        " in its process, and what a library makes at first use is made anew in each worker; memory"
        " that was touched has to be given back.")


GOALS = {(wanted.row, wanted.peer): wanted.most for wanted in rows.RATIOS}
EXPLAINED = {
    (rows.WARM, rows.BWRAP): warm_bwrap,
    (rows.WARM, rows.FLOOR): warm_floor,
    (rows.COLD, rows.BWRAP): cold_bwrap,
    (rows.SWIFT, rows.WARM): swift_warm,
}
