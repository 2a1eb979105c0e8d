"""Plants offenders; words.py must find each one, and nothing else."""

import pathlib
import tempfile
import unittest

import words


class WordsTest(unittest.TestCase):
    def check(self, files, groups=words.GROUPS):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return words.check(folder, groups, verbose=True)

    def offenders(self, name, text):
        return [line.strip() for line in self.check({name: text})[1] if line.startswith("  ")]

    def assert_opens(self, name, text, line=1):
        found = [f for f in self.offenders(name, text) if ": opens: " in f]
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:{line}: "), found)
        self.assertFalse(self.check({name: text})[0])

    def assert_silent(self, name, text):
        self.assertEqual([], self.offenders(name, text))
        self.assertTrue(self.check({name: text})[0])

    def test_comments_of_code(self):
        for opener in ["What", "Whether", "How", "Those", "Where", "Which", "Whose", "Of", "The same", "The others", "As"]:
            self.assert_opens("apps/a.cpp", f"int x;\n/// {opener} it is for.\nint y;\n", 2)
        self.assert_opens("mass/a.hpp", "int x;  ///< whether it is there\n")
        self.assert_opens("mass/a.hpp", "int x = 0;  // of the last row\n")
        self.assert_opens("mass/a.hpp", "/* How it works: */\n")
        self.assert_opens("mass/a.hpp", "/// Returns it.\n/// @param rows how many there are\nint f(int rows);\n")
        self.assert_opens("mass/a.hpp", "/// @return Whether it is there.\n")
        self.assert_silent("mass/a.hpp", "/// Returns the row.\n/// Where there is none, -1.\n/// @throws UsageError if absent\n")
        self.assert_silent("mass/a.hpp", "int x;  ///< index of the first place\n        ///< of the row\n")
        self.assert_silent("mass/a.hpp", "/// Offers a choice.\n/// Ostrich and Assembly.\n")
        self.assert_silent("mass/a.hpp", 'auto a = "// What is this thing";\n')

    def test_successive_trailing_comments_are_apart(self):
        self.assert_opens("mass/a.hpp", "int x;  ///< index of a place\nint y;  ///< how far it is\n", 2)

    def test_comments_of_scripts(self):
        self.assert_opens("scripts/run", "#!/bin/sh\n# What it does is run.\n", 2)
        self.assert_opens("tests/a.py", "x = 1\n# Where the files are\n", 2)
        self.assert_opens("tests/a.py", 'def f():\n    """What it is for."""\n', 2)
        self.assert_opens("cmake/a.cmake", "# Whether it is on\n")
        self.assert_silent("scripts/data.bin", "# What it does is run.\n")
        self.assert_silent("tests/a.py", 'x = "# What it is for"\n')

    def test_settings(self):
        self.assert_opens("settings/a.yaml", "rows: 3   # how many rows there are\n")
        self.assert_opens("apps/a.cpp", 'schema.add("rows", 1, "places", "how far "\n  "it reads").atLeast(1);\n')
        self.assert_silent("apps/a.cpp", 'schema.add("rows", 1, "places", "height of the world").atLeast(1);\n')
        self.assert_silent("apps/a.cpp", '// schema.add("rows", 1, "places", "how far it reads");\n')

    def test_what(self):
        many = "row " * 1000
        for name, text in {
            "mass/a.cpp": "// Row by {}.\n",
            "benchmarks/a.cpp": "int a; // Row by {}.\n",
            "tests/a.py": "# Row by {}.\n",
            "scripts/run": "#!/bin/sh\n# Row by {}.\n",
            "apps/a/a.cpp": 'throw mass::UsageError("row by {}");\n',
            "docs/a.md": "Row by {}.\n",
        }.items():
            passed, lines = self.check({name: text.format("what there is")})
            self.assertFalse(passed)
            self.assertEqual(sum(": what: " in line for line in lines), 1, lines)
            self.assertTrue(self.check({name: text.format("what there is " + many)})[0])
            self.assertFalse(self.check({name: text.format("what is what " + many)})[0])
            self.assert_silent(name, text.format("its name, somewhat"))

    def test_prose_outside_code(self):
        self.assert_silent("README.md", "```\nwhat a line this is\n```\nSee `what`, [there](what-is-it.md).\n")
        self.assert_silent("docs/a.md", "Where a row ends, another begins.\n")
        self.assert_silent("build/cpu/a.md", "That is what there is.\n")


if __name__ == "__main__":
    unittest.main()
