"""The result for a terminal."""

from . import rows


def text(result):
    facts = result["machine"]
    lines = [f"{facts['processors']} processors; load"
             f" {facts['loadBefore']} before, {facts['loadAfter']} after"]
    for user in result["users"]:
        lines += user_lines(user)
    for section in result["downloads"]:
        lines += download_lines(section)
    lines += queue_lines(result["queue"])
    return "\n".join(lines)


def user_lines(user):
    lines = ["", f"As {user['user']}: milliseconds, {user['turns']} turns", "",
             f"  {'':10} {'median':>9} {'quartiles':>19}   runs"]
    for row, value in user["milliseconds"].items():
        lines.append(f"  {row:10} {value['median']:9.3f} {quartiles(value, 3):>19}"
                     f"  {value['count']:5}  {rows.ROWS[row]}")
    lines += ["", "  Ratios, turn by turn, and what is to be reached"]
    for ratio in user["ratios"]:
        lines.append("  " + ratio_line(ratio))
    pack = user["packMicroseconds"]
    lines.append(f"  {'a pack':21} {pack['median']:8.2f} us {quartiles(pack, 2):>13}"
                 f"   {judged(pack)}")
    lines += ["", "  Where a warm run's time goes, medians"]
    names = list(user["stages"][rows.WARM])
    lines.append("  " + " " * 6 + "".join(f"{name:>10}" for name in names))
    for row, stages in user["stages"].items():
        lines.append(f"  {row:6}" + "".join(f"{stages[name]:10.3f}" for name in names))
    for row, notes in user["notes"].items():
        lines += [f"  {row}: {note}" for note in notes]
    lines += [f"  {row} left out: {why}" for row, why in user["leftOut"].items()]
    return lines


def download_lines(section):
    lines = ["", f"{section['work']}, {section['place']}: seconds, processor seconds"]
    for row, value in section["seconds"].items():
        lines.append(f"  {row:16} {value['median']:7.2f} {quartiles(value, 2):>15}"
                     f" {section['processorSeconds'][row]['median']:7.2f}")
    lines += ["  " + ratio_line(ratio) for ratio in section["ratios"]]
    return lines + [f"  {row} left out: {why}" for row, why in section["leftOut"].items()]


def queue_lines(found):
    if not found:
        return []
    lines = ["", f"Queue, {rows.QUEUE_APPS} apps"]
    for name, (words, digits) in rows.QUEUE_VALUES.items():
        lines.append(f"  {words:40}" + "".join(
            f"{value[name]['median']:12.{digits}f}" for value in found["values"].values()))
    for goal in found["goals"]:
        lines.append(f"  {goal['name']:40} {goal['value']:12.3f}   {judged(goal)}")
    return lines


def ratio_line(ratio):
    name = f"{ratio['row']} / {ratio['peer']}"
    return f"{name:24} {ratio['median']:8.2f} {quartiles(ratio, 2):>13}   {judged(ratio)}"


def quartiles(value, digits):
    return f"{value['lowerQuartile']:.{digits}f}-{value['upperQuartile']:.{digits}f}"


def judged(value):
    if value["goal"] is None:
        return ""
    return f"{'reached' if value['isReached'] else 'NOT reached'}: at most {value['goal']:g}"
