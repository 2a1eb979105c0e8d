"""Compiled models that several modules of tests use."""

import atexit
import contextlib
import functools
import os
import pathlib
import shlex
import tempfile
import unittest.mock

import mass

MODELS = pathlib.Path(__file__).parent / "models"
IS_LONG = "MASS_TEST_LONG" in os.environ


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


@contextlib.contextmanager
def compiler_of(header):
    """Sets CXX to a compiler that does not optimize, which takes two thirds of the time. The long tests, and those of Life,
    have the compiler of users."""
    with contextlib.ExitStack() as stack:
        if not IS_LONG and header != "life.hpp":
            program = pathlib.Path(common_cache()) / "compiler"
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(os.environ.get("CXX") or "g++")} "$@" -O0\n')
            program.chmod(0o755)
            stack.enter_context(unittest.mock.patch.dict(os.environ, {"CXX": str(program)}))
        yield


def load(header):
    """Loads a header of the tests, which is compiled once."""
    with cache(common_cache()), compiler_of(header):
        return mass.load(MODELS / header)


@functools.cache
def model(header):
    """Returns the model of a header of the tests, the same for all."""
    return load(header)
