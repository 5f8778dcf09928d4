"""Tests of the harness with known numbers. `make check` runs them."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import figures, measuring, page, rows, table  # noqa: E402


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


class FakeProgram:
    """Takes as many nanoseconds as it is told, and says when it was asked."""

    def __init__(self, name, times, log):
        self.stages = ["ask", "call"] if name in (rows.WARM, rows.SWIFT, rows.PACKS) else []
        self.notes = ["without fence: absent"] if name == rows.WARM else []
        self.name, self.times, self.log = name, times, log

    def turn(self):
        self.log.append(self.name)
        return [self.times, 0, self.times] if self.stages else [self.times]


def result(times):
    """What a machine gives on which row i always takes times[i] ms."""
    log = []
    programs = {row: FakeProgram(row, int(time * 1e6), log) for row, time in times.items()}
    taken = measuring.take_turns(programs, 4, lambda line: None, "x")
    user = measuring.user_result("root", programs, taken, {rows.EXTISM: "no network"})
    facts = {"processors": 2, "loadBefore": 0.1, "loadAfter": 0.2, "versions": {"bwrap": "0.8.0"},
             "date": "2000-01-01", "isVirtual": True, "processor": "x", "architecture": "y",
             "memoryMiB": 1, "system": "z", "kernel": "6.1", "mounts": 3}
    taken = {rows.RUN_GIB: [1.0, 3.0], rows.CURL_SUM_GIB: [2.0, 3.0], rows.CURL_GIB: [1.0, 1.0]}
    return {"turns": 4, "machine": facts, "users": [user],
            "downloads": measuring.download_result(taken)}, log


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


if __name__ == "__main__":
    unittest.main()
