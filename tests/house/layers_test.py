"""src obeys the rules of the house, and the check of them finds what it should."""

import tempfile
import unittest
from pathlib import Path

import layers

SRC = Path(__file__).resolve().parents[2] / "src"
CMAKE = """# the layers
lmw_folder(base)
lmw_folder(wire USES base LIBS lmw_boost)
lmw_folder(routing USES base)
lmw_folder(net USES wire
               base  # spread over lines
           LIBS lmw_boost)
"""


class House(unittest.TestCase):
    def test_src_obeys_the_rules_of_the_house(self):
        problems = layers.check(SRC)
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_the_list_of_layers_is_read(self):
        folders = layers.declared((SRC / "CMakeLists.txt").read_text())
        self.assertIn("routing", folders)
        self.assertEqual(folders["routing"], {"base"})


class Check(unittest.TestCase):
    """Each rule, broken in a small tree of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.src = Path(self.folder.name)
        (self.src / "CMakeLists.txt").write_text(CMAKE)
        for name in ("base", "wire", "routing", "net"):
            (self.src / name).mkdir()
            (self.src / name / "README.md").write_text("what it is\n")
        self.write("base/a.hpp", "#pragma once\n#include <string>\n")
        self.write("wire/a.cpp", '#include "wire/a.hpp"\n#include <boost/endian.hpp>\n#include "base/a.hpp"\n')
        self.write("net/a.cpp", '#include <boost/asio/buffer.hpp>\n#include "wire/a.hpp"\n')
        self.write("routing/a.cpp", '#include "base/a.hpp"\n')

    def write(self, path, text):
        (self.src / path).write_text(text)

    def only_problem(self):
        problems = layers.check(self.src)
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def test_a_sound_tree_has_no_problems(self):
        self.assertEqual(layers.check(self.src), [])

    def test_an_include_against_the_arrows_is_found(self):
        self.write("routing/b.cpp", '  #  include "wire/a.hpp"\n')
        self.assertEqual(self.only_problem(), 'routing/b.cpp: includes "wire/a.hpp": routing does not USE wire')

    def test_an_include_from_a_test_is_found_too(self):
        self.write("wire/b_test.cpp", '#include "net/a.hpp"\n')
        self.assertIn("wire does not USE net", self.only_problem())

    def test_asio_in_a_pure_folder_is_found(self):
        for include in ("<boost/asio.hpp>", "<boost/asio/buffer.hpp>", "<asio.hpp>"):
            self.write("routing/b.hpp", f"#include {include}\n")
            self.assertIn("routing is pure", self.only_problem())
        self.write("routing/b.hpp", "")
        self.write("wire/b.hpp", "#include <boost/asio/ip/tcp.hpp>\n")
        self.assertIn("wire is pure", self.only_problem())

    def test_a_circle_is_found(self):
        self.write("CMakeLists.txt", CMAKE.replace("lmw_folder(base)", "lmw_folder(base USES net)"))
        self.assertIn("base: uses itself in a circle", layers.check(self.src))

    def test_an_include_without_its_folder_is_found(self):
        self.write("wire/b.cpp", '#include "a.hpp"\n')
        self.assertIn("name the folder", self.only_problem())

    def test_an_include_of_an_unknown_folder_is_found(self):
        self.write("wire/b.cpp", '#include "elsewhere/a.hpp"\n')
        self.assertIn("elsewhere is no folder of src", self.only_problem())

    def test_a_folder_that_is_not_declared_is_found(self):
        (self.src / "extra").mkdir()
        (self.src / "extra/README.md").write_text("x\n")
        self.write("extra/a.cpp", "")
        self.assertEqual(self.only_problem(), "extra: has no lmw_folder(extra ...) in src/CMakeLists.txt")

    def test_a_use_of_an_unknown_folder_is_found(self):
        self.write("CMakeLists.txt", CMAKE.replace("routing USES base", "routing USES base nowhere"))
        self.assertEqual(self.only_problem(), "routing: USES nowhere, which is no folder")

    def test_a_file_that_is_too_long_is_found(self):
        self.write("wire/b.cpp", "//\n" * 601)
        self.assertEqual(self.only_problem(), "wire/b.cpp: 601 lines, more than 600")
        self.write("wire/b.cpp", "//\n" * 600)
        self.assertEqual(layers.check(self.src), [])

    def test_a_folder_without_a_readme_is_found(self):
        (self.src / "net/README.md").unlink()
        self.assertEqual(self.only_problem(), "net: has no README.md")


if __name__ == "__main__":
    unittest.main()
