"""Tests of the judging with known numbers. `make check` runs them."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from killing import judging, names, published, workload  # noqa: E402
from killing.judging import MIB, Request, Run  # noqa: E402


class Log(unittest.TestCase):
    def test_a_range_begins_where_it_was_asked_and_a_refused_one_sent_nothing(self):
        log = ("12.500 0.500 /a 206 100 bytes=40-\n11.000 1.000 /a 200 50 -\n"
               "13.000 0.000 /a 416 180 bytes=140-\n14.000 0.000 /a 200 9 bytes=140-\n")
        self.assertEqual(judging.requests(log), [
            Request(10, "a", 0, 50, 11), Request(12, "a", 40, 140, 12.5),
            Request(13, "a", 0, 0, 13), Request(14, "a", 0, 9, 14)])

    def test_another_line_is_an_error(self):
        self.assertRaises(ValueError, judging.requests, "GET / 200\n")


class Kills(unittest.TestCase):
    def test_bytes_twice_count_for_the_kill_that_ended_the_earlier_request(self):
        runs = [Run(0, 5, {"a": 90}), Run(6, 7, {"a": 90}), Run(8, 9, {})]
        asked = [Request(1, "a", 0, 100, 6), Request(8, "a", 60, 500, 9)]
        kills, again = judging.kills(runs, asked, 1000)
        self.assertEqual([kill.twice for kill in kills], [30, 0])
        self.assertEqual([kill.sent_twice for kill in kills], [40, 0])
        self.assertEqual([kill.cut for kill in kills], [1, 0])
        self.assertEqual(again, 0)

    def test_a_second_request_in_one_run_is_nobodys_kill(self):
        runs = [Run(0, 5, {}), Run(6, 7, {})]
        asked = [Request(1, "a", 0, 100, 2), Request(2, "a", 70, 99, 3)]
        kills, again = judging.kills(runs, asked, 1)
        self.assertEqual((kills[0].cut, again), (0, 30))

    def test_a_kill_may_cost_a_mebibyte_or_a_second_and_not_a_byte_more(self):
        for size, second, is_fair in [(MIB, 0, True), (MIB + 1, 0, False),
                                      (3 * MIB, 3 * MIB, True), (3 * MIB + 1, 3 * MIB, False)]:
            self.assertIs(judging.Kill(twice=size, second=second).is_fair, is_fair)

    def test_what_was_sent_may_be_a_buffer_more_for_each_transfer_that_was_cut(self):
        for sent, second, cut, is_fair in [
                (2 * MIB, 0, 1, True), (2 * MIB + 1, 0, 1, False), (MIB + 1, 0, 0, False),
                (5 * MIB, 3 * MIB, 2, True), (5 * MIB + 1, 3 * MIB, 2, False)]:
            kill = judging.Kill(cut=cut, sent_twice=sent, second=second)
            self.assertIs(kill.is_fair, is_fair)

    def test_an_end_that_is_not_fair_is_named_by_its_number(self):
        kills = [judging.Kill(cut=1), judging.Kill(cut=1, sent_twice=2 * MIB + 1)]
        faults = judging.faults(kills, 0, 0, 0)
        self.assertEqual(len(faults), 1)
        self.assertIn("run 2 ", faults[0])

    def test_bytes_twice_without_a_kill_are_a_fault(self):
        kills = [judging.Kill(cut=1)]
        self.assertEqual(judging.faults(kills, 0, 0, 0), [])
        self.assertEqual(judging.faults(kills, 1, 0, 0),
                         ["1 bytes were asked for twice without a kill"])

    def test_kills_that_cut_nothing_prove_nothing(self):
        for count in (0, 3):
            self.assertEqual(judging.faults([judging.Kill()] * count, 0, 1, 1),
                             ["no kill cut a transfer"])

    def test_fewer_kills_while_publishing_than_asked_for_prove_nothing(self):
        cut = judging.Kill(cut=1)
        self.assertEqual(judging.faults([cut], 0, 50, 50), [])
        self.assertEqual(judging.faults([cut], 0, 49, 50),
                         ["only 49 kills fell between a file's name and its row"])

    def test_the_last_second_of_a_young_request_is_all_of_it(self):
        request = Request(10, "a", 100, 5_000_100, 12)
        self.assertEqual(judging.last_second(request, 11, 1), 5_000_000)
        self.assertEqual(judging.last_second(request, 11.5, 1000), 1000 + judging.STEP)

    def test_what_was_whole_before_the_last_second_has_no_part_in_it(self):
        request = Request(10, "a", 0, 60_000, 10.5)
        self.assertEqual(judging.last_second(request, 11.5, 1), 60_000)
        self.assertEqual(judging.last_second(request, 11.6, 1), 0)


class PublishedFiles(unittest.TestCase):
    def faults(self, rows, found, states, is_settled=True):
        return published.faults(
            [published.Row(name, f"Downloads/{name}", stamp, is_purging)
             for name, stamp, is_purging in rows], found, states, is_settled)

    def test_a_row_and_its_file_agree_wherever_the_file_lies(self):
        for path in ("Downloads/a", "Library/deep/a"):
            self.assertEqual(
                self.faults([("a", (1, 2, 3), False)], {path: (1, 2, 3)}, {"a": "finished"}), [])

    def test_a_row_without_its_file_is_named(self):
        for stamp in [(9, 2, 3), (1, 9, 3), (1, 2, 9)]:
            self.assertEqual(
                self.faults([("a", stamp, False)], {"Downloads/a": (1, 2, 3)}, {"a": "waiting"},
                            is_settled=False), ["the row of a has no file"])

    def test_a_file_without_a_row_is_named_once_its_download_has_ended_or_a_host_has(self):
        found = {"Downloads/a": (1, 2, 3)}
        for state, is_settled, is_wrong in [
                ("waiting", False, False), ("downloading", False, False), ("finished", False, True),
                ("downloading", True, True), ("finished", True, True)]:
            faults = self.faults([], found, {"a": state}, is_settled)
            self.assertEqual(
                faults, [f"Downloads/a has no row, and its download is {state}"] * is_wrong)

    def test_two_rows_of_a_file_and_one_that_is_being_taken_back_are_named(self):
        rows = [("a", (1, 2, 3), False), ("a", (1, 2, 3), True)]
        self.assertEqual(
            self.faults(rows, {"Downloads/a": (1, 2, 3)}, {"a": "finished"}),
            ["a is still being taken back", "Downloads/a has 2 rows"])

    def test_what_is_finished_must_lie_somewhere(self):
        found = {"Library/a": (1, 2, 3)}
        self.assertEqual(published.lost(found, {"a": "finished", "b": "waiting"}), [])
        self.assertEqual(published.lost(found, {"b": "finished"}), ["b is finished and nowhere"])

    def test_files_are_found_in_every_folder_of_a_plugin_and_no_others(self):
        with tempfile.TemporaryDirectory() as name:
            container = pathlib.Path(name)
            for path in ("Downloads/a", "Library/deep/b", ".bahost/c"):
                (container / path).parent.mkdir(parents=True, exist_ok=True)
                (container / path).touch()
            self.assertEqual(sorted(published.files(container)), ["Downloads/a", "Library/deep/b"])


class NewNames(unittest.TestCase):
    def test_a_name_that_a_file_gets_is_seen_and_one_that_it_loses_is_not(self):
        with tempfile.TemporaryDirectory() as name:
            folder, other = pathlib.Path(name) / "folder", pathlib.Path(name) / "other"
            folder.mkdir()
            (folder / "a").touch()
            with names.Names(folder) as new:
                (folder / "a").rename(other)
                self.assertFalse(new.wait(0))
                other.rename(folder / "b")
                self.assertTrue(new.wait(0))


class Workload(unittest.TestCase):
    def test_the_same_seed_makes_the_same_and_each_fault_of_a_folder_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            downloads, library = folder / "Downloads", folder / "Library"
            downloads.mkdir()
            (library / "Caches").mkdir(parents=True)
            files = workload.make(7, 1, 6, 64, downloads)
            self.assertEqual(files, workload.make(7, 1, 6, 64, downloads))
            (downloads / "moved-000").rename(library / "moved-000")
            self.assertIn("not moved: moved-004", workload.faults(files, folder))
            (downloads / "moved-004").rename(library / "moved-004")
            self.assertEqual(workload.faults(files, folder), [])
            (downloads / "small-001").unlink()
            (downloads / "small-002").write_bytes(b"")
            (library / "more").touch()
            self.assertEqual(sorted(workload.faults(files, folder)),
                             ["extra: more", "missing: small-001", "wrong: small-002"])


if __name__ == "__main__":
    unittest.main()
