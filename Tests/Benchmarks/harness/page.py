"""The result as docs/performance.md."""

from . import rows
from .explanations import explanations

HEAD = """# Performance

`make bench` wrote this page: [how it measures](../Tests/Benchmarks/README.md). Figures belong to
the machine that is named below; ratios carry over, milliseconds do not.
"""

MEANINGS = {
    "ask": "the host opens the channels and asks the launcher",
    "fork": "the launcher wakes up, makes a PID namespace and forks; the host hears of it",
    "close-in": "the worker closes itself in, reads the plugin's file and measures itself",
    "load": "libraries, fence, the plugin",
    "call": "`bahost_install`, there and back",
    "end": "the worker ends, the kernel takes its memory and namespaces down, the launcher reaps"
    " it",
}


def text(result):
    lines = [HEAD, *machine(result), *goals(result), *missed(result), *shown(result),
             *times(result), *stages(result), *downloads(result), *queue(result), *absent(result),
             *later()]
    return "\n".join(lines) + "\n"


def table(head, *body):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(row) + " |" for row in body), ""]


def machine(result):
    facts = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    kind = "virtual machine" if facts["isVirtual"] else "machine"
    turns = " and ".join(f"{user['turns']} turns as {user['user']}" for user in result["users"])
    unfit = [f"**Not fit to be quoted**: {', and '.join(result['unfit'])}.", ""]
    return [
        *(unfit if result["unfit"] else []),
        f"Measured on {facts['date']}, {turns}, load {facts['loadBefore']} before"
        f" and {facts['loadAfter']} after. A {kind} with {facts['processors']} processors"
        f" ({facts['processor']}, {facts['architecture']}), {facts['memoryMiB']} MiB,"
        f" {facts['system']}, Linux {facts['kernel']}, {facts['mounts']} mounts. {versions}.", "",
        "A value is a median, with the quartiles in brackets. A ratio is taken turn by turn, and"
        " then its median.", ""]


def bracketed(value, digits=2):
    low, high = value["lowerQuartile"], value["upperQuartile"]
    return f"{value['median']:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def cell(value):
    return bracketed(value) if value else ""


def ratios(result, has_goal):
    """Pairs of row and peer, each with its values by user, None where it was left out."""
    found = {}
    for place, user in enumerate(result["users"]):
        for ratio in user["ratios"]:
            if (ratio["goal"] is not None) == has_goal:
                values = found.setdefault((ratio["row"], ratio["peer"]),
                                          [None] * len(result["users"]))
                values[place] = ratio
    return found


def who(result):
    return [f"as {user['user']}" for user in result["users"]]


def verdict(values):
    reached = [value["isReached"] for value in values]
    return "yes" if all(reached) else "**no**" if not any(reached) else "**not by all**"


def goals(result):
    body = []
    for (row, peer), values in ratios(result, True).items():
        body.append([rows.ROWS[row], f"÷ {rows.ROWS[peer]}", *map(bracketed, values),
                     f"≤ {values[0]['goal']:g}", verdict(values)])
    packs = [user["packMicroseconds"] for user in result["users"]]
    body.append([f"`should_download`, {rows.PACK_COUNT:,} packs", "µs a pack",
                 *map(bracketed, packs), f"≤ {packs[0]['goal']:g}", verdict(packs)])
    return ["## Goals", "",
            *table(["work", "measured as", *who(result), "goal", "reached"], *body),
            "What the peers do not do:", "",
            *(f"- {peer}: {what}." for peer, what in rows.NOT_DONE.items()
              if peer in rows.ROWS), "",
            "The promise about memory is held by tests, not measured here: [threat"
            " model](threat-model.md#the-memory-limit).", ""]


def missed(result):
    lines = explanations(result)
    return ["## Goals that are missed, and where the time goes", "", *lines] if lines else []


def shown(result):
    body = [[rows.ROWS[row], rows.ROWS[peer], *map(cell, values)]
            for (row, peer), values in ratios(result, False).items()]
    return ["## Other peers", "",
            "No goals. Where a user's column is empty, see [left out](#left-out).", "",
            *table(["work", "divided by", *who(result)], *body)]


def times(result):
    body = []
    for row, name in rows.ROWS.items():
        values = [user["milliseconds"].get(row) for user in result["users"]]
        if any(values):
            body.append([name, *map(cell, values)])
    return ["## Milliseconds", "", *table(["work", *who(result)], *body)]


def stages(result):
    names = list(result["users"][0]["stages"][rows.WARM])
    columns = [(row, user) for row in (rows.WARM, rows.SWIFT) for user in result["users"]]
    body = [[f"`{name}`", MEANINGS[name],
             *(f"{user['stages'][row][name]:.2f}" for row, user in columns)] for name in names]
    heads = [f"{'C' if row == rows.WARM else 'Swift'}, {user['user']}" for row, user in columns]
    return ["## Stages of a warm run, milliseconds", "",
            "As the host sees them: what a worker does while the host waits for a processor counts"
            " for the stage at which the host looks again.", "",
            *table(["stage", "what happens", *heads], *body)]


def downloads(result):
    sections = result["downloads"]
    if not sections:
        return ["## Downloads", "", "Not asked for.", ""]
    turns = max((value["count"] for section in sections
                 for value in section["seconds"].values()), default=0)
    body = [[f"{section['work']}, {section['place']}",
             f"÷ {rows.DOWNLOADS[section['work']][ratio['peer']]}", bracketed(ratio),
             *([f"≤ {ratio['goal']:g}", verdict([ratio])] if ratio["goal"] else ["", ""])]
            for section in sections for ratio in section["ratios"]]
    lines = ["## Downloads", "",
             "From an nginx on this machine, which sends faster than any of them receives. Turns:"
             f" {turns}. A ratio is of times: at most 0.5 is at least twice the speed.", "",
             *table(["work", "`bahost run`", "ratio", "goal", "reached"], *body)]
    for work, names in rows.DOWNLOADS.items():
        lines += download_times(work, names, [s for s in sections if s["work"] == work])
    return lines + ["What the others do not do:", "",
                    *(f"- {row}: {rows.NOT_DONE[row]}." for names in rows.DOWNLOADS.values()
                      for row in names if row in rows.NOT_DONE), ""]


def download_times(work, names, sections):
    heads = [f"{what}, {section['place']}" for section in sections
             for what in ["seconds", "processor seconds"]]
    body = [[name, *(cell(section[kind].get(row)) for section in sections
                     for kind in ["seconds", "processorSeconds"])] for row, name in names.items()]
    return table([work, *heads], *body)


def queue(result):
    found = result["queue"]
    if not found:
        return ["## Queue", "", "Not asked for.", ""]
    body = [[words, *(bracketed(value[name], digits) for value in found["values"].values())]
            for name, (words, digits) in rows.QUEUE_VALUES.items()]
    goals = [[goal["name"], f"{goal['value']:.3f}", f"≤ {goal['goal']:.3g}", verdict([goal])]
             for goal in found["goals"]]
    return ["## Queue", "",
            f"Downloads of {rows.QUEUE_APPS} apps that wait in a store on the disk, and a process"
            " with its scheduler. A pick begins when a download has finished and ends when the next"
            " one is told to start, the store's queries in it; writing to the store is not.", "",
            *table(["", *(f"{int(count):,}" for count in found["values"])], *body),
            *table(["goal", "value", "at most", "reached"], *goals)]


def absent(result):
    lines = [f"- {row}, as {user['user']}: {why}" for user in result["users"]
             for row, why in user["leftOut"].items()]
    lines += [f"- {row}, as {user['user']}: {note}" for user in result["users"]
              for row, notes in user["notes"].items() for note in notes
              if note.startswith("without") and "cgroup" not in note]
    lines += [f"- {row}, {section['place']}: {why}" for section in result["downloads"]
              for row, why in section["leftOut"].items()]
    return ["## Left out", "", *(lines or ["Nothing."]), ""]


def later():
    return ["## Not there yet", "", "Goals of what does not exist, or is not measured, yet:", "",
            *(f"- {what}" for what in rows.NOT_THERE_YET)]
