"""Plants violations; docs.py must find each one, and nothing else."""

import pathlib
import tempfile
import unittest

import docs
import layers

SOURCE = "class Life {\n  int living = 0;\n    for (;;) {\n      ++living;\n    }\n};\n"


class DocsTest(unittest.TestCase):
    def violations(self, text, page="docs/page.md"):
        with tempfile.TemporaryDirectory() as folder:
            files = {
                page: text,
                "mass/model/places.hpp": "class Places;",
                "README.md": "# What it is\n\n## Two `mass::Mass` objects, no globals!\n\n## Two\n\n## Two\n",
                "apps/life/life.hpp": SOURCE,
                "build/dependency.md": "[broken](nowhere.md)",
            }
            for name, content in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return docs.violations(folder)

    def assert_found(self, text, *words):
        found = self.violations(text)
        self.assertEqual(len(found), 1, found)
        for word in ("docs/page.md:", *words):
            self.assertIn(word, found[0])

    def assert_silent(self, text):
        self.assertEqual([], self.violations(text))

    def test_links(self):
        self.assert_silent("[a](../README.md) [b](../apps/life/) [c](https://example.org/x.md) [d](mailto:a@b.org)")
        self.assert_silent("`[not](a_link.md)` and\n```\n[not](a_link.md)\n```\n")
        self.assert_found("\n[a](../READTHIS.md)", ":2:", "READTHIS.md")
        self.assert_found("![picture](life.png)", "life.png")
        self.assert_found("[![picture](life.png)](../README.md)", "life.png")
        self.assert_found("[![picture](../README.md)](life.html)", "life.html")
        self.assert_found("[a][name]\n\n[name]: ../gone.md", "gone.md")
        self.assert_found('<img src="life.png" width="200">', "life.png")
        self.assert_found("[out](../../outside.md)", "outside.md")

    def test_anchors(self):
        self.assert_silent("[a](../README.md#what-it-is) [b](../README.md#two-massmass-objects-no-globals)")
        self.assert_silent("[c](../README.md#two-1)\n# Own title\n[d](#own-title)")
        self.assert_found("[a](../README.md#what-it-was)", "what-it-was")
        self.assert_found("[a](../README.md#two-2)", "two-2")
        self.assert_found("[a](#nowhere)\n```\n# nowhere\n```", "nowhere")

    def test_paths(self):
        self.assert_silent("`apps/life/life.hpp`, `apps/life`, `apps/<name>/main.cpp`, `docs/*.md`, `x/y`")
        self.assert_found("`apps/life/main.cpp`", "apps/life/main.cpp")
        self.assert_found("run `scripts/run life --help`", "scripts/run")

    def test_functions(self):
        self.assert_silent("`apps/life/life.hpp:living` `apps/life/life.hpp:Life::living()` `src/life.hpp:gone`")
        self.assert_found("\n`apps/life/life.hpp:dead`", ":2:", "dead")
        self.assert_found("`apps/life/life.hpp:livin`", "livin")
        self.assert_found("`apps/life/life.hpp:Death::living`", "Death")
        self.assert_found("`apps/life/lives.hpp:living`", "lives.hpp")

    def test_names_of_the_architecture(self):
        text = "`Places`, `model`, `mass::Places()`, `f(x)`, `Agents`"
        self.assert_silent(text)
        self.assertEqual(self.violations(text, "docs/architecture.md"), ["docs/architecture.md:1: `Agents` occurs nowhere in mass/"])

    def test_pictures(self):
        picture = "\n".join(layers.picture("LAYERS"))
        block = f"<!-- layers.py: LAYERS -->\n```\n{picture}\n```\n"
        self.assert_silent(block)
        self.assert_found(block.replace("dispatch", "dispatcx"), ":2:", "picture")
        self.assert_found(block.replace("LAYERS", "KERNELS"), "picture")

    def test_quoted_code(self):
        def block(code, path="apps/life/life.hpp"):
            return f"```cpp\n// from: {path}\n{code}\n```\n"

        self.assert_silent(block("for (;;) {\n  ++living;\n}"))
        self.assert_silent(block(SOURCE))
        self.assert_silent("```cpp\nint anything;\n```")
        self.assert_found(block("for (;;) {\n  --living;\n}"), "word for word")
        self.assert_found(block("for (;;) {\n++living;\n}"), "word for word")
        self.assert_found(block("int living = 0;\n}"), "word for word")
        self.assert_found(block("int i;", "apps/life/lives.hpp"), "lives.hpp")
        self.assert_found(block(""), "empty")


if __name__ == "__main__":
    unittest.main()
