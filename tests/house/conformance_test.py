"""docs/conformance.md names what there is, and the check of it finds what it should."""

import tempfile
import unittest
from pathlib import Path

import conformance

ROOT = Path(__file__).resolve().parents[2]


class Conformance(unittest.TestCase):
    def test_every_case_is_there_and_every_test_exists(self):
        problems = conformance.check(ROOT)
        self.assertFalse(problems, "\n" + "\n".join(problems))


class Check(unittest.TestCase):
    """Each rule, broken in a small tree of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in (("src/wire/a_test.cpp", "TEST(Suite, Name) {}\nTEST_F(Other,\n       Long) {}\n"),
                           ("tests/e2e/test_a.py", "class Some(Case):\n    def test_it(self):\n        pass\n")):
            (self.root / path).parent.mkdir(parents=True)
            (self.root / path).write_text(text)
        (self.root / "docs").mkdir()
        self.rows = {number: f"| C{number} | seen | done | `Suite.Name` |" for number in conformance.CASES}

    def problems(self):
        (self.root / "docs/conformance.md").write_text("# Title\n\n" + "\n".join(self.rows.values()) + "\n")
        return conformance.check(self.root)

    def row(self, tests, done="done"):
        self.rows[1] = f"| C1 | seen | {done} | {tests} |"
        return self.problems()

    def test_tests_of_all_kinds_are_known(self):
        names = ("Suite.Name", "Suite.*", "Other.Long", "test_a.py::test_it", "test_a.py::Some")
        self.assertEqual(self.row("<br>".join(f"`{name}`" for name in names)), [])

    def test_a_test_that_is_not_there_is_found(self):
        for name in ("Suite.Other", "Nothing.*", "test_a.py::test_other", "test_b.py::test_it", "test_it"):
            self.assertEqual(self.row(f"`Suite.Name`<br>`{name}`"), [f"C1: there is no test {name}"])

    def test_a_case_without_a_test_must_say_what_it_waits_for(self):
        self.assertEqual(self.row("—"), ["C1: has no test, and is not said to be not built yet"])
        self.assertEqual(self.row("—", "Not built yet: keys."), [])

    def test_a_case_that_is_missing_unknown_or_out_of_order_is_found(self):
        del self.rows[3]
        self.assertEqual(self.problems(), ["C3: is not there, or twice"])
        self.rows[3] = "| C3 | seen | done | `Suite.Name` |"
        self.assertEqual(self.problems(), ["the cases are not in order"])
        self.rows[3] = "| C99 | seen | done | `Suite.Name` |"
        self.assertEqual(self.problems(), ["C3: is not there, or twice", "C99: is no known case"])


if __name__ == "__main__":
    unittest.main()
