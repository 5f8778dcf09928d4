"""Tests of the harness with known numbers. `make check` runs them."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import downloads, explanations, figures, fitness, measuring, page, peers  # noqa: E402
from harness import programs, queue, rows, table  # noqa: E402


class Figures(unittest.TestCase):
    def test_a_median_of_an_even_count_lies_between_two(self):
        self.assertEqual(figures.quantile([4, 1, 3, 2], 0.5), 2.5)

    def test_quartiles_lie_on_the_line_between_neighbours(self):
        self.assertEqual(figures.summary([10, 20, 30, 40, 50]),
                         {"median": 30, "lowerQuartile": 20, "upperQuartile": 40, "count": 5})
        self.assertEqual(figures.quantile([1, 2], 0.25), 1.25)

    def test_one_number_is_all_its_quartiles(self):
        self.assertEqual(figures.summary([7]),
                         {"median": 7, "lowerQuartile": 7, "upperQuartile": 7, "count": 1})

    def test_no_numbers_have_no_median(self):
        self.assertRaises(ValueError, figures.quantile, [], 0.5)

    def test_a_ratio_is_taken_turn_by_turn(self):
        # The machine is ten times slower in the second turn: both of the pair are.
        self.assertEqual(figures.paired([1, 20, 3], [2, 40, 3])["median"], 0.5)

    def test_numbers_without_a_partner_are_no_pairs(self):
        self.assertRaises(ValueError, figures.paired, [1, 2], [1])

    def test_a_goal_is_reached_at_the_goal_and_not_past_it(self):
        self.assertIs(figures.is_reached(2.0, 2.0), True)
        self.assertIs(figures.is_reached(2.001, 2.0), False)
        self.assertIsNone(figures.is_reached(1.0, None))


def silent(line):
    pass


class FakeProgram:
    """Takes as many nanoseconds as it is told, and says when it was asked."""

    def __init__(self, name, times, log, most=1000):
        self.stages = ["ask", "call"] if name in (rows.WARM, rows.SWIFT, rows.PACKS) else []
        self.notes = ["without fence: absent"] if name == rows.WARM else []
        self.name, self.times, self.log, self.most = name, times, log, most

    def turn(self):
        self.log.append(self.name)
        if self.log.count(self.name) > self.most:
            raise programs.CannotRun("it ended (firejail)")
        return [self.times, 0, self.times] if self.stages else [self.times]


    def end(self):
        self.log.append("end")


def result(times):
    """What a machine gives on which row i always takes times[i] ms."""
    log = []
    fakes = {row: FakeProgram(row, int(time * 1e6), log) for row, time in times.items()}
    taken = measuring.take_turns(fakes, 4, silent, "x", {})
    user = measuring.user_result("root", fakes, taken, {rows.EXTISM: "no network"})
    facts = {"processors": 2, "loadBefore": 0.1, "loadAfter": 0.2, "versions": {"bwrap": "0.8.0"},
             "date": "2000-01-01", "isVirtual": True, "processor": "x", "architecture": "y",
             "memoryMiB": 1, "system": "z", "kernel": "6.1", "mounts": 3}
    return {"unfit": [], "machine": facts, "users": [user],
            "downloads": measuring.download_result(SECTIONS), "queue": queue.result(QUEUE)}, log


# Seconds and processor seconds, turn by turn.
SECTIONS = [
    {"work": rows.GIB, "place": "disk", "leftOut": {rows.ARIA2C_GIB: "no aria2c"},
     "taken": {rows.RUN_GIB: [(1.0, 0.5), (3.0, 0.7)], rows.CURL_SUM_GIB: [(2.0, 1), (3.0, 1)],
               rows.CURL_GIB: [(1.0, 1), (1.0, 1)]}},
    {"work": rows.GIB, "place": "memory", "leftOut": {row: "no memory" for row in
                                                      rows.DOWNLOADS[rows.GIB]}, "taken": {}},
    {"work": rows.MANY, "place": "disk", "leftOut": {},
     "taken": {rows.RUN_MANY: [(1.0, 1), (1.0, 1)], rows.ARIA2C_MANY: [(4.0, 1), (4.0, 1)]}},
]


def queue_turn(memory, start, pick, mean):
    return {"memoryMiB": memory, "startSeconds": start, "pickMilliseconds": pick,
            "meanPickMilliseconds": mean}


QUEUE = {10_000: [queue_turn(20, 0.01, 0.1, 0.02)], 1_000_000: [queue_turn(30, 0.016, 1.5, 0.02)]}


TIMES = {rows.BWRAP: 4, rows.WARM: 1, rows.FLOOR: 0.25, rows.SWIFT: 4, rows.PACKS: 100,
         rows.COLD: 13, rows.COLD_PACKS: 60}


class Measuring(unittest.TestCase):
    def test_turns_go_forwards_and_backwards_in_turn_and_warm_up_first(self):
        _, log = result({row: TIMES[row] for row in TIMES})
        width = len(TIMES)
        self.assertEqual(len(log), width * (4 + measuring.WARM_UP_TURNS))
        self.assertEqual(log[:width], list(reversed(log[width:2 * width])))

    def test_goals_are_judged_and_rows_that_were_not_measured_have_no_ratio(self):
        user = result(TIMES)[0]["users"][0]
        found = {(ratio["row"], ratio["peer"]): ratio for ratio in user["ratios"]}
        self.assertIs(found[rows.WARM, rows.BWRAP]["isReached"], True)
        self.assertIs(found[rows.WARM, rows.FLOOR]["isReached"], False)
        self.assertIs(found[rows.COLD, rows.BWRAP]["isReached"], False)
        self.assertNotIn((rows.WARM, rows.FIREJAIL), found)
        # 100 ms for 10,000 packs.
        self.assertEqual(user["packMicroseconds"]["median"], 10)
        self.assertIs(user["packMicroseconds"]["isReached"], True)
        self.assertEqual(user["milliseconds"][rows.COLD]["count"], 4)

    def test_a_missed_goal_is_explained_and_a_reached_one_is_not(self):
        written = page.text(result(TIMES)[0])
        _, _, rest = written.partition("## Goals that are missed")
        explained = rest.partition("## Other")[0]
        self.assertIn(f"**{rows.ROWS[rows.WARM]} ÷ {rows.ROWS[rows.FLOOR]}.**", explained)
        self.assertNotIn(f"÷ {rows.ROWS[rows.BWRAP]}.** The floor", explained)
        self.assertIn("extism, as root: no network", written)
        self.assertIn("without fence: absent", written)

    def test_the_table_names_what_is_missed_and_left_out(self):
        printed = table.text(result(TIMES)[0])
        self.assertIn("warm / floor                 4.00     4.00-4.00   NOT reached: at most 2",
                      printed)
        self.assertIn("extism left out: no network", printed)

    def test_a_peer_that_fails_half_way_is_left_out_and_another_row_is_an_error(self):
        log, left_out = [], {}
        fakes = {row: FakeProgram(row, 1, log, 7) for row in (rows.WARM, rows.FIREJAIL)}
        fakes[rows.WARM].most = 1000
        taken = measuring.take_turns(fakes, 10, silent, "x", left_out)
        self.assertEqual(list(taken), [rows.WARM])
        self.assertEqual(left_out, {rows.FIREJAIL: "it ended"})
        self.assertEqual(log.count("end"), 1)
        fakes[rows.WARM].most = 1
        self.assertRaises(programs.CannotRun, measuring.take_turns, fakes, 10, silent, "x", {})

    def test_when_time_is_up_a_page_still_has_its_turns_and_no_more(self):
        seconds = iter([0, *[measuring.USER_SECONDS + 1] * 10])
        fakes = {rows.WARM: FakeProgram(rows.WARM, 1, [])}
        taken = measuring.take_turns(fakes, 200, silent, "x", {}, lambda: next(seconds))
        self.assertEqual(len(taken[rows.WARM]), measuring.PAGE_TURNS)
        seconds = iter([0, *[measuring.USER_SECONDS] * 200])
        taken = measuring.take_turns(fakes, 60, silent, "x", {}, lambda: next(seconds))
        self.assertEqual(len(taken[rows.WARM]), 60)


class Programs(unittest.TestCase):
    def program(self, script, seconds=20):
        started = programs.Program(["sh", "-c", script], dict(os.environ), seconds)
        self.addCleanup(started.end)
        return started

    def test_a_program_answers_line_by_line(self):
        program = self.program("echo stages a b; echo missing fence: absent; echo layers all;"
                               " while read line; do printf 'run 3'; echo ' 1 2'; done")
        self.assertEqual([program.turn(), program.turn()], [[3, 1, 2], [3, 1, 2]])
        self.assertEqual(program.stages, ["a", "b"])
        self.assertEqual(program.notes, ["without fence: absent", "all"])

    def test_one_that_does_not_answer_is_ended_with_all_that_it_started(self):
        program = self.program("sleep 1000 & echo run $!; read a; read b; wait", 0.2)
        child = os.pidfd_open(program.turn()[0])
        self.addCleanup(os.close, child)
        with self.assertRaisesRegex(programs.CannotRun, "no answer in 0.2 s"):
            program.turn()
        self.assertEqual(program.process.wait(20), -signal.SIGKILL)
        # A file descriptor of a process is readable when the process has ended.
        self.assertEqual(select.select([child], [], [], 20)[0], [child])

    def test_more_complaints_than_a_pipe_takes_stop_nobody(self):
        program = self.program("head -c 300000 /dev/zero | tr '\\0' x >&2; echo run 1; read a")
        self.assertEqual(program.turn(), [1])

    def test_one_that_ends_is_an_error_with_its_first_complaint(self):
        program = self.program("echo 'no plugin' >&2; echo more >&2; exit 1")
        with self.assertRaisesRegex(programs.CannotRun, r"^no plugin \(sh -c"):
            program.turn()
        with self.assertRaisesRegex(programs.CannotRun, r"^it ended \("):
            self.program("exit 0").turn()

    def test_a_command_has_a_deadline(self):
        with self.assertRaisesRegex(programs.CannotRun, "no end after 0.1 s of: sleep 1000"):
            programs.run(["sleep", "1000"], timeout=0.1)


class Peers(unittest.TestCase):
    def test_a_network_that_does_not_answer_is_asked_once(self):
        slow = subprocess.TimeoutExpired("pip", 90)
        peers.extism.cache_clear()
        self.addCleanup(peers.extism.cache_clear)
        with mock.patch.object(peers, "is_there", return_value=False), \
                mock.patch.object(peers, "make", side_effect=slow) as make:
            reasons = {peers.extism(), peers.extism()}
        self.assertEqual(make.call_count, 1)
        self.assertIn("cannot be installed from PyPI", reasons.pop())
        self.assertEqual(reasons, set())


class Downloads(unittest.TestCase):
    def test_each_row_is_the_first_once_and_the_warm_up_does_not_count(self):
        log = []

        def timed(command):
            log.append(command)
            return len(log)

        cleared = []
        taken = downloads.take_turns({"a": "A", "b": "B", "c": "C"}, 3, silent, timed,
                                     lambda: cleared.append(len(log)), {})
        self.assertEqual("".join(log), "CAB" "ABC" "BCA" "CAB")
        self.assertEqual(taken, {"a": [4, 9, 11], "b": [5, 7, 12], "c": [6, 8, 10]})
        self.assertEqual(cleared, list(range(1, 13)))

    def test_a_downloader_that_fails_is_left_out_and_ours_is_an_error(self):
        def timed(command):
            raise programs.CannotRun("status 1")

        left_out = {}
        taken = downloads.take_turns({rows.WGET2_GIB: []}, 3, silent, timed, list, left_out)
        self.assertEqual((taken, left_out), ({}, {rows.WGET2_GIB: "status 1"}))
        self.assertRaises(programs.CannotRun, downloads.take_turns, {rows.RUN_GIB: []}, 3, silent,
                          timed, list, {})

    def test_processor_seconds_are_those_of_the_command(self):
        seconds, busy = downloads.timed(["sh", "-c", "i=0; while [ $i -lt 20000 ];"
                                         " do i=$((i + 1)); done"])
        _, idle = downloads.timed(["sleep", "0.05"])
        self.assertGreater(busy, idle)
        self.assertGreater(seconds, 0)

    def test_twice_the_speed_is_half_of_the_time(self):
        many = measuring.download_result(SECTIONS)[2]["ratios"]
        self.assertEqual([(ratio["peer"], ratio["median"], ratio["isReached"]) for ratio in many],
                         [(rows.ARIA2C_MANY, 0.25, True)])

    def test_the_page_has_each_place_and_says_who_was_left_out(self):
        written = page.text(result(TIMES)[0])
        self.assertIn("| 1 GiB, disk | ÷ `curl` | 2.00 (1.50–2.50) | ≤ 1.15 | **no** |", written)
        self.assertIn("| `curl` | 1.00 (1.00–1.00) | 1.00 (1.00–1.00) |  |  |", written)
        self.assertIn("- aria2c-1GiB, disk: no aria2c", written)
        self.assertIn("aria2c-1GiB left out: no aria2c", table.text(result(TIMES)[0]))


class Queue(unittest.TestCase):
    def test_growth_is_judged_by_the_logarithm_of_the_counts(self):
        # log 1,000,000 ÷ log 10,000 is 1.5.
        goals = {goal["name"]: (round(goal["value"], 3), goal["isReached"])
                 for goal in queue.result(QUEUE)["goals"]}
        self.assertEqual(goals["memory of the process, MiB: 1,000,000 ÷ 10,000"], (1.5, True))
        self.assertEqual(goals["start after a clean end, s: 1,000,000 ÷ 10,000"], (1.6, False))
        self.assertEqual(goals["next pick, 99 of 100, ms, 1,000,000"], (1.5, False))

    def test_what_the_program_says_is_read_or_refused(self):
        picks = " ".join(["1000"] * (queue.PICKS - 1) + ["5000"])
        lines = ["memory 2097152", "start 500000000", f"picks {picks}"]
        found = queue.values(lines)
        self.assertEqual((found["memoryMiB"], found["startSeconds"]), (2, 0.5))
        self.assertEqual(found["pickMilliseconds"], 0.001)
        self.assertRaises(programs.CannotRun, queue.values, lines[1:])
        self.assertRaises(programs.CannotRun, queue.values, [*lines[:2], "picks 1"])

    def test_the_page_judges_it(self):
        written = page.text(result(TIMES)[0])
        self.assertIn("| next pick, 99 of 100, ms, 1,000,000 | 1.500 | ≤ 1 | **no** |", written)
        self.assertIn("NOT reached: at most 1\n", table.text(result(TIMES)[0]))


class Fitness(unittest.TestCase):
    def test_a_page_wants_fifty_turns_and_a_load_of_one_and_a_half(self):
        self.assertEqual(fitness.too_few(50), [])
        self.assertEqual(fitness.too_few(49), ["49 turns are fewer than 50"])
        self.assertEqual(fitness.too_busy(1.5), [])
        self.assertEqual(fitness.too_busy(1.51), ["the load is 1.51, over 1.5"])

    def bench(self, *arguments):
        return subprocess.run([sys.executable, programs.HERE / "bench", *arguments],
                              capture_output=True, text=True, timeout=20)

    def test_a_page_of_too_few_turns_is_refused_before_anything_is_built(self):
        with tempfile.TemporaryDirectory() as folder:
            there = pathlib.Path(folder) / "page.md"
            done = self.bench("--turns", "49", "--page", there)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "bench: no page is written: 49 turns are fewer than 50;"
                             " --force writes it anyhow\n")
            self.assertFalse(there.exists())
        self.assertEqual(self.bench("--force").returncode, 2)

    def test_it_waits_until_the_load_is_gone_and_not_for_ever(self):
        loads, slept = iter([3, 3, 0.6, 0.5]), []
        fitness.wait_for_quiet(silent, lambda: next(loads), slept.append)
        self.assertEqual(slept, [2, 2])
        slept.clear()
        fitness.wait_for_quiet(silent, lambda: 3, slept.append)
        self.assertEqual(sum(slept), fitness.WAIT_SECONDS)


class Page(unittest.TestCase):
    def test_it_says_how_many_turns_the_downloads_and_each_user_had(self):
        written = page.text(result(TIMES)[0])
        self.assertIn("Measured on 2000-01-01, 4 turns as root, load 0.1 before", written)
        self.assertIn("receives. Turns: 2. A ratio", written)

    def test_a_forced_page_says_so(self):
        forced = result(TIMES)[0]
        self.assertNotIn("Not fit", page.text(forced))
        forced["unfit"] = ["4 turns are fewer than 50"]
        self.assertIn("**Not fit to be quoted**: 4 turns are fewer than 50.", page.text(forced))

    def test_what_one_user_lacks_leaves_the_column_of_that_user_empty(self):
        both = result(TIMES)[0]
        more = result({**TIMES, rows.FIREJAIL: 50})[0]["users"][0]
        both["users"].append({**more, "user": "ordinary user"})
        self.assertIn(f"| {rows.ROWS[rows.FIREJAIL]} |  | 0.02 (0.02–0.02) |", page.text(both))

    def test_the_floor_is_said_to_miss_the_goal_only_when_it_does(self):
        slow = {**TIMES, rows.WARM: 2, rows.FLOOR: 1}
        said = "\n".join(explanations.explanations(result(slow)[0]))
        self.assertIn("bwrap takes 4.00 ms, the floor 1.00 ms, bahost 2.00 ms", said)
        self.assertIn("it does reach the goal", said)
        said = "\n".join(explanations.explanations(result({**slow, rows.FLOOR: 1.1})[0]))
        self.assertIn("it does not reach the goal either", said)

    def test_cold_runs_are_explained_with_the_figures_of_the_result(self):
        said = "\n".join(explanations.explanations(result(TIMES)[0]))
        self.assertIn("13.00 ms, where a warm run takes 1.00 ms: 12.00 ms are paid once", said)

    def test_missed_downloads_are_explained_for_the_place_they_were_missed_at(self):
        said = "\n".join(explanations.explanations(result(TIMES)[0]))
        self.assertIn("**1 GiB, disk ÷ `curl`.** 2.00 s and 1.00 s, with 0.60 s and 1.00 s of"
                      " processors. When ours ends, bytes, names and rows are on the disk", said)
        self.assertNotIn("5,000", said)
        slow = [{**SECTIONS[2], "place": "memory",
                 "taken": {rows.RUN_MANY: [(2.0, 1)], rows.ARIA2C_MANY: [(4.0, 1)]}}]
        slow = {**result(TIMES)[0], "downloads": measuring.download_result(slow)}
        said = "\n".join(explanations.explanations(slow))
        self.assertIn("**5,000 × 16 KiB, memory ÷ `aria2c`, checksums", said)
        self.assertIn("Ours takes 0.40 ms for each file", said)
        self.assertNotIn("on the disk", said)

    def test_the_page_of_the_repository_has_the_words_of_the_generator(self):
        there = (programs.ROOT / "docs" / "performance.md").read_text()
        self.assertTrue(there.startswith(page.HEAD))
        for peer, what in rows.NOT_DONE.items():
            if peer in rows.ROWS:
                self.assertTrue(f"\n- {peer}: {what}.\n" in there, what)
        for stage, meaning in page.MEANINGS.items():
            self.assertTrue(f"\n| `{stage}` | {meaning} | " in there, meaning)
        self.assertTrue(there.endswith("\n".join(page.later()) + "\n"))


if __name__ == "__main__":
    unittest.main()
