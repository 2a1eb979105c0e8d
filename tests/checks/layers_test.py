"""Plants violations; layers.py must find each one, and nothing else."""

import pathlib
import tempfile
import unittest

import layers


class LayersTest(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return layers.violations(folder)

    def assert_found(self, name, text, *words):
        found = self.violations({name: text})
        self.assertEqual(len(found), 1, found)
        for word in (name, *words):
            self.assertIn(word, found[0])

    def test_silent_about_what_is_allowed(self):
        self.assertEqual([], self.violations({
            "mass/mass.hpp": "#include <mass/model/mass.hpp>\n#include <mass/io/settings.hpp>\n",
            "mass/model/mass.cpp": "#include <mass/dispatch/d.hpp>\n#include <mass/model/mass.hpp>\n#include <vector>\n",
            "mass/dispatch/d.cpp": "// #include <mass/model/mass.hpp>\n  #  include <mass/support/error.hpp>\n",
            "mass/backend/cpu/device.cpp": "#include <omp.h>\n#include <mass/partition/p.hpp>\n#include <fmt/core.h>\n",
            "mass/backend/mpi/link.hpp": "#include <mpi.h>\n",
            "mass/backend/mpi/link.cpp": "#include <mass/backend/mpi/mpi.hpp>\n",
            "mass/io/yaml.cpp": "#include <yaml-cpp/yaml.h>\n#include <hdf5.h>\n",
            "mass/io/hdf5.hpp": "#include <hdf5.h>\n",
            "mass/io/series.cpp": "#include <mass/io/hdf5.hpp>\n",
            "mass/random/philox.hpp": "#include <Random123/philox.h>\n" + "\n" * 249,
            "apps/life/life.hpp": "#include <mass/mass.hpp>\n",
            "apps/life/main.cpp": '#include "life.hpp"\n#include <apps/life/life.hpp>\n#include <cstdint>\n',
        }))

    def test_upward(self):
        self.assert_found("mass/support/a.hpp", "\n#include <mass/model/mass.hpp>\n", ":2:", "mass/model")
        self.assert_found("mass/memory/a.cpp", "#include <mass/exchange/e.hpp>\n", "mass/exchange")
        self.assert_found("mass/backend/cpu/a.cpp", "#include <mass/memory/m.hpp>\n", "mass/memory")
        self.assert_found("mass/model/a.cpp", "#include <mass/mass.hpp>\n", "mass.hpp")
        self.assert_found("mass/io/a.cpp", "#include <apps/life/life.hpp>\n", "app")
        self.assert_found("mass/backend/cuda/a.cu", "#include <mass/memory/m.hpp>\n", "mass/memory")
        self.assert_found("mass/exchange/cuda/a.cuh", "#include <mass/dispatch/d.cuh>\n", "mass/dispatch")

    def test_boost(self):
        self.assert_found("mass/program/live/board.hpp", "#include <boost/asio.hpp>\n", "mass/program/live/beast")

    def test_mpi(self):
        self.assert_found("mass/backend/ranks.hpp", "#include <mpi.h>\n", "mass/backend/mpi")
        self.assert_found("mass/program/program.cpp", "#include <mass/backend/mpi/mpi.hpp>\n", "mass/backend/mpi")

    def test_upward_inside_kernels(self):
        for file, target in [
            ("stencil_kernels.hpp", "gpu/stencil_kernel.hpp"),
            ("gpu/stencil_kernel.hpp", "streaming/aa_pattern.hpp"),
            ("gpu/stencil_kernel.hpp", "gpu/launchers.hpp"),
            ("plane_sweep/kernel.hpp", "gpu/launchers.hpp"),
            ("streaming/aa_pattern.hpp", "scatter/gpu_persistent_tile.hpp"),
            ("gpu/launchers.hpp", "streaming/gpu_launchers.hpp"),
            ("streaming/gpu_launchers.hpp", "launchers.hpp"),
        ]:
            name, text = f"mass/kernels/{file}", f"#include <mass/kernels/{target}>\n"
            self.assert_found(name, text, ":1:", "inside mass/kernels", target)
        self.assert_found("mass/kernels/gpu/a.hpp", "#include <mass/kernels/new/a.hpp>\n", "no row")
        self.assertEqual([], self.violations({
            "mass/kernels/gpu/launchers.hpp": "#include <mass/kernels/plane_sweep/kernel.hpp>\n#include <mass/kernels/a.hpp>\n",
            "mass/kernels/streaming/a.hpp": "#include <mass/kernels/streaming/b.hpp>\n#include <mass/kernels/gpu/launchers.hpp>\n",
            "mass/kernels/launchers.hpp": "#include <mass/kernels/scatter/gpu_launchers.hpp>\n",
            "mass/kernels/a.cpp": "#include <mass/kernels/b.hpp>\n#include <mass/rules/place.hpp>\n",
        }))

    def test_sideways(self):
        self.assert_found("mass/io/a.cpp", "#include <mass/dispatch/d.hpp>\n", "mass/dispatch")
        self.assert_found("mass/dispatch/a.cpp", "#include <mass/io/d.hpp>\n", "mass/io")
        self.assert_found("mass/random/a.cpp", "#include <mass/partition/d.hpp>\n", "mass/partition")

    def test_relative_path_does_not_hide_a_layer(self):
        found = self.violations({"mass/model/m.hpp": "", "mass/support/a.hpp": '#include "../model/m.hpp"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("mass/support/a.hpp:1:", found[0])

    def test_unknown_layer(self):
        self.assert_found("mass/helpers/a.hpp", "#include <vector>\n", "not a layer")
        self.assert_found("mass/io/a.hpp", "#include <mass/helpers/a.hpp>\n", "in no layer")

    def test_file_formats(self):
        for header in ("yaml-cpp/yaml.h", "hdf5.h", "mass/io/hdf5.hpp", "png.h", "gif_lib.h", "expat.h", "CLI/CLI.hpp"):
            self.assert_found("mass/io/a.hpp", f"#include <{header}>\n", header)
            self.assert_found("mass/model/a.cpp", f"#include <{header}>\n", header)

    def test_metis(self):
        for name in ("mass/graph/a.hpp", "mass/io/a.cpp"):
            self.assert_found(name, "#include <metis.h>\n", "metis.h")
        self.assertEqual([], self.violations({"mass/graph/metis/a.cpp": "#include <metis.h>\n"}))

    def test_apps(self):
        for target in ("<mass/io/settings.hpp>", "<fmt/core.h>", "<apps/heat2d/heat2d.hpp>", '"../heat2d/heat2d.hpp"'):
            self.assert_found("apps/life/main.cpp", f"#include {target}\n", "may include")

    def test_cuda_conditions(self):
        for condition in ("#if defined(__CUDA_ARCH__)", "  # ifdef __CUDACC__", "#if __GNUC__ > 12 || \\\n  defined(__NVCC__)",
                          "#ifndef MASS_CUDA", "#elif __CUDA_ARCH__ >= 900", "#if !defined(MASS_EMULATED_GPUS)"):
            for name in ("mass/rules/a.hpp", "mass/dispatch/cuda/a.cuh", "apps/life/life.hpp"):
                self.assert_found(name, f"\n{condition}\n#endif\n", ":2:", "condition on CUDA")
        self.assertEqual([], self.violations({
            "mass/support/qualifiers.hpp": "#if defined(__CUDACC__)\n#endif\n",
            "mass/support/platform.hpp": "#if defined(__CUDA_ARCH__)\n#endif\n",
            "mass/kernels/launchers.hpp": "#if defined(__CUDACC__)\n#endif\n",
            "mass/rules/a.hpp": "// #if defined(__CUDACC__)\n#if defined(__clang__)\nint cudaX;  // CUDA\n#endif  // CUDA\n",
            "mass/backend/cuda/a.cu": "#if __CUDA_ARCH__ >= 900\n#endif\n",
        }))

    def test_picture(self):
        for name, rows in (("LAYERS", len(layers.LAYERS) + 1), ("KERNELS", len(layers.KERNELS))):
            lines = layers.picture(name)
            self.assertEqual(len(lines), 2 * rows + 1)
            self.assertEqual(len({len(line) for line in lines}), 1)
        words = [line.replace("│", " ").split() for line in layers.picture("LAYERS")[1::2]]
        self.assertEqual(words[::-1][:-1], layers.LAYERS)

    def test_long_header(self):
        self.assert_found("mass/io/a.hpp", "\n" * 251, "at most 250")
        comments = "/// Returns it.\n" * 300 + "  // by row\n" * 10 + "/* Of two\nlines. */\n" * 10
        self.assert_found("mass/io/a.hpp", comments + "int x;\n" * 251, "251 lines")
        self.assertEqual([], self.violations({"mass/io/a.hpp": comments + "int x;\n" * 240}))


if __name__ == "__main__":
    unittest.main()
