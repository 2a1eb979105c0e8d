#!/usr/bin/env python3
"""Measures the memory of a page of the live view over many frames, in Chromium without a window.

    build/browser-venv/bin/python benchmarks/live_memory.py [--programs build/cpu/bin] [--frames 100000] [--rows 11]
        [--out benchmarks/results/live_memory.json] [APP [KEY=VALUE ...]]

Starts `APP --live --live-now`, by default life with 64 x 64 places and a row of the table for each step, and opens its
page, with the pointer over the picture and a limit of 60 steps per second, so that each step is a frame. After each
tenth of the frames the garbage of the page is collected, and a row is printed: frames that the page has shown, MB of
JavaScript's heap and array buffers, number of documents, nodes and listeners, MB of resident memory of Chromium's
renderer, of its GPU process, and of the program. The first row follows a twentieth of a tenth, when the curves are not
full yet. Exits with 1 if from the second row to the last the heap grows by more than 5 % or the renderer by more than
10 MB. Needs `scripts/setup browser`; 100,000 frames take 28 minutes.
"""

import argparse
import json
import pathlib
import shutil
import sys
import time

from playwright.sync_api import sync_playwright

from live import ROOT, Run

SETTINGS = ["rows=64", "columns=64", "pattern=", "density=0.3", "threads=1", "output.table_every=1"]
RATE = 60  # steps per second; a page shows as many frames at most
MEGABYTE = 1e6
MOST_HEAP = 1.05  # times that of the second row
MOST_RENDERER = 10  # growth since the second row, in MB


def resident(pid):
    """Returns the resident memory of a process in MB, files of programs and libraries excluded."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return sum(int(line.split()[1]) * 1024 / MEGABYTE for line in status.splitlines()
               if line.startswith(("RssAnon:", "RssShmem:")))


class Meter:
    """Reads the memory of a page, its renderer and the program."""

    def __init__(self, browser, page, program):
        self.page, self.program = page, program
        self.browser = browser.new_browser_cdp_session()
        self.session = page.context.new_cdp_session(page)
        self.session.send("HeapProfiler.enable")
        self.session.send("Performance.enable")

    def processes(self):
        """Returns the numbers of the processes of Chromium: the renderer with most processor time, and that of the GPU."""
        found = {}
        for process in self.browser.send("SystemInfo.getProcessInfo")["processInfo"]:
            if process["cpuTime"] >= found.get(process["type"], {"cpuTime": 0})["cpuTime"]:
                found[process["type"]] = process
        return {kind: found[name]["id"] for kind, name in (("renderer", "renderer"), ("gpu", "GPU")) if name in found}

    def read(self):
        """Returns frames, MB and counts after a collection of garbage."""
        for _ in range(3):  # objects with finalisers are freed by a later one
            self.session.send("HeapProfiler.collectGarbage")
        frames = self.page.evaluate("massLive.frames")
        heap = self.session.send("Runtime.getHeapUsage")
        metrics = {entry["name"]: entry["value"] for entry in self.session.send("Performance.getMetrics")["metrics"]}
        row = {"frames": frames, "heap": heap["usedSize"] / MEGABYTE}
        row |= {"buffers": heap["backingStorageSize"] / MEGABYTE} if "backingStorageSize" in heap else {}
        row |= {name.lower(): round(metrics[name]) for name in ("Documents", "Nodes", "JSEventListeners")}
        row |= {kind: resident(pid) for kind, pid in self.processes().items()}
        return row | {"program": resident(self.program)}


def show(row):
    print("  ".join(f"{value:.2f}" if isinstance(value, float) else f"{value}" for value in row.values()), flush=True)


def wait(page, frames):
    """Waits until the page has shown some frames; the page is left alone meanwhile."""
    while True:
        left = frames - page.evaluate("massLive.frames")
        if left <= 0:
            return
        page.wait_for_timeout(min(10000, max(100, 12 * left)))


def measure(options):
    """Returns the rows, and the frames per second of the whole."""
    run = Run(str(options.programs / options.app), options.settings or SETTINGS)
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 640, "height": 480})
            errors = []
            page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(f"http://127.0.0.1:{run.port}/?token={run.token}")
            while not page.evaluate("massLive.status?.isOwn && massLive.frames > 0"):
                page.wait_for_timeout(50)
            page.evaluate("rate => massLive.send({do: 'limit', rate})", RATE)
            page.hover("#picture")
            meter = Meter(browser, page, run.process.pid)
            tenth = options.frames // (options.rows - 1)
            rows, begin = [], time.monotonic()
            for goal in [tenth // 20, *(tenth * (i + 1) for i in range(options.rows - 1))]:
                wait(page, goal)
                rows.append(meter.read())
                if len(rows) == 1:
                    print("  ".join(rows[0]))
                show(rows[-1])
            rate = rows[-1]["frames"] / (time.monotonic() - begin)
            version = browser.version
            browser.close()
            if errors:
                sys.exit(f"the page had errors: {errors[:3]}")
            return rows, rate, version
    finally:
        run.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("app", nargs="?", default="life")
    parser.add_argument("settings", nargs="*", help="KEY=VALUE")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/cpu/bin")
    parser.add_argument("--frames", type=int, default=100000)
    parser.add_argument("--rows", type=int, default=11)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    rows, rate, version = measure(options)
    second, last = rows[1], rows[-1]
    heap, renderer = last["heap"] / second["heap"], last["renderer"] - second["renderer"]
    print(f"heap {heap:.3f} of the second row, renderer {renderer:+.1f} MB, {rate:.1f} frames/s")
    if options.out:
        options.out.write_text(json.dumps({
            "date": time.strftime("%Y-%m-%d"), "app": options.app, "settings": options.settings or SETTINGS,
            "chromium": version, "frames/s": rate, "units": "MB after a collection of garbage", "rows": rows}, indent=2) + "\n")
    return 1 if heap > MOST_HEAP or renderer > MOST_RENDERER else 0


if __name__ == "__main__":
    sys.exit(main())
