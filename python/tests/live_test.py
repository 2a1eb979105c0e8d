"""Live view of runs from Python."""

import tempfile
import threading
import unittest

import delays
import mass

from live_page import open_page

from live_client import LiveClient, get  # live_page has added its folder

FOREST = {"rows": 31, "columns": 40, "seed": 3, "threads": 1, "output": {"table_every": 2}}


class Live(unittest.TestCase):
    def setUp(self):
        self.run_ = mass.open("forest_fire", FOREST)

    def open(self):
        """Opens the live view and a page."""
        return open_page(self, self.run_)

    def start(self, count):
        """Makes steps on another thread, which the page pauses."""
        thread = threading.Thread(target=self.run_.step, args=(count,))
        thread.start()
        return thread

    def hash_after(self, *parts):
        """Returns the hash of a run alone: numbers of steps, and settings between them."""
        run = mass.open("forest_fire", FOREST)
        for part in parts:
            run.set(part) if isinstance(part, dict) else run.step(part)
        return run.hash

    def test_shows_an_idle_run(self):
        self.run_.step(5)
        _, page = self.open()
        page.state("idle", 5)
        page.shown(5)
        self.assertEqual(page.hash(5), self.run_.hash)
        page.send(do="curves", generation=0, **{"from": 0})
        self.assertEqual(page.text("curves")["steps"], [0, 2, 4])
        self.run_.step(2)
        page.state("idle", 7)
        page.shown(7)
        self.run_.places["forest"][next(iter(self.run_.places["forest"]))] = 0
        number = page.picture["number"]
        page.send(do="frame", size=[64, 64], reduce="mean", after=number, id=2)
        page.until(lambda client: client.picture["number"] > number)
        page.texts.clear()
        self.assertEqual(page.hash(7), self.run_.hash)

    def test_shows_long_curves(self):
        _, page = self.open()
        self.run_.step(2000)  # a message of several frames
        page.state("idle", 2000)
        page.send(do="curves", generation=0, **{"from": 0})
        self.assertEqual(page.text("curves")["steps"], list(range(0, 2001, 2)))

    def test_shows_a_restored_run(self):
        _, page = self.open()
        with tempfile.TemporaryDirectory() as folder:
            self.run_.step(4)
            self.run_.save(f"{folder}/a.h5")
            self.run_.step(4)
            page.state("idle", 8)
            self.run_.restore(f"{folder}/a.h5")
        page.state("idle", 4)
        page.shown(4)

    def test_is_the_same_run(self):
        _, page = self.open()
        page.send(do="frame", size=[64, 64], reduce="mean", after=-1, id=1)
        for _ in range(20):
            self.run_.step(3)
        self.assertEqual(self.run_.hash, self.hash_after(60))
        self.assertEqual(len(self.run_.table["step"]), 31)

    def test_steers_a_call_of_step(self):
        _, page = self.open()
        thread = self.start(10**12)
        page.state("running")
        page.send(do="pause")
        page.state("paused")
        first = page.status["step"]
        page.send(do="set", key="growth", value="0.25")
        page.send(do="step", count=7)
        page.state("paused", first + 7)
        self.assertEqual(page.hash(first + 7), self.hash_after(first, {"growth": 0.25}, 7))
        page.send(do="end")
        thread.join()
        self.assertEqual(self.run_.steps, first + 7)
        self.assertEqual(self.run_.changes, [{"step": first, "key": "growth", "value": 0.25}])
        page.state("idle", first + 7)
        page.send(do="run")
        self.run_.step(3)
        self.assertEqual(self.run_.steps, first + 10)

    def test_changes_an_idle_run_with_its_next_step(self):
        _, page = self.open()
        page.send(do="set", key="growth", value="0.25")
        page.text("note", text="the setting changes before the next step")
        self.assertEqual(self.run_.changes, [])
        self.run_.step(4)
        self.assertEqual(self.run_.changes, [{"step": 0, "key": "growth", "value": 0.25}])
        self.assertEqual(self.run_.hash, self.hash_after({"growth": 0.25}, 4))

    def test_pauses_a_loop_of_single_steps(self):
        _, page = self.open()
        page.state("idle", 0)
        page.send(do="step", count=3)
        page.hash(0)  # both are carried out
        made = []

        def loop():
            for _ in range(5):
                self.run_.step()
                made.append(self.run_.row["trees"])

        thread = threading.Thread(target=loop)
        thread.start()
        self.addCleanup(thread.join)
        page.state("paused", 3)
        page.send(do="hash")  # a round trip: the fourth call waits
        page.text("hash", step=3)
        self.assertLessEqual(len(made), 3)
        page.send(do="run")
        thread.join()
        self.assertEqual(len(made), 5)
        self.assertEqual(self.run_.steps, 5)

    def test_refuses_what_python_does(self):
        _, page = self.open()
        for request in [{"do": "again", "seed": 3}, {"do": "checkpoint"}, {"do": "go", "step": 0}]:
            page.send(**request)
            page.text("note", isError=True)
            page.texts.clear()

    def test_ctrl_c_ends_a_pause(self):
        _, page = self.open()
        page.state("idle", 0)
        page.send(do="pause")
        page.hash(0)
        delays.assert_ends_after_ctrl_c(self, lambda: self.run_.step(5))
        self.assertEqual(self.run_.steps, 0)
        page.send(do="run")
        self.run_.run()
        self.assertTrue(self.run_.finished)

    def test_leaves_the_run_to_python(self):
        _, page = self.open()
        for step in range(1, 200):
            page.send(do="frame", size=[64, 64], reduce="mean", after=-1, id=step)
            self.run_.step()
            self.assertIn("step", self.run_.table)
            self.assertEqual(len(self.run_.hash), 16)

    def test_is_one_until_it_is_closed(self):
        live, page = self.open()
        with self.assertRaisesRegex(mass.UsageError, f"has a live view, at {live.url.split('?')[0]}"):
            self.run_.live()
        page.state("idle")
        live.close()
        live.close()
        self.assertTrue(live.closed)
        self.assertNotIn("iframe", live._repr_html_())
        with self.assertRaises(OSError):
            get(live.url)
        self.run_.step(3)
        with self.run_.live() as other:
            self.assertEqual(get(other.url)[0], 200)
            with self.assertRaisesRegex(mass.SettingsError, "the live view cannot use port"):
                mass.open("life", {"threads": 1}).live(int(other.url.split(":")[2].split("/")[0]))

    def test_is_a_frame_in_a_notebook(self):
        live, _ = self.open()
        address = live._repr_html_().split('src="')[1].split('"')[0]
        status, headers, text = get(address)
        self.assertEqual(status, 200)
        self.assertIn("frame-ancestors http://localhost:* http://127.0.0.1:*", headers["Content-Security-Policy"])
        self.assertIn('src="live.js"', text)
        with LiveClient(address) as page:
            page.state("idle", 0)
            self.assertEqual(page.run["host"], "caller")

    def test_ends_with_its_run(self):
        live, _ = self.open()
        url = live.url
        live._core = None
        self.run_ = None
        with self.assertRaises(OSError):
            get(url)


if __name__ == "__main__":
    unittest.main()
