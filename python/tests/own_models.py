"""Compiled models that several modules of tests use."""

import atexit
import contextlib
import functools
import os
import pathlib
import tempfile

import mass

MODELS = pathlib.Path(__file__).parent / "models"


@contextlib.contextmanager
def cache(folder=None):
    """Sets MASS_CACHE to a folder; by default to an empty one, which it removes."""
    with contextlib.ExitStack() as stack:
        folder = folder or stack.enter_context(tempfile.TemporaryDirectory())
        before = os.environ.get("MASS_CACHE")
        os.environ["MASS_CACHE"] = folder
        try:
            yield pathlib.Path(folder)
        finally:
            if before is None:
                del os.environ["MASS_CACHE"]
            else:
                os.environ["MASS_CACHE"] = before


@functools.cache
def common_cache():
    """Returns a folder for MASS_CACHE that lasts as long as the process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


@functools.cache
def model(header):
    """Returns the model of a header of the tests."""
    with cache(common_cache()):
        return mass.load(MODELS / header)
