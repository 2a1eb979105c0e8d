"""Tests the live view in a real browser, Chromium without a window.

python3 live_test.py FOLDER_OF_PROGRAMS [--core] [unittest's options]

Needs chromium and playwright (`scripts/setup browser`); exits with 77 without them. --core runs the tests of .ci/run."""

import base64
import contextlib
import csv
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import programs
from programs import Folder, state_hash

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = shutil.which("chromium")
PATIENCE = 60  # seconds; also on a busy machine

# Colour of each place on the canvas of the page, at its middle.
CANVAS_COLORS = """() => {
  const {picture} = massLive, [rows, columns] = picture.places, scale = picture.scale(), [top, left] = picture.origin();
  const {canvas} = picture, pixels = picture.context.getImageData(0, 0, canvas.width, canvas.height).data, colors = [];
  for (let row = 0; row < rows; ++row) for (let column = 0; column < columns; ++column) {
    const x = Math.floor(left + (column + .5) * scale), y = Math.floor(top + (row + .5) * scale);
    colors.push([...pixels.slice(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3)].join());
  }
  return colors;
}"""
PNG_COLORS = """async ([data, rows, columns]) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + data;
  await image.decode();
  const canvas = document.createElement('canvas'), context = canvas.getContext('2d');
  [canvas.width, canvas.height] = [image.width, image.height];
  context.drawImage(image, 0, 0);
  const colors = [], edge = image.width / columns;
  for (let row = 0; row < rows; ++row) for (let column = 0; column < columns; ++column)
    colors.push([...context.getImageData((column + .5) * edge, (row + .5) * edge, 1, 1).data.slice(0, 3)].join());
  return colors;
}"""
# Texts whose contrast with their background is below that of level AA, 4.5.
LOW_CONTRAST = """() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => color.slice(0, 3).map(value => value / 255)
    .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
    .reduce((sum, value, i) => sum + value * [.2126, .7152, .0722][i], 0);
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const words = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!words || !element.checkVisibility() || element.closest(':disabled, dialog, .hidden')) continue;
    let behind = element;
    while (behind && channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const ink = light(channels(getComputedStyle(element).color));
    const paper = light(channels(getComputedStyle(behind ?? document.body).backgroundColor));
    const contrast = (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05);
    if (contrast < 4.5) found.push(`${element.id || element.className || element.tagName}: ${contrast}`);
  }
  return found;
}"""


class Program:
    """A program with a live view, which runs until the test ends."""

    def __init__(self, folder, name, assignments, *options, port=0, settings=None):
        self.folder, self.name = folder, name
        arguments = programs.command(name, settings, assignments, f"--live={port}", *options)
        self.process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.fullmatch(rf"{name}: live view at (http://127\.0\.0\.1:(\d+)/\?token=[0-9a-f]{{32}})\n", line)
        assert match, line
        self.address, self.port = match[1], int(match[2])
        assert f"ssh -L {self.port}:127.0.0.1:{self.port}" in self.process.stderr.readline()

    def wait(self):
        """Returns the outcome of the run."""
        output, error = self.process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(self.name, self.process.returncode, output, error)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Page:
    """A page of a browser that shows a run. Each has its own cookies."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **options})
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)

    def get(self, expression, argument=None):
        return self.page.evaluate(expression, argument)

    def until(self, expression, argument=None):
        """Waits until a JavaScript expression is true; returns its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(Exception):  # during a navigation
                if value := self.get(expression, argument):
                    return value
            time.sleep(0.02)
        raise AssertionError(f"not true within {PATIENCE} s: {expression}; {self.errors}; {self.get('massLive.status')}")

    def press(self, button):
        self.page.click(f"#{button}")

    def status(self):
        return self.get("massLive.status")

    def pause(self):
        """Pauses the run; returns its step."""
        if self.status()["state"] == "running":
            self.press("run")
        return self.until("massLive.status.state === 'paused' && massLive.status.step > 0 && massLive.status.step")

    def shown(self, step):
        """Waits for the picture of a step."""
        self.until("step => massLive.frame?.step === step", step)

    def hash(self, step):
        """Returns the hash that the page shows."""
        self.press("askHash")
        text = f" step {step:,}"
        return self.until("end => document.getElementById('hash').textContent.endsWith(end) && "
                          "document.getElementById('hash').textContent", text).split()[0]

    def make(self, steps):
        self.page.fill("#count", str(steps))
        self.press("many button")

    def close(self):
        self.context.close()


class SlowLink:
    """Server on another port that passes bytes on slowly, in both directions."""

    def __init__(self, port, bytes_per_second):
        self.to, self.rate = port, bytes_per_second
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.server.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.to))
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    def pump(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                time.sleep(len(data) / self.rate)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()

    def close(self):
        self.server.close()


class LiveTest(Folder):
    """Test with a browser; a page must have no errors."""

    @classmethod
    def setUpClass(cls):
        cls.driver = sync_playwright().start()
        cls.browser = cls.driver.chromium.launch(executable_path=CHROMIUM, args=[
            "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP other.test 127.0.0.1"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()

    def setUp(self):
        super().setUp()
        self.pages = []
        self.write("forest_fire.yaml", "rows: 48\ncolumns: 48\nseed: 2\nsteps: 100000\nthreads: 1\n"
                                       "output: {table_every: 1, frame_every: 0, data_every: 0}\n")

    def start(self, name="life", assignments=(), *options, port=0):
        quiet = [] if name != "life" else ["output.frame_every=0", "output.data_every=0", "checkpoint.every=0"]
        program = Program(self.folder, name, [*quiet, "steps=100000", *assignments], *options, port=port,
                          settings=f"{name}.yaml")
        self.addCleanup(program.stop)
        return program

    def open(self, address, **options):
        page = Page(self.browser, address, **options)
        self.addCleanup(page.close)
        page.until("massLive.status")
        self.pages.append(page)
        return page

    def begin(self, *arguments, **options):
        """Starts a program and opens its page, paused after a step or more."""
        program = self.start(*arguments)
        page = self.open(program.address, **options)
        page.until("massLive.frames > 1")
        page.pause()
        return program, page

    def check_no_errors(self):
        for page in self.pages:
            self.assertEqual(page.errors, [])

    def hash_of(self, steps, *assignments, name="life"):
        """Returns the hash of a run without a live view."""
        return self.finish(name, [f"steps={steps}", "output.folder=alone", "checkpoint.every=0", *assignments])


class Core(LiveTest):
    """Tests of .ci/run."""

    def test_the_picture_and_the_hash_are_those_of_a_run_alone(self):
        _, page = self.begin()
        step = page.status()["step"]
        page.shown(step)
        alone = self.hash_of(step, f"output.frame_every={step}", "output.legend=false")
        png = (self.folder / f"alone/frames/{step:09d}.png").read_bytes()
        colors = page.get(PNG_COLORS, [base64.b64encode(png).decode(), 40, 40])
        self.assertGreater(len(set(colors)), 1)
        self.assertEqual(page.get(CANVAS_COLORS), colors)
        self.assertEqual(page.hash(step), alone)
        self.check_no_errors()

    def test_each_control_of_the_run(self):
        _, page = self.begin()
        step = page.status()["step"]
        page.press("one")
        page.shown(step + 1)
        page.make(25)
        page.shown(step + 26)
        self.assertEqual(page.status()["state"], "paused")
        self.assertEqual(page.hash(step + 26), self.hash_of(step + 26))
        page.page.keyboard.press(".")
        page.shown(step + 27)
        page.page.keyboard.press("n")
        page.shown(step + 52)
        page.get("document.activeElement.blur()")
        page.page.keyboard.press(" ")
        page.until("step => massLive.status.step > step + 60", step)
        page.page.keyboard.press(" ")
        page.until("massLive.status.state === 'paused'")
        self.check_no_errors()

    def test_the_speed_limit(self):
        _, page = self.begin()
        page.page.fill("#speed", "10")  # 10 steps per second
        page.press("run")
        page.until("massLive.status.limit === 10 && massLive.status.rate > 0")
        first, start = page.status()["step"], time.monotonic()
        page.until("step => massLive.status.step >= step + 20", first)
        self.assertGreater(time.monotonic() - start, 1.5)
        page.page.fill("#speed", "61")
        page.until("massLive.status.limit === 0 && massLive.status.rate > 200")
        self.check_no_errors()

    def test_a_changed_setting_is_an_event_of_the_record(self):
        program, page = self.begin("forest_fire")
        step = page.status()["step"]
        page.page.fill("#setting-growth", "0.125")
        page.page.press("#setting-growth", "Enter")
        page.until("massLive.status.values.growth === '0.125'")
        page.make(40)
        page.until("step => massLive.status.step === step", step + 40)
        page.page.on("dialog", lambda dialog: dialog.accept())
        page.press("end")
        outcome = program.wait()
        record = next(self.folder.rglob("run.json"))
        self.assertEqual(json.loads(record.read_text())["changes"],
                         [{"step": step, "key": "growth", "value": 0.125}])
        again = programs.run(programs.command("forest_fire", None, ["output.folder=again"], "--again", record),
                             cwd=self.folder)
        self.assertIn("reproduced", again.stdout, again)
        self.assertEqual(state_hash(again), state_hash(outcome))

    def test_two_viewers_of_whom_one_steers(self):
        program, first = self.begin()
        second = self.open(program.address)
        second.until("massLive.frames > 0")
        self.assertTrue(second.page.is_disabled("#run"))
        self.assertTrue(second.page.is_hidden("#lead"))
        step = first.status()["step"]
        first.press("one")
        second.shown(step + 1)
        second.get("() => massLive.send({do: 'step', count: 1})")
        second.until("document.getElementById('notes').textContent.includes('another page steers')")
        self.assertEqual(first.status()["step"], step + 1)
        first.press("lead")
        second.until("!document.getElementById('lead').hidden")
        second.press("lead")
        second.until("massLive.status.isOwn")
        second.press("one")
        first.shown(step + 2)
        self.assertTrue(first.page.is_disabled("#run"))
        second.close()
        first.until("!document.getElementById('lead').hidden")
        self.check_no_errors()

    def test_planes_of_a_3d_world(self):
        quiet = ["output.frame_every=0", "output.data_every=0", "checkpoint.every=0"]
        _, page = self.begin("life3d", quiet)
        step = page.status()["step"]
        page.shown(step)
        self.assertIsNone(page.get("massLive.frame.slice ?? null"))
        page.page.select_option("#axis", "2")
        frame = page.until("massLive.frame?.slice?.[0] === 2 && massLive.frame")
        self.assertEqual((frame["slice"], frame["places"]), ([2, 10], [13, 12]))
        self.finish("life3d", [*quiet, f"steps={step}", f"output.frame_every={step}", "output.folder=alone",
                               "output.view=slice", "output.axis=x", "output.legend=false"])
        png = (self.folder / f"alone/frames/{step:09d}.png").read_bytes()
        colors = page.get(PNG_COLORS, [base64.b64encode(png).decode(), 13, 12])
        self.assertGreater(len(set(colors)), 1)
        self.assertEqual(page.get(CANVAS_COLORS), colors)
        page.page.fill("#at", "3")
        page.until("massLive.frame?.slice?.[1] === 3")
        page.get("document.activeElement.blur()")
        page.page.keyboard.press("PageUp")
        page.until("massLive.frame?.slice?.[1] === 4")
        page.page.keyboard.press("v")
        page.until("massLive.frame && !massLive.frame.slice")
        page.page.keyboard.press("v")
        self.assertEqual(page.until("massLive.frame?.slice?.[0] === 0 && massLive.frame.places"), [12, 21])
        bounds = page.page.locator("#picture").bounding_box()
        page.page.mouse.move(bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2)
        page.until("/^(dead|alive) at row [56], column 10$/.test(document.getElementById('value').textContent)")
        self.check_no_errors()

    def test_few_agents_are_points(self):
        self.write("boids.yaml", "boids: 60\nwidth: 50\nsteps: 100000\nseed: 3\nthreads: 1\n")
        _, page = self.begin("boids")
        step = page.status()["step"]
        page.shown(step)
        self.assertEqual(page.get("massLive.frame.points"), [{"name": "boid", "color": "ffffff", "count": 60}])
        self.finish("boids", [f"steps={step}", f"output.agents_every={step}", "output.folder=alone"])
        with (self.folder / "alone/flock.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if int(row["step"]) == step]
        expected = [[float(row[f"position.{axis}"]) * 480 / 50 for axis in (0, 1)] for row in rows]
        shown = page.get("massLive.picture.points[0].positions")
        self.assertEqual(len(shown), len(expected))
        for place, other in zip(sorted(shown), sorted(expected)):
            self.assertAlmostEqual(place[0], other[0], delta=0.01)
        self.assertEqual(page.page.inner_text("#points"), "boid")
        row, column = shown[0]
        color = page.get("""([row, column]) => {
          const {picture} = massLive, [top, left] = picture.origin(), scale = picture.scale();
          return [...picture.context.getImageData(left + column * scale, top + row * scale, 1, 1).data].join();
        }""", [row, column])
        self.assertEqual(color, "255,255,255,255")
        self.check_no_errors()

    def test_a_reload_shows_the_same_and_still_steers(self):
        _, page = self.begin()
        step = page.status()["step"]
        self.assertNotIn("token", page.page.url)
        page.page.reload()
        page.until("massLive.frames > 0")
        page.shown(step)
        self.assertTrue(page.status()["isOwn"])
        page.press("one")
        page.shown(step + 1)
        cookie = page.context.cookies()[0]
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.check_no_errors()


    def test_a_recorded_run_goes_to_any_step(self):
        self.finish("forest_fire", ["steps=300", "output.folder=out", "checkpoint.every=200"])
        program = Program(self.folder, "forest_fire", [], "--show", "out")
        self.addCleanup(program.stop)
        page = self.open(program.address)
        page.until("massLive.frames > 0")
        page.page.fill("#goal", "260")
        page.shown(260)
        self.assertEqual(page.status()["state"], "paused")
        self.assertEqual(page.hash(260), self.hash_of(260, name="forest_fire"))
        page.press("back")
        page.shown(259)
        page.page.keyboard.press(",")
        page.shown(258)
        self.assertEqual(page.hash(258), self.hash_of(258, name="forest_fire"))
        self.assertEqual(page.get("document.getElementById('goal').value"), "258")
        self.assertTrue(page.page.is_disabled("#setting-growth"))
        self.assertTrue(page.page.is_hidden("#saveCheckpoint"))
        self.assertEqual(page.get("document.querySelectorAll('#curves canvas').length"), 2)
        row = (self.folder / "out/forest_fire.csv").read_text().splitlines()[259].split(",")
        self.assertEqual(page.get("document.querySelector('#curves b').textContent.replaceAll(',', '')"), row[1])
        page.page.fill("#goal", "0")
        page.shown(0)
        self.assertTrue(page.page.is_disabled("#back"))
        page.press("run")
        page.until("massLive.status.step > 20")
        self.check_no_errors()
        page.press("end")
        self.assertEqual(program.wait().returncode, 0)


# A run of Python: makes the numbers of steps that it reads.
PYTHON_RUN = """
import sys, mass
run = mass.open("life", {"rows": 40, "columns": 40, "seed": 5, "density": 0.4, "threads": 1})
print(run.live()._repr_html_(), flush=True)
for line in sys.stdin:
    run.step(int(line))
    print(run.steps, run.hash, flush=True)
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Server of files without a log."""

    def log_message(self, format, *arguments):
        pass


class Notebook(LiveTest):
    """The page of a run of Python in a frame of a local page."""

    def setUp(self):
        super().setUp()
        package = pathlib.Path(os.environ.get("PYTHONPATH", programs.BIN.parent / "python"))
        if not list(package.glob("mass/_core*.so")):
            self.skipTest("the Python package is not built")
        python = programs.SOURCE / "build/venv/bin/python"
        self.process = subprocess.Popen([python if python.exists() else sys.executable, "-c", PYTHON_RUN], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": str(package)})
        self.addCleanup(self.process.communicate)
        self.frame_code = self.process.stdout.readline()

    def show(self, host):
        """Opens a page with the frame, of a server of this machine by the name `host`. Returns the frame."""
        self.write("notebook/index.html", self.frame_code)
        handler = functools.partial(QuietHandler, directory=self.folder / "notebook")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = self.browser.new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"http://{host}:{server.server_port}/")
        return page.main_frame.child_frames[0]

    def until(self, frame, expression):
        end = time.monotonic() + PATIENCE
        while not (value := frame.evaluate(expression)):
            self.assertLess(time.monotonic(), end, expression)
            time.sleep(0.02)
        return value

    def test_shows_and_steers_the_run(self):
        frame = self.show("localhost")
        self.until(frame, "window.massLive?.status?.state === 'idle' && massLive.frame?.step === 0")
        self.process.stdin.write("5\n")
        self.process.stdin.flush()
        steps, known = self.process.stdout.readline().split()
        self.assertEqual(steps, "5")
        self.until(frame, "massLive.status.state === 'idle' && massLive.frame.step === 5")
        frame.click("#askHash")
        text = self.until(frame, "document.getElementById('hash').textContent")
        self.assertEqual(text, f"{known} step 5")
        frame.click("#one")
        self.process.stdin.write("3\n")
        self.process.stdin.flush()
        self.until(frame, "massLive.status.state === 'paused' && massLive.frame.step === 6")
        frame.click("#run")
        self.assertEqual(self.process.stdout.readline().split()[0], "8")
        self.until(frame, "massLive.status.state === 'idle' && massLive.frame.step === 8")

    def test_is_not_shown_in_other_pages(self):
        frame = self.show("other.test")
        self.until(frame, "location.href.startsWith('chrome-error')")


class More(LiveTest):
    """Tests that take longer."""

    def test_the_run_ends_and_comes_again(self):
        program, page = self.begin()
        program.process.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait().returncode, 128 + signal.SIGTERM)
        page.until("document.getElementById('banner').textContent.includes('has ended')")
        again = self.start(port=program.port)
        page.until("document.getElementById('banner').textContent.includes('Another run')")
        page.page.goto(again.address)
        page.until("massLive.frames > 2")
        self.assertTrue(page.page.is_hidden("#banner"))

    def test_the_last_step_is_shown_until_the_page_is_closed(self):
        program = self.start("life", ["steps=20"])
        page = self.open(program.address)
        page.until("massLive.status.state === 'ended'")
        page.shown(20)
        self.assertIsNone(program.process.poll())
        page.close()
        self.assertEqual(state_hash(program.wait()), self.hash_of(20))

    def test_a_run_that_nobody_looks_at(self):
        program = self.start("life", ["steps=50"], "--live-now")
        self.assertEqual(state_hash(program.wait()), self.hash_of(50))

    def test_examples_have_the_hash_of_a_run_alone(self):
        for name in ("ants", "axelrod", "bail_in", "brain_grid", "conjugate_gradients", "daisyworld", "flock3d",
                     "gray_scott", "nagel_schreckenberg", "seir", "sir_on_network", "tuberculosis", "virus_in_tissue",
                     "wave2d"):
            with self.subTest(name):
                self.write(f"{name}.yaml", "threads: 1\nsteps: 100000\n")
                program = self.start(name, [f"output.folder={name}"])
                page = self.open(program.address)
                page.until("massLive.status.step > 0 || massLive.status.state === 'ended'")
                step = page.pause()
                page.make(3)
                page.until("step => massLive.status.step === step && massLive.status.state === 'paused'", step + 3)
                self.assertEqual(page.hash(step + 3), self.hash_of(step + 3, name=name))
                page.close()
                program.stop()
        self.check_no_errors()

    def test_another_seed(self):
        program, page = self.begin()
        page.page.fill("#seed", "77")
        page.press("again button")
        page.until("massLive.run.seed === 77 && massLive.status.step === 0")
        page.make(7)
        page.shown(7)
        self.assertEqual(page.hash(7), self.hash_of(7, "seed=77"))
        self.check_no_errors()

    def test_a_checkpoint_from_the_page_continues(self):
        program = self.start("life", ["checkpoint.file=saved.h5"])
        page = self.open(program.address)
        page.until("massLive.frames > 1")
        step = page.pause()
        page.press("saveCheckpoint")
        page.hash(step)
        self.assertTrue((self.folder / "saved.h5").exists())
        program.stop()
        outcome = self.run_program("life", [f"steps={step + 9}", "output.folder=on", "checkpoint.every=0"],
                                   "--restart", "saved.h5")
        self.assertEqual(state_hash(outcome), self.hash_of(step + 9))

    def test_the_picture_is_saved(self):
        _, page = self.begin()
        page.shown(page.status()["step"])
        with page.page.expect_download() as download:
            page.press("savePicture")
        self.assertEqual(download.value.suggested_filename, f"life-{page.status()['step']}.png")
        data = download.value.path().read_bytes()
        programs.check_png(data)
        self.assertEqual(page.get(PNG_COLORS, [base64.b64encode(data).decode(), 40, 40]), page.get(CANVAS_COLORS))

    def test_a_zoom_asks_for_its_box_only(self):
        _, page = self.begin("life", ["rows=600", "columns=600"])
        page.until("massLive.frame.block === 1 && massLive.frame.box[2] === 600")
        box = page.page.locator("#picture").bounding_box()
        page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for _ in range(12):
            page.page.mouse.wheel(0, -240)
        frame = page.until("massLive.frame.box[2] < 100 && massLive.frame")
        self.assertEqual(frame["size"], [frame["box"][3], frame["box"][2]])
        self.assertTrue(250 < frame["box"][0] + frame["box"][2] / 2 < 350, frame)
        text = page.until("document.getElementById('value').textContent")
        self.assertRegex(text, r"^(dead|alive) at row (29|30)\d, column (29|30)\d$")
        page.page.keyboard.press("0")
        page.until("massLive.frame.box[2] === 600")
        self.check_no_errors()

    def test_large_worlds_are_reduced_to_the_canvas(self):
        _, page = self.begin("life", ["rows=3000", "columns=3000"])
        page.until("massLive.frame.block > 1")
        self.assertLess(page.get("massLive.largest"), 1 << 20)
        frame = page.get("massLive.frame")
        bounds = page.page.locator("#picture").bounding_box()
        self.assertLessEqual(frame["size"][1], bounds["height"])
        page.page.select_option("#reduce", "maximum")
        page.until("frames => massLive.frames > frames", page.get("massLive.frames"))
        self.check_no_errors()

    def test_narrow_windows_and_both_schemes(self):
        _, page = self.begin("forest_fire")
        for width in (320, 390, 800, 1600):
            page.page.set_viewport_size({"width": width, "height": 800})
            self.assertLessEqual(page.get("document.documentElement.scrollWidth"), width)
            self.assertGreater(page.page.locator("#picture").bounding_box()["width"], 0.6 * min(width, 860) - 60)
        for scheme in ("light", "dark"):
            page.page.emulate_media(color_scheme=scheme)
            page.until("scheme => matchMedia(`(prefers-color-scheme: ${scheme})`).matches", scheme)
            time.sleep(0.3)  # the transition of colours
            self.assertEqual(page.get(LOW_CONTRAST), [], scheme)
        self.check_no_errors()

    def test_all_controls_are_reached_with_the_keyboard_and_have_names(self):
        _, page = self.begin("forest_fire")
        names = page.get("""[...document.querySelectorAll('button, input, select, canvas')]
          .filter(element => element.checkVisibility() && !(element.labels?.length || element.ariaLabel || element.textContent.trim()))
          .map(element => element.outerHTML)""")
        self.assertEqual(names, [])
        reached = set()
        for _ in range(60):
            page.page.keyboard.press("Tab")
            reached.add(page.get("document.activeElement.id"))
            outline = page.get("getComputedStyle(document.activeElement).outlineStyle")
            self.assertIn(outline, ("solid", "auto") if page.get("document.activeElement !== document.body") else ("none",))
        self.assertLessEqual({"picture", "run", "one", "count", "speed", "setting-growth", "askHash", "seed", "zoomIn"},
                             reached)

    def test_a_slow_network(self):
        program = self.start("life", ["rows=512", "columns=512"])
        link = SlowLink(program.port, 100_000)
        self.addCleanup(link.close)
        page = self.open(program.address.replace(str(program.port), str(link.port)))
        page.page.fill("#speed", "61")
        page.until("massLive.frames > 1")
        first = page.status()["step"]
        page.until("step => massLive.status.step > step + 1000", first)
        start = time.monotonic()
        page.press("run")
        page.until("massLive.status.state === 'paused'")
        self.assertLess(time.monotonic() - start, 10)  # a frame or two are on their way
        self.check_no_errors()

    def test_a_foreign_page_cannot_look_or_steer(self):
        program, page = self.begin()
        context = self.browser.new_context()
        self.addCleanup(context.close)
        foreign = context.new_page()
        foreign.route("http://foreign.test/", lambda route: route.fulfill(body="<p>foreign", content_type="text/html"))
        foreign.goto("http://foreign.test/")
        self.assertEqual(foreign.evaluate("""port => new Promise(done => {
          const socket = new WebSocket(`ws://127.0.0.1:${port}/live`);
          socket.onopen = () => done('open');
          socket.onclose = () => done('closed');
        })""", program.port), "closed")
        self.assertEqual(foreign.evaluate("address => fetch(address).then(() => 'read', () => 'refused')",
                                          program.address), "refused")
        self.assertEqual(page.status()["viewers"], 1)

    def test_nothing_is_served_without_the_token(self):
        program = self.start()
        context = self.browser.new_context()
        self.addCleanup(context.close)
        response = context.new_page().goto(f"http://127.0.0.1:{program.port}/")
        self.assertEqual(response.status, 403)
        self.assertNotIn("<script", response.text())


def main():
    core = "--core" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--core"]
    if sync_playwright is None or CHROMIUM is None:
        print("skipped: chromium or playwright is missing; scripts/setup browser installs them")
        sys.exit(77)
    if core:
        del globals()["More"]
    sys.argv = [sys.argv[0], *arguments]
    programs.main()


if __name__ == "__main__":
    main()
