"""The Python module: the same answers as Python's own sets, no copies, no lock while batches run, clear refusals."""

import pathlib
import tempfile
import threading
import unittest

import bloomery
import numpy


def made_sets(count, size):
    random = numpy.random.default_rng(1)
    return [random.integers(0, 2**64, size, dtype=numpy.uint64) for _ in range(count)]


def pairs(answer):
    return {tuple(pair) for pair in answer.tolist()}


class AnswersTest(unittest.TestCase):
    def truth(self, sets, keys):
        holders = [set(s.tolist()) for s in sets]
        return {(i, j) for i, key in enumerate(keys.tolist()) for j, held in enumerate(holders) if key in held}

    def test_exact_agrees_with_sets_of_python(self):
        for count in (1, 63, 64, 65):
            sets = made_sets(count, 20)
            index = bloomery.Structure("exact")
            index.build(sets)
            keys = numpy.concatenate([*[s[:3] for s in sets], numpy.arange(50, dtype=numpy.uint64)])
            self.assertEqual(pairs(index.query(keys)), self.truth(sets, keys))

    def test_no_false_negative_in_any_index_of_many_sets(self):
        sets = made_sets(65, 20)
        keys = numpy.concatenate(sets)
        for name in ("naive", "bloofi", "flat_bloofi", "sliced_bloofi"):
            index = bloomery.Structure(name, n_exp=20, rho=0.01, hash="double")
            index.build(sets, threads=2)
            found = pairs(index.query(keys))
            self.assertLessEqual(self.truth(sets, keys), found, name)
            self.assertLess(len(found), 3 * len(keys), name)

    def test_sets_come_change_and_go(self):
        index = bloomery.Structure("flat_bloofi", n_exp=10, rho=1e-6)
        index.insert(0, numpy.array([1, 2], dtype=numpy.uint64))
        index.insert(1, [2, 3])
        self.assertEqual(pairs(index.query([1, 2, 3])), {(0, 0), (1, 0), (1, 1), (2, 1)})
        index.replace(0, [3])
        index.erase(1)
        self.assertEqual(pairs(index.query([1, 2, 3])), {(2, 0)})

    def test_empty_batches_and_sets(self):
        index = bloomery.Structure("flat_bloofi", n_exp=10, rho=0.01)
        self.assertEqual(index.query([]).shape, (0, 2))
        index.build([[], [7]])
        self.assertEqual(pairs(index.query(numpy.array([7], dtype=numpy.uint64))), {(0, 1)})
        self.assertEqual(index.contains([]).tolist(), [])

    def test_strings_and_bytes_are_hashed_alike(self):
        words = ["apple", "", "\u00fcber", "a\0b"]
        by_text = bloomery.keys(words)
        self.assertEqual(by_text.dtype, numpy.uint64)
        self.assertEqual(by_text.tolist(), bloomery.keys([word.encode() for word in words]).tolist())
        self.assertEqual(by_text.tolist(), bloomery.keys(numpy.array(words, dtype=object)).tolist())
        self.assertEqual(bloomery.keys(numpy.array(["apple", "pear"]))[0], by_text[0])
        self.assertEqual(by_text[1], 0x2D06800538D394C2)  # XXH3 of nothing
        words_seen = bloomery.Structure("bloom", n_exp=1000, rho=1e-6)
        words_seen.insert(0, words)
        self.assertEqual(words_seen.contains([*words, "pear"]).tolist(), [True, True, True, True, False])

    def test_integers_of_other_widths_are_widened(self):
        for kind in (numpy.uint8, numpy.int32, numpy.int64):
            self.assertEqual(bloomery.keys(numpy.array([1, 200 % 128], dtype=kind)).tolist(), [1, 72])
        self.assertEqual(bloomery.keys(numpy.arange(10, dtype=numpy.uint64)[::3]).tolist(), [0, 3, 6, 9])

    def test_uint64_keys_are_not_copied(self):
        keys = numpy.arange(1000, dtype=numpy.uint64)
        self.assertTrue(numpy.shares_memory(bloomery.keys(keys), keys))

    def test_every_structure_is_there_and_described(self):
        self.assertIn("bloofi", bloomery.structures())
        for name in bloomery.structures():
            for parameter in bloomery.describe(name):
                self.assertEqual(set(parameter), {"name", "type", "range", "default", "about"})
        index = bloomery.Structure("flat_bloofi", n_exp=10, rho=0.01)
        index.build(made_sets(10, 10))
        self.assertGreater(index.footprint()["memory_bytes"], 0)


class ThreadsTest(unittest.TestCase):
    def test_threads_fill_and_ask_one_filter(self):
        shared = bloomery.Structure("blocked_bloom", n_exp=40_000, rho=0.01)
        lost = []

        def work(keys):
            for part in numpy.array_split(keys, 10):
                shared.insert(0, part)
                lost.append(int((~shared.contains(part)).sum()))

        self.run_threads([threading.Thread(target=work, args=(keys,)) for keys in made_sets(4, 10_000)])
        self.assertEqual(lost, [0] * 40)

    def test_sets_of_one_index_may_come_from_many_threads(self):
        index = bloomery.Structure("bloofi", n_exp=10, rho=0.01)
        sets = made_sets(40, 10)

        def work(start):
            for i in range(start, 40, 4):
                index.insert(i, sets[i])
                index.query(sets[i])

        self.run_threads([threading.Thread(target=work, args=(start,)) for start in range(4)])
        found = pairs(index.query(numpy.concatenate(sets)))
        self.assertLessEqual({(i, i // 10) for i in range(400)}, found)

    def test_other_threads_run_during_a_batch(self):
        naive = bloomery.Structure("naive", n_exp=100, rho=0.01)
        naive.build(made_sets(500, 10))
        keys = numpy.arange(50_000, dtype=numpy.uint64)
        done = threading.Event()
        thread = threading.Thread(target=lambda: (naive.query(keys), done.set()))
        thread.start()
        ticks = 0
        while not done.is_set():  # with the lock held by the batch, nothing here would run before its end
            ticks += 1
        thread.join()
        self.assertGreater(ticks, 100)

    def run_threads(self, threads):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class RefusalsTest(unittest.TestCase):
    def refuses(self, kind, message, call, *args, **keywords):
        with self.assertRaises(kind) as caught:
            call(*args, **keywords)
        self.assertEqual(str(caught.exception), message)

    def test_names_and_parameters_as_in_the_program(self):
        self.refuses(bloomery.ParamError, "unknown structure 'blofi'; did you mean 'bloofi'?",
                     bloomery.Structure, "blofi")
        self.refuses(bloomery.ParamError, "unknown parameter 'rhoo'; did you mean 'rho'?",
                     bloomery.Structure, "bloofi", rhoo=1)
        self.refuses(ValueError, "rho is 2; it must be over 0 and under 1", bloomery.Structure, "bloofi", rho=2)

    def test_keys_that_are_none(self):
        index = bloomery.Structure("flat_bloofi", n_exp=10, rho=0.01)
        self.refuses(TypeError, "keys are float64; they must be uint64, str or bytes", index.query, [0.5])
        self.refuses(ValueError, "a key is -3; keys must be from 0 to 2^64 - 1", index.query, [1, -3])
        self.refuses(ValueError, "keys have 2 dimensions; they must have one", index.query,
                     numpy.zeros((2, 2), dtype=numpy.uint64))
        self.refuses(TypeError, "a key is of type NoneType; keys must be uint64, str or bytes", index.query, ["a", None])
        self.refuses(TypeError, "one string was given where a list or an array of keys belongs; write [key]",
                     index.query, "apple")
        self.assertEqual(index.footprint()["nodes"], 0)

    def test_what_a_structure_cannot_do(self):
        bloom = bloomery.Structure("bloom", n_exp=10, rho=0.01)
        self.refuses(ValueError, "set 1 was named, but bloom holds set 0 only", bloom.insert, 1, [1])
        self.refuses(ValueError, "2 sets were given, but bloom holds one", bloom.build, [[1], [2]])
        self.refuses(RuntimeError, "bloom cannot erase a set", bloom.erase, 0)
        index = bloomery.Structure("bloofi", n_exp=10, rho=0.01)
        index.build([[1]])
        self.refuses(RuntimeError, "it holds sets already; build is for an empty structure", index.build, [[2]])


class RowsTest(unittest.TestCase):
    HEADER = "schema,run_id,structure,N,ns_per_op,status,params"

    def file(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "rows.csv"
        path.write_text(text, encoding="utf-8")
        return path

    def test_rows_with_their_parameters(self):
        path = self.file(f'{self.HEADER}\n2,0012,bloofi,100,1.5,ok,layout=rows;ranks=2\n2,1e55,naive,,,error,"error=a,b"\n')
        for given in (path, path.parent):
            rows = bloomery.load_rows(given)
            self.assertEqual(rows["run_id"].tolist(), ["0012", "1e55"])
            self.assertEqual(rows["ns_per_op"].sum(), 1.5)
            self.assertEqual(rows["ranks"].tolist()[0], 2)
            self.assertEqual(rows["error"].tolist()[1], "a,b")
            self.assertTrue(rows["N"].isna().tolist()[1])

    def test_what_is_no_rows_file(self):
        for text, what in (("", "No columns to parse"), ("a,b\n1,2\n", "names no column 'schema'"),
                           (f"{self.HEADER}\n1,x,y,1,1,ok,\n", "rows of another version (schema 1, here 2)")):
            path = self.file(text)
            with self.assertRaises(ValueError) as caught:
                bloomery.load_rows(path)
            self.assertIn(str(path), str(caught.exception))
            self.assertIn(what, str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            bloomery.load_rows("/no/such/file")


if __name__ == "__main__":
    unittest.main()
