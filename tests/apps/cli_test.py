"""Tests the errors of wrong input: one clear line, exit code 2, and nothing written to disk.

python3 cli_test.py FOLDER_OF_PROGRAMS [unittest's options]"""

import os
import re
import shutil
import subprocess

import programs
from programs import Folder, files, run

RLE = "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n"

# program, assignments, parts of the message
ASSIGNMENTS = [
    ("life", ["rows=-1"], ["--set rows=-1", "at least 1"]),
    ("life", ["rows=0"], ["rows", "at least 1"]),
    ("life", ["rows=ten"], ["expected an integer", "'ten'"]),
    ("life", ["rows=1.5"], ["expected an integer"]),
    ("life", ["rows="], ["rows", "expected an integer"]),
    ("life", ["rows=99999999999999999999"], ["rows", "64 bits"]),
    ("life", ["rows=9223372036854775807"], ["9223372036854775807 x 40", "too large"]),
    ("life", ["columns=9223372036854775807"], ["40 x 9223372036854775807", "too large"]),
    ("life", ["rows=9223372036854775807", "columns=1"], ["9223372036854775807 x 1 ", "too large"]),
    ("life", ["rows=1", "columns=9223372036854775807"], ["1 x 9223372036854775807", "too large"]),
    ("life", ["rows=4294967296", "columns=4294967296"], ["4294967296 x 4294967296", "too large"]),
    ("life", ["rows=3037000500", "columns=3037000500"], ["too large"]),
    ("heat2d", ["rows=2305843009213693952", "columns=8"], ["too large"]),
    ("life", ["rows=1000000", "columns=1000000"], ["1000000 x 1000000 places", "needs 20", " bytes are available"]),
    ("heat2d", ["rows=1000000", "columns=1000000"], ["needs 16", " bytes are available"]),
    ("life", ["density=2"], ["density=2", "0 to 1"]),
    ("life", ["density=.nan"], ["density", "expected a number"]),
    ("life", ["rule=B9/S23"], ["rule=B9/S23", "9"]),
    ("life", ["rule=Conwei"], ["rule=Conwei", "did you mean Conway?"]),
    ("life", ["border=mirrored"], ["border", "periodic or dead"]),
    ("life", ["devices=41"], ["devices=41", "only 40 rows", "at most 40"]),
    ("life", ["devices=-1"], ["devices", "0 to 1024"]),
    ("life", ["devices=2", "weights=[1, 2, 3]"], ["weights", "'devices', 2", "there are 3"]),
    ("life", ["devices=2", "weights=[1, -2]"], ["weights", "above 0"]),
    ("life", ["devices=2", "weights=[1, x]"], ["weights", "'x'"]),
    ("life", ["devices=2", "weights=1"], ["weights", "a list of numbers"]),
    ("life", ["backend=gpu"], ["backend", "cpu, cuda or auto"]),
    ("life", ["ranks.cpu=1"], ["ranks.cpu", "one rank", "mpirun"]),
    ("life", ["seed=-1"], ["seed", "at least 0"]),
    ("life", ["steps=-1"], ["steps", "at least 0"]),
    ("life", ["MAX_PLACE_EXCHANGE=65"], ["MAX_PLACE_EXCHANGE", "0 to 64"]),
    ("life", ["nonsense"], ["nonsense", "key=value"]),
    ("life", ["=3"], ["=3", "unknown key"]),
    ("life", [""], ["key=value"]),
    ("life", ["rowz=3"], ["unknown key 'rowz'", "did you mean 'rows'"]),
    ("life", ["output=3"], ["'output' is a section"]),
    ("life", ["output.foldr=x"], ["did you mean 'output.folder'"]),
    ("life", ["output.palette=jet"], ["output.palette=jet", "automatic, heat"]),
    ("life", ["output.palette=hea"], ["did you mean 'heat'"]),
    ("life", ["output.frames_per_second=0"], ["frames_per_second", "1 to 50"]),
    ("life", ["output.folder="], ["output.folder", "must name a folder"]),
    ("life", ["pattern=missing.rle"], ["missing.rle", "does not exist"]),
    ("life", ["pattern=."], [".: not a file"]),
    ("heat2d", ["time_step=1.01"], ["time_step=1.01", "largest stable time_step is 1"]),
    ("heat2d", ["spacing=1e-200"], ["time_step", "unstable"]),
    ("heat2d", ["precision=half"], ["precision", "float or double"]),
    ("heat2d", ["diffusivity=0"], ["diffusivity", "above 0"]),
    ("heat2d", ["diffusivity=inf"], ["diffusivity", "expected a number"]),
    ("heat2d", ["start=mode", "edges=fixed", "edge_temperature=3"], ["edge_temperature", "edges at 0"]),
    ("heat3d", ["order=3"], ["order=3", "2, 4, 6 or 8"]),
    ("heat3d", ["order=10"], ["order=10", "2 to 8"]),
    ("heat3d", ["order=6", "time_step=0.111"], ["time_step=0.111", "above 0.110294", "largest stable time_step is 0.11029"]),
    ("heat3d", ["order=8", "MAX_PLACE_EXCHANGE=2"], ["MAX_PLACE_EXCHANGE", "at least 4"]),
    ("heat3d", ["faces=open"], ["faces", "insulated, fixed or periodic"]),
    ("life3d", ["rule=B9/S"], ["rule=B9/S", "after S", "B6/S5-7"]),
    ("life3d", ["rule=27"], ["rule=27", "B6/S5-7,10", "5766"]),
    ("life3d", ["rule=B27/S5"], ["rule=B27/S5", "above 26"]),
    ("life3d", ["radius=-1"], ["radius", "at least 0"]),
    *((program, [f"{key}={number}"], [f"{key}={number}", f"auto or a number of steps from 1 to {most}"])
      for program in ["heat2d", "heat3d", "life3d", "seismic"]
      for key, most in [("steps_per_pass", 16), ("exchange_every", 64)] for number in [0, most + 1, "many"]),
    ("seismic", ["time_step=1"], ["time_step=1", "above 6 / (7 sqrt(3))", "largest stable time_step is 0.00412"]),
    ("seismic", ["vs=2122"], ["vs=2122", "below vp / sqrt(2) = 2121.32"]),
    ("seismic", ["vs=-1"], ["vs=-1", "at least 0"]),
    ("seismic", ["source.position=[1e6, 0, 0]"], ["source.position", "outside of the world", "x is 1000000 m"]),
    ("seismic", ["source.position=[0, 0, -1]"], ["source.position", "outside of the world", "z is -1 m, not 0 to"]),
]

# contents of the settings file, parts of the message
SETTINGS_FILES = [
    ("a: [\n", [":2:1", "not YAML"]),
    ("rows: 3\n\tcolumns: 4\n", ["not YAML"]),
    ("just words\n", [":1", "'key: value' lines"]),
    ("- 1\n- 2\n", ["'key: value' lines"]),
    ("rows: 3\nrows: 4\n", [":2", "second time"]),
    ("rows: 3\ncolums: 4\n", [":2", "unknown key 'colums'", "did you mean 'columns'"]),
    ("rows: many\n", [":1", "'rows'", "expected an integer", "'many'"]),
    ("rows: '3'\n", [":1", "'rows'", "quoted text"]),
    ("rows: [3]\n", ["a list"]),
    ("rows:\n", ["'rows' has no value"]),
    ("steps: 5\nrows: -4\n", [":2", "'rows'", "at least 1"]),
    ('output:\n  folder: "uq\ndevices: 999\nbogus: 1\n', [":2", "never closed"]),
    ("rows: 3\nrule: 'B3/S23\ndevices: 999\n", [":2", "never closed"]),
    ("output: 3\n", ["'output' is a section"]),
    ("output:\n  folder: [a]\n", [":2", "'output.folder'"]),
    (b"rows: 3\n\x00\xff", [":2", "not text"]),
    (b"\x7fELF\x02\x01\x01\x00", [":1", "not text"]),
    ("rows: 3\n" + "#" * (1 << 20), ["larger than 1 MiB"]),
]

# name and contents of a pattern file, parts of the message
PATTERNS = [
    ("p.rle", "", ["p.rle"]),
    ("p.rle", "bob$2zo$3o!\n", ["p.rle:1:6", "z"]),
    ("p.rle", "x = 3, y = , rule = B3/S23\nbob!\n", ["p.rle:1"]),
    ("p.rle", "x = -3, y = 3\nbob!\n", ["p.rle:1"]),
    ("p.rle", "x = 99999999999999999999, y = 3\nbob!\n", ["p.rle:1"]),
    ("p.rle", "x = 3, y = 3, rule = B3/S23\nbob$2zo$3o!\n", ["p.rle:2:6", "z"]),
    ("p.rle", "x = 3, y = 3\n9o!\n", ["p.rle:2"]),
    ("p.rle", "x = 3, y = 3\n99999999999999999999999o!\n", ["p.rle:2"]),
    ("p.rle", "x = 3, y = 3\n3o$3o$3o$3o!\n", ["p.rle:2"]),
    ("p.rle", "x = 3, y = 3\nbob$2bo$3o\n", ["p.rle", "!"]),
    ("p.rle", "x = 3, y = 3, rule = Brian\nbo!\n", ["p.rle:1", "Brian"]),
    ("p.rle", "x = 41, y = 3, rule = B3/S23\no!\n", ["3 rows and 41 columns", "40 rows and 40 columns", "larger"]),
    ("p.rle", "x = 3, y = 400, rule = B3/S23\no!\n", ["400 rows", "larger"]),
    ("p.rle", b"\x00\xff\x00\xff", ["p.rle: a binary file"]),
    ("p.cells", "!Name: x\n..O\n.Q.\n", ["p.cells:3:2", "Q"]),
    ("p.cells", "", ["p.cells"]),
    ("p", "<html>\n", ["p: ", "neither"]),
    ("p.rle", "x = 3, y = 3, rule = B3/S23:T72,48\no!\n",
     ["p.rle:1:22", "rows=48, columns=72 and border=periodic", "rule=B3/S23"]),
    ("p.rle", "x = 3, y = 3, rule = B3/S23:K72,48\no!\n", ["p.rle:1:22", "Klein bottle"]),
    ("p.rle", "x = 3, y = 3, rule = LifeHistory\n.AF!\n", ["p.rle:2:3", "state 6"]),
    ("p.rle", "x = 3, y = 3, rule = R5,C0,M1,S34..58,B34..45,NM\no!\n", ["p.rle:1:22", "Larger than Life"]),
    ("p.rle", "x = 3, y = 3, rule = B3/S23\n.AC!\n", ["p.rle:2:3", "state 3", "at least 4 states"]),
    ("p.mc", "[M2] (golly 4.2)\n#R B3/S23\n$$$$$$$.*$\n", ["p.mc: a macrocell file", "save it as RLE"]),
    ("p.lif", "#Life 1.06\n0 0\n1\n", ["p.lif:3:2", "two integers"]),
    ("p.lif", "#Life 1.05\n#P 0 0\n*x\n", ["p.lif:3:2", "x"]),
]

# the other arguments, parts of the message
ARGUMENTS = [
    ([""], ["''", "defaults"]),
    (["missing.yaml"], ["'missing.yaml'", "No such file"]),
    (["."], ["'.'", "a folder"]),
    (["life.yaml", "other.yaml"], ["'other.yaml'", "one settings file"]),
    (["life.yaml", "--sett", "rows=3"], ["'--sett'", "did you mean '--set'"]),
    (["life.yaml", "--rows", "3"], ["'--rows'", "--set rows="]),
    (["life.yaml", "--xyz"], ["'--xyz'", "--help"]),
    (["life.yaml", "--set"], ["--set", "--help"]),
    (["life.yaml", "--restart"], ["--restart", "--help"]),
    (["life.yaml", "--restart", ""], ["--restart ''", "names no checkpoint"]),
    (["life.yaml", "--restart="], ["--restart"]),
    (["life.yaml", "--restart", "missing.h5"], ["missing.h5", "no such file"]),
    (["life.yaml", "--restart", "."], ["not a file"]),
    (["life.yaml", "--restart", "life.yaml"], ["life.yaml", "neither a MASS checkpoint"]),
    (["--print-settings", "--set", "rows=-1"], ["at least 1"]),
]


class WrongInput(Folder):
    def check_nothing_happens(self, program, arguments, says, **more):
        before = files(self.folder)
        outcome = run([str(programs.BIN / program), *map(str, arguments)], cwd=self.folder, **more)
        self.check_refused(program, outcome, *says)
        self.assertEqual(outcome.stdout, "")
        self.assertEqual(files(self.folder), before)

    def test_assignments(self):
        self.write("seismic.yaml", "steps: 1\n")
        for program, assignments, says in ASSIGNMENTS:
            with self.subTest(program=program, assignments=assignments):
                options = [f"--set={text}" if text else "--set=" for text in assignments]
                if assignments == [""]:
                    options = ["--set", ""]
                self.check_nothing_happens(program, [f"{program}.yaml", *options], says)

    def test_more_agents_than_devices_hold(self):
        self.write("predation.yaml", "size: 10\n")
        self.check_nothing_happens("predation", ["predation.yaml", "--set", "sheep=3000000000"],
                                   ["3000000000 agents of class sheep are more than the 2147483646 that 1 device can number"])

    def test_events_that_cannot_run(self):
        self.write("phold.yaml", "places: 100\nsteps: 2\nthreads: 2\noutput: {table_every: 0, plot: []}\n")
        for assignments, says in [
                (["lookahead=2"], ["lookahead", "above the mean"]),
                (["lookahead=-1"], ["lookahead", "0 to 1000000"]),
                (["remote=1.5"], ["remote", "0 to 1"]),
                (["events.engine=optimistic"], ["events.engine", "time_warp, conservative or reference"]),
                (["events.memory=-1"], ["events.memory", "at least 0"]),
                (["events.engine=conservative"], ["events of 'objects'", "lookahead above 0"])]:
            with self.subTest(assignments=assignments):
                self.check_nothing_happens("phold", ["phold.yaml", *[f"--set={text}" for text in assignments]], says)
        outcome = self.run_program("phold", ["events.memory=0.01"])
        self.check_refused("phold", outcome, "events.memory: 0.01 MiB are too small", "objects")

    def test_settings_files(self):
        for contents, says in SETTINGS_FILES:
            with self.subTest(contents=contents[:40]):
                self.write("wrong.yaml", contents)
                self.check_nothing_happens("life", ["wrong.yaml"], ["wrong.yaml", *says])

    def test_pattern_files(self):
        for name, contents, says in PATTERNS:
            with self.subTest(contents=contents[:60]):
                self.write(name, contents)
                self.check_nothing_happens("life", ["life.yaml", "--set", f"pattern={name}"], says)

    def test_arguments(self):
        for arguments, says in ARGUMENTS:
            with self.subTest(arguments=arguments):
                self.check_nothing_happens("life", arguments, says)

    def test_a_pipe_as_checkpoint(self):
        os.mkfifo(self.folder / "pipe")
        self.check_nothing_happens("life", ["life.yaml", "--restart", "pipe"], ["pipe", "not a file"])

    def test_a_setting_from_the_file_is_named_with_its_line(self):
        self.write("wrong.yaml", "rows: 9\npattern: big.rle\n")
        self.write("big.rle", "x = 10, y = 10\no!\n")
        self.check_nothing_happens("life", ["wrong.yaml"], ["10 rows and 10 columns"])
        self.write("wrong.yaml", "diffusivity: 1\nspacing: 1\n\ntime_step: 3\n")
        self.check_nothing_happens("heat2d", ["wrong.yaml"], ["wrong.yaml:4", "'time_step'"])

    def test_a_file_where_the_output_folder_should_be(self):
        self.write("taken", "mine")
        for folder in ["taken", "taken/below", "taken/below/that"]:
            with self.subTest(folder=folder):
                self.check_nothing_happens("life", ["life.yaml", "--set", f"output.folder={folder}"],
                                           ["taken", "a file is where a folder is needed"])

    def test_a_file_where_the_folder_of_the_frames_should_be(self):
        self.write("out/frames", "mine")
        self.check_nothing_happens("life", ["life.yaml"], ["out/frames", "a file is where a folder is needed"])

    def test_a_file_where_the_folder_of_the_data_should_be(self):
        self.write("out/life", "mine")
        outcome = self.run_program("life", ["output.frame_every=0"])
        self.check_refused("life", outcome, "out/life", "a file is where a folder is needed")

    def test_a_folder_where_a_file_should_be(self):
        (self.folder / "out/life.csv/x").mkdir(parents=True)
        outcome = self.run_program("life")
        self.check_refused("life", outcome, "out/life.csv", "a folder is where the file should go")
        self.assertEqual(files(self.folder / "out"), {})
        (self.folder / "out/checkpoint.h5/x").mkdir(parents=True)
        shutil.rmtree(self.folder / "out/life.csv")
        outcome = self.run_program("life")
        self.check_refused("life", outcome, "'out/checkpoint.h5' is a folder: name another file")

    def test_a_checkpoint_under_the_name_of_another_file_of_the_run(self):
        (self.folder / "link").symlink_to(".")
        for file, says in [("life.yaml", "the settings file"), ("link/life.yaml", "the settings file"),
                           ("out/life.csv", "the table"), ("out/life.csv.partial", "the table"),
                           ("link/out/../out/life.csv", "the table"), ("out/life.vtkhdf", "the data"),
                           ("out/life/x.h5", "the folder of the data"), ("out/life.gif", "the animation"), ("out/life.mp4", "the animation"),
                           ("out/frames/000000010.png", "the folder of the pictures"),
                           ("out/frames", "the folder of the pictures")]:
            with self.subTest(file=file):
                self.check_nothing_happens("life", ["life.yaml", "--set", f"checkpoint.file={file}"],
                                           ["checkpoint.file", file, says, "name another file"])
        # A file that this run does not write may be named.
        self.finish("life", ["checkpoint.file=out/life.csv", "output.table_every=0"])

    def test_a_folder_without_permission(self):
        if os.geteuid() == 0:  # root may write anywhere, so another user runs a copy
            for program in ["life", "heat2d"]:
                shutil.copy2(programs.BIN / program, self.folder)
        self.folder.chmod(0o755)
        closed = self.folder / "closed"
        (closed / "old").mkdir(parents=True)
        for folder in [closed / "old", closed]:
            folder.chmod(0o555)
        where = self.folder if os.geteuid() == 0 else programs.BIN
        for program, output in [("life", "closed"), ("heat2d", "closed/old"), ("life", "closed/new/deep")]:
            with self.subTest(output=output):
                before = files(self.folder)
                outcome = run([str(where / program), f"{program}.yaml", "--set", f"output.folder={output}"],
                              cwd=self.folder, **programs.as_other_user())
                self.check_refused(program, outcome, output.removesuffix("/deep"), "Permission denied",
                                   "that you may write to")
                self.assertEqual(files(self.folder), before)
        closed.chmod(0o755)


class WrongCheckpoint(Folder):
    def setUp(self):
        super().setUp()
        self.finish("life", ["steps=20", "output.frame_every=0", "output.data_every=0"])
        self.good = (self.folder / "out/checkpoint.h5").read_bytes()
        self.finish("heat2d", ["steps=20", "output.folder=heat"])

    def refuse(self, assignments, checkpoint, *says):
        before = files(self.folder)
        outcome = self.run_program("life", assignments, "--restart", checkpoint)
        self.check_refused("life", outcome, *says)
        self.assertEqual(outcome.stdout, "")
        self.assertEqual(files(self.folder), before)

    def test_of_another_model(self):
        self.refuse([], "heat/checkpoint.h5", "heat/checkpoint.h5", "'heat2d', not of 'life'")

    def test_of_another_shape(self):
        self.refuse(["rows=41"], "out/checkpoint.h5", "out/checkpoint.h5", "[40 x 40]", "[41 x 40]")

    def test_of_another_program(self):
        self.refuse([], "heat/heat2d.vtkhdf", "heat/heat2d.vtkhdf")

    def test_of_a_step_beyond_the_last(self):
        self.refuse(["steps=19"], "out/checkpoint.h5", "steps=19", "20")

    def test_truncated(self):
        size = len(self.good)
        for length in [0, 1, 7, 8, 50, 96, size // 4, size // 2, size - 100, size - 1]:
            with self.subTest(length=length):
                self.write("cut.h5", self.good[:length])
                self.refuse([], "cut.h5", "cut.h5")

    def test_with_a_flipped_bit(self):
        said = set()
        for at in range(0, len(self.good), max(1, len(self.good) // 60)):
            damaged = bytearray(self.good)
            damaged[at] ^= 1 << (at % 8)
            self.write("flipped.h5", bytes(damaged))
            before = files(self.folder)
            outcome = self.run_program("life", ["steps=20", "output.folder=new"], "--restart", "flipped.h5")
            with self.subTest(at=at):
                if outcome.returncode == 0:  # an unused bit; the state is unchanged
                    self.assertEqual(programs.state_hash(outcome), self.hash_of_good())
                    shutil.rmtree(self.folder / "new")
                    continue
                self.check_refused("life", outcome, "flipped.h5")
                self.assertEqual(files(self.folder), before)
                said.add(outcome.stderr)
        self.assertGreater(len(said), 0)

    def hash_of_good(self):
        folder = self.folder / "again"
        outcome = self.run_program("life", ["steps=20", f"output.folder={folder}"], "--restart", "out/checkpoint.h5")
        shutil.rmtree(folder)
        return programs.state_hash(outcome)

    def test_of_another_run_than_the_table_in_the_folder(self):
        # A second run that ends before its first checkpoint leaves the checkpoint of the first run.
        table = self.folder / "out/life.csv"
        table.rename(self.folder / "out/life.csv.partial")
        lines = (self.folder / "out/life.csv.partial").read_text().splitlines(keepends=True)
        self.write("out/life.csv.partial", "".join(lines[:10]))
        self.refuse([], "out/checkpoint.h5", "life.csv", "no row of step 20")


class FullOutput(Folder):
    """Standard output on a full device."""

    def run_into_full_disk(self, *arguments, **more):
        with open("/dev/full", "w", encoding="utf-8") as full:
            return subprocess.run([str(programs.BIN / "life"), *arguments], cwd=self.folder, text=True, check=False,
                                  timeout=programs.PATIENCE, **{"stdout": full, "stderr": subprocess.PIPE, **more})

    def test_is_an_error_of_everything_that_is_printed(self):
        for arguments in [["life.yaml"], ["life.yaml", "--print-settings"], ["--print-settings"], ["--help"],
                          ["--version"]]:
            with self.subTest(arguments=arguments):
                self.check_refused("life", self.run_into_full_disk(*arguments), "standard output",
                                   "No space left on device")
        self.assertIn("out/life.csv", files(self.folder))  # the run itself has finished

    def test_of_messages_changes_nothing(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            outcome = self.run_into_full_disk("missing.yaml", stderr=full)
        self.assertEqual(outcome.returncode, 2)


class Help(Folder):
    def ask(self, program, *arguments):
        outcome = run([str(programs.BIN / program), *map(str, arguments)], cwd=self.folder)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        return outcome.stdout

    def test_help_names_every_key_and_option(self):
        for program in ["life", "heat2d"]:
            text = self.ask(program, "--help")
            for word in ["--set", "--restart", "--print-settings", "--version", "rows", "output.folder"]:
                self.assertIn(word, text)
            self.assertEqual(text, self.ask(program, "-h"))

    def test_version(self):
        for program in ["life", "heat2d"]:
            self.assertRegex(self.ask(program, "--version"), rf"^{program} \(MASS \d+\.\d+\.\d+\)\n$")

    def test_printed_settings_load_again(self):
        for program in ["life", "heat2d"]:
            for more in [[], [f"{program}.yaml", "--set", "steps=7", "--set", "output.folder=a b: #c"]]:
                printed = self.ask(program, "--print-settings", *more)
                self.write("printed.yaml", printed)
                self.assertEqual(self.ask(program, "printed.yaml", "--print-settings"), printed)

    def test_models_accept_their_printed_settings(self):
        # These programs refuse keys that a model does not use.
        shutil.copy(programs.SETTINGS / "small_neuron.swc", self.folder)
        files_of = {"calcium": "calcium*.yaml", "rdme": "rdme*.yaml"}
        for program, pattern in files_of.items():
            for settings in sorted(programs.SETTINGS.glob(pattern)):
                with self.subTest(settings=settings.name):
                    self.write("printed.yaml", self.ask(program, settings, "--print-settings"))
                    outcome = self.run_program(program, ["steps=0", "output.folder=out", "threads=1"],
                                               settings="printed.yaml")
                    self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def test_nothing_is_written(self):
        before = files(self.folder)
        self.ask("life", "life.yaml", "--print-settings")
        self.assertEqual(files(self.folder), before)


if __name__ == "__main__":
    programs.main()
