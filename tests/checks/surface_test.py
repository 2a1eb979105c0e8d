"""Tests the count of surface.py with made-up headers."""

import pathlib
import tempfile
import unittest

import surface


class SurfaceTest(unittest.TestCase):
    def names(self, text, name="mass/model/a.hpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return sorted(surface.surface(folder))

    def test_kinds(self):
        self.assertEqual(self.names("namespace mass {\nclass A {};\nstruct B final : A { int x; };\nunion C { int x; };\n"
                                    "enum D { d };\nenum class E : int { e };\n"
                                    "template <class T>\nconcept F = requires(T t) { t.x; };\n"
                                    "template <class T>\nconcept G = F<T> && true;\n}\n"), list("ABCDEFG"))

    def test_templates_and_attributes(self):
        self.assertEqual(self.names("namespace mass {\ntemplate <class T, int N = (3 > 2)>\nstruct A {};\n"
                                    "template <class T>\nrequires F<T>\nclass [[nodiscard]] B {};\n"
                                    "template <template <class> class T>\nstruct alignas(8) C {};\n"
                                    "class MASS_EXPORT D {};\nstruct alignas(8) MASS_EXPORT E : D {};\n}\n"), list("ABCDE"))

    def test_places_that_do_not_count(self):
        self.assertEqual(self.names("struct Z {};\nnamespace mass {\nnamespace detail {\nstruct A {};\n}\nstruct B { struct C {}; };\n"
                                    "inline void f() { struct D {}; }\n}\nnamespace mass::detail { struct E {}; }\n"), ["B"])
        self.assertEqual(self.names("namespace mass { struct A {}; }\n", "apps/a.hpp"), [])
        self.assertEqual(self.names("namespace mass { struct A {}; }\n", "mass/io/a.cpp"), [])

    def test_declarations_that_do_not_count(self):
        self.assertEqual(self.names("namespace mass {\nclass A;\nenum class B : int;\nusing C = int;\ntemplate <class T> struct D;\n"
                                    "template <>\nstruct D<int> {};\ninline void f(const class A& a) {}\n"
                                    "// struct E {};\n/* struct F {}; */\n#define G struct H {};\n}\n"), [])

    def test_second_definition_counts_once(self):
        self.assertEqual(self.names("namespace mass {\n#if X\nstruct A {};\n#else\nstruct A { int x; };\n#endif\n}\n"), ["A"])

    def test_literals_with_braces(self):
        self.assertEqual(self.names("namespace mass {\nconst char* a = \"} struct B {\";\nconst char b = '}';\nint c = 1'000'000;\nstruct A {};\n}\n"), ["A"])

    def test_included(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"mass.hpp": "#include <mass/a.hpp>\n#include <vector>\n", "a.hpp": "#  include <mass/b.hpp>\n",
                               "b.hpp": "#include <mass/a.hpp>\n", "c.hpp": ""}.items():
                path = pathlib.Path(folder, "mass", name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            self.assertEqual(surface.included(folder), {"mass/mass.hpp", "mass/a.hpp", "mass/b.hpp"})


if __name__ == "__main__":
    unittest.main()
