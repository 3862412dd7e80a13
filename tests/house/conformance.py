"""Whether docs/conformance.md says of every case what is done, and names tests that exist."""

import re

CASES = (1, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 19, 20, 21, 23, 25, 26, 28, 29, 30, 31, 33, 34, 35, 37, 38, 39, 40,
         41, 43, 45, 46)
ROW = re.compile(r"^\| C(\d+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
GTEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
PENDING = "Not built yet: "


def unit_tests(root):
    """{"Suite.Name", "Suite.*"} of all GoogleTest files."""
    found = set()
    for folder in ("src", "tests"):
        for path in (root / folder).rglob("*_test.cpp"):
            for suite, name in GTEST.findall(path.read_text()):
                found |= {f"{suite}.{name}", f"{suite}.*"}
    return found


def black_box_tests(root):
    """{"file.py::name"} of the test functions and classes of tests/e2e."""
    return {f"{path.name}::{name}" for path in (root / "tests/e2e").glob("test_*.py")
            for name in re.findall(r"^ *(?:def|class) (test_\w+|[A-Z]\w+)\(", path.read_text(), re.MULTILINE)}


def check(root):
    """All that is wrong, a line each."""
    known = unit_tests(root) | black_box_tests(root)
    rows = ROW.findall((root / "docs/conformance.md").read_text())
    problems = [f"C{number}: is not there, or twice" for number in CASES
                if [int(row[0]) for row in rows].count(number) != 1]
    if [int(row[0]) for row in rows] != sorted(int(row[0]) for row in rows):
        problems.append("the cases are not in order")
    for number, _, done, tests in rows:
        names = NAME.findall(tests)
        if int(number) not in CASES:
            problems.append(f"C{number}: is no known case")
        if not names and PENDING not in done:
            problems.append(f"C{number}: has no test, and is not said to be not built yet")
        problems += [f"C{number}: there is no test {name}" for name in names if name not in known]
    return problems
