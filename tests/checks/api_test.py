"""Tests api.py with a made-up header and page."""

import pathlib
import shutil
import tempfile
import unittest

import api

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = """#pragma once
namespace mass {
/// Counts rows. More is said here.
template <class P>
class Rows : public Base<P> {
 public:
  static constexpr int dimensions = P::dimensions;
  /// Makes no rows.
  explicit Rows(int rows = {});
  Rows(const Launch& launch);
  /// Returns the rows of `device`,   -1 if there is none.
  MASS_FN const std::vector<P>& rowsOf(int device, std::string name = "all") const noexcept;
  /// Runs a rule.
  template <auto Rule, class... Args>
  requires(sizeof...(Args) > 0) void callAll(int steps, Args&&... args) const;
  [[deprecated("use rowsOf()")]] int oldRows() const { return 0; }
  void hidden(detail::State& state);

 private:
  int rows_;
};
namespace detail {
struct State { int x; };
}
/// How a row ends.
enum class Border { periodic, fixed };
/// The number of steps.
constexpr int steps(int count) { return count; }
}  // namespace mass
"""
GROUPS = """/// @defgroup Places Places
/// Grids of cells.
/// @class mass::Rows
/// @ingroup Places
/// @enum mass::Border
/// @ingroup Places
/// @class mass::Gone
/// @ingroup Places
"""


class ApiTest(unittest.TestCase):
    def test_white_space(self):
        for code in ["template <class P> Places<P> create(Shape<P::dimensions> shape, Options<P> options = {}) const",
                     "const std::vector<P>& rows(std::string name = \"all\") const",
                     "template <class F> void map(F&& function, const char* const* argv, Args&&... args)",
                     "Intent& operator=(const Intent&)", "float x = 0", "T values[3]"]:
            spaced = code.replace("<", "< ").replace(">", " >").replace("& ", " &").replace(" = ", "=")
            self.assertEqual(api.tidy(spaced), code)
            self.assertEqual(api.same(spaced), api.same(code))
        self.assertNotEqual(api.same("int a(long b)"), api.same("int a(longb)"))
        self.assertNotEqual(api.same("int a(int b = 1)"), api.same("int a(int b)"))

    def test_long_declarations(self):
        code = "template <auto Rule, class... Args> void callAll(" + ", ".join(f"const Type& name{i}" for i in range(12)) + ") const"
        lines = api.wrapped(code)
        self.assertTrue(all(len(line) <= api.WIDTH for line in lines))
        self.assertEqual(api.same("".join(lines)), api.same(code + ";"))

    def test_declarations_on_a_page(self):
        text = "## Places\n\n### Rows\n\nProse;\n```cpp\nint a();  // Returns 1; or 2.\n// Comment.\nint b(int c,\n    int d);\n```\n## Agents\n```\nint e();\n```\n"
        self.assertEqual(api.declarations_on(text), {("Places", "Rows"): [(7, "int a()"), (9, "int b(int c,     int d)")],
                                                     ("Agents", ""): [(14, "int e()")]})

    @unittest.skipUnless(shutil.which("doxygen"), "needs doxygen")
    def test_header(self):
        with tempfile.TemporaryDirectory() as folder:
            root, out = pathlib.Path(folder, "root"), pathlib.Path(folder, "out")
            for name, text in {"mass/rows.hpp": HEADER, "docs/groups.dox": GROUPS,
                               "docs/Doxyfile.in": (ROOT / "docs/Doxyfile.in").read_text(),
                               "CMakeLists.txt": 'project(mass VERSION 1.2.3 LANGUAGES CXX DESCRIPTION "Models")\n'}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            out.mkdir()
            warnings = [f"{file}:{line} {text}" for file, line, text in api.run_doxygen(root, out) if "Base" not in text]
            self.assertEqual(len(warnings), 4, warnings)
            for line, name in [(7, "dimensions"), (10, "Rows(const Launch"), (16, "oldRows()"), (17, "hidden(")]:
                self.assertTrue(any(w.startswith(f"mass/rows.hpp:{line} Member {name}") for w in warnings), warnings)
            found = api.chapters(root, out)
            self.assertEqual(api.group_complaints(root, found), ["docs/groups.dox:7: the headers have no mass::Gone"])
            (root / "mass/mass.hpp").write_text("#include <mass/rows.hpp>\nnamespace mass {\nstruct Stray {};\n}\n")
            self.assertIn("mass/mass.hpp:3: mass::Stray is in no group of docs/groups.dox", api.group_complaints(root, found))
        self.assertEqual([(title, [s.name for s in sections]) for title, _, sections in found],
                         [("Places", ["Rows", api.FUNCTIONS])])
        rows, free = found[0][2]
        self.assertEqual(rows.head, "template <class P> class Rows : Base<P>")
        self.assertEqual(rows.calls, [
            ("static int dimensions = P::dimensions", ""),
            ("explicit Rows(int rows = {})", "Makes no rows."),
            ('const std::vector<P>& rowsOf(int device, std::string name = "all") const',
             "Returns the rows of `device`, -1 if there is none."),
            ("template <auto Rule, class... Args> requires (sizeof...(Args) > 0) void callAll(int steps, Args&&... args) const",
             "Runs a rule.")])
        self.assertEqual(free.calls, [("int steps(int count)", "The number of steps."),
                                      ("enum class Border {periodic, fixed}", "How a row ends.")])

        text = api.page(found)
        self.assertEqual(api.differences(found, text), [])
        self.assertIn("\nint steps(int count);  // The number of steps.\n", text)
        changed = text.replace("int steps(int count)", "int steps(long count)")
        self.assertEqual(len(api.differences(found, changed)), 2)
        self.assertIn("not in the headers: int steps(long count)", api.differences(found, changed)[1])
        self.assertEqual(len(api.differences(found, text.replace("enum class Border {periodic, fixed};", ""))), 1)
        self.assertEqual(len(api.differences(found, text.replace(' = "all"', ""))), 2)
        self.assertEqual(len(api.differences(found, text + "\n## Places\n### Gone\n```cpp\nint gone();\n```\n")), 1)


if __name__ == "__main__":
    unittest.main()
