"""Pages of the live view, for tests."""

import pathlib
import sys

import mass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
from live_client import LiveClient


def open_page(test, run):
    """Opens the live view of a run and a page, which the test closes. Skips the test if there is no live view."""
    try:
        live = run.live()
    except mass.SettingsError as error:
        test.assertIn("built without the live view", str(error))
        test.skipTest(str(error))
    test.addCleanup(live.close)
    page = LiveClient(live.url)
    test.addCleanup(page.close)
    return live, page
