"""Tests dockerfile.py with made-up Dockerfiles."""

import pathlib
import tempfile
import unittest

import dockerfile

GOOD = "# Comment\nFROM debian:12\nCOPY . /mass\nWORKDIR /mass\nRUN scripts/setup\nRUN scripts/run life\nCMD [\"sh\"]\n"


class DockerfileTest(unittest.TestCase):
    def complaints(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "Dockerfile").write_text(text)
            (root / "README.md").write_text("# Models\n\n```cpp\nint x;\n```\n\n```\nscripts/run life\nscripts/test\n```\n")
            return dockerfile.complaints(root)

    def test_silent(self):
        self.assertEqual(self.complaints(GOOD), [])

    def test_complaints(self):
        for old, new, words in [("debian:12", "debian:13", "debian:12"), ("run life", "run heat2d", "first command"),
                                ("COPY . /mass", "COPY mass /mass", "in /mass"), ("WORKDIR /mass\n", "", "in /mass"),
                                ("CMD", "ENTRYPOINT", "ENTRYPOINT")]:
            found = self.complaints(GOOD.replace(old, new))
            self.assertEqual(len(found), 1, found)
            self.assertIn(words, found[0])

    def test_project_is_copied_without_what_is_ignored(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "root")
            for name in ["build/a", "mass/build/b", "c"]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            (root / ".dockerignore").write_text("build\n")
            dockerfile.copy_project(root, pathlib.Path(folder, "copy"))
            copied = sorted(p.relative_to(f"{folder}/copy").as_posix() for p in pathlib.Path(folder, "copy").rglob("*") if p.is_file())
            self.assertEqual(copied, [".dockerignore", "c", "mass/build/b"])


if __name__ == "__main__":
    unittest.main()
