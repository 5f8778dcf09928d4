"""Measures the rows in turns, and makes the result of it."""

import time

from . import figures, peers, rows
from .programs import CannotRun, Place

WARM_UP_TURNS = 5
# Quartiles of fewer say little.
PAGE_TURNS = 50
USER_SECONDS = 120


def measure_user(who, user, folder, turns, say):
    """One user's part of the result."""
    place = Place(folder, user)
    commands = place.commands()
    left_out = {}
    for row, command in peers.commands(place).items():
        if isinstance(command, str):
            left_out[row] = command
        else:
            commands[row] = command
    programs = {}
    try:
        start(place, commands, programs, left_out)
        taken = take_turns(programs, turns, say, who, left_out)
    finally:
        for program in programs.values():
            program.end()
    return user_result(who, programs, taken, left_out)


def start(place, commands, programs, left_out):
    """Fills `programs`, in the order of rows; an optional peer that does not run is left out."""
    for row in rows.ROWS:
        if row in commands:
            programs[row] = place.start(commands[row])
            one_run(programs, row, left_out)


def one_run(programs, row, left_out):
    """Its numbers; None when it is an optional peer that cannot, which is then left out."""
    try:
        return programs[row].turn()
    except CannotRun as error:
        if row not in (rows.FIREJAIL, rows.EXTISM):
            raise
        left_out[row] = str(error).partition(" (")[0]
        programs.pop(row).end()
        return None


def take_turns(programs, turns, say, who, left_out, clock=time.monotonic):
    """By row, a list of runs. Every second turn goes backwards: nobody is always the last.

    After USER_SECONDS no more turns than a page needs are taken.
    """
    taken = {row: [] for row in programs}
    end = clock() + USER_SECONDS
    for turn in range(-WARM_UP_TURNS, turns):
        if turn >= PAGE_TURNS and turn % 2 == 0 and clock() > end:
            say(f"{who}: no more after {turn} turns, they take too long")
            break
        for row in list(programs) if turn % 2 == 0 else list(reversed(programs)):
            numbers = one_run(programs, row, left_out)
            if numbers is not None and turn >= 0:
                taken[row].append(numbers)
        if turn % 25 == 0:
            say(f"{who}: turn {turn} of {turns}")
    return {row: taken[row] for row in programs}


def user_result(who, programs, taken, left_out):
    wholes = {row: [run[0] / 1e6 for run in runs] for row, runs in taken.items()}
    return {
        "user": who,
        "turns": len(taken[rows.WARM]),
        "milliseconds": {row: figures.summary(times) for row, times in wholes.items()},
        "ratios": ratios(rows.RATIOS, wholes),
        "packMicroseconds": pack_time(programs[rows.PACKS], taken[rows.PACKS]),
        "stages": {row: stages(programs[row], taken[row]) for row in (rows.WARM, rows.SWIFT)},
        "notes": {row: programs[row].notes for row in programs if programs[row].notes},
        "leftOut": left_out,
    }


def ratios(wanted, wholes):
    """Those of which both sides were measured."""
    found = []
    for ratio in wanted:
        if ratio.row not in wholes or ratio.peer not in wholes:
            continue
        value = figures.paired(wholes[ratio.row], wholes[ratio.peer])
        found.append({
            "row": ratio.row, "peer": ratio.peer, "goal": ratio.most, **value,
            "isReached": figures.is_reached(value["median"], ratio.most),
        })
    return found


def stages(program, runs):
    """Medians in milliseconds."""
    return {name: figures.quantile([run[1 + place] for run in runs], 0.5) / 1e6
            for place, name in enumerate(program.stages)}


def pack_time(program, runs):
    """From the first call to the last answer, for each pack."""
    place = 1 + program.stages.index("call")
    value = figures.summary([run[place] / 1e3 / rows.PACK_COUNT for run in runs])
    return {**value, "goal": rows.PACK_GOAL,
            "isReached": figures.is_reached(value["median"], rows.PACK_GOAL)}


def download_result(sections):
    """Seconds, processor seconds and ratios of each work in each place."""
    found = []
    for section in sections:
        taken = section["taken"]
        seconds = {row: [time[0] for time in times] for row, times in taken.items()}
        processor = {row: [time[1] for time in times] for row, times in taken.items()}
        found.append({
            "work": section["work"], "place": section["place"], "leftOut": section["leftOut"],
            "seconds": {row: figures.summary(times) for row, times in seconds.items()},
            "processorSeconds": {row: figures.summary(times) for row, times in processor.items()},
            "ratios": ratios(rows.DOWNLOAD_RATIOS, seconds),
        })
    return found
