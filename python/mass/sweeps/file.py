"""Files that describe sweeps."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Mapping
from typing import Any

import yaml

from .. import _core

InputError = _core.InputError


class _Loader(yaml.SafeLoader):
    """Reader of YAML 1.2: 1e-3 and 010 are decimal numbers, on and 2024-01-01 are texts."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                raise yaml.YAMLError(f"'{name}' occurs twice in the section that begins in line "
                                     f"{node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


for _tag, _pattern, _first in [
    ("null", r"(null|~|)$", "n~"),
    ("bool", r"(true|false)$", "tf"),
    ("int", r"[-+]?(0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"[-+]?([.][0-9]+|[0-9]+([.][0-9]*)?)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
]:
    _starts = [*_first, ""] if _tag == "null" else list(_first)
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _starts)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the keys of a sweep in a YAML file. Files that it names are relative to its folder.

    Raises InputError if the file is unusable.
    """
    file = pathlib.Path(path)
    try:
        keys = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise InputError(f"cannot read '{file}': {error.strerror}") from None
    except RecursionError:
        raise InputError(f"'{file}' has sections in too many others") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"'{file}' is no YAML file: {' '.join(str(error).split())}") from None
    if not isinstance(keys, Mapping):
        raise InputError(f"'{file}' has no keys such as program, axes and seeds")
    keys = {"folder": os.path.join("out", file.stem), **keys}
    if isinstance(keys.get("settings_file"), str):
        keys["settings_file"] = os.fspath(file.parent / keys["settings_file"])
    if isinstance(keys.get("program"), str) and ":" in keys["program"]:  # FILE.py:FUNCTION
        keys["program"] = os.fspath(file.parent / keys["program"])
    designs = keys.get("designs")
    if isinstance(designs, str):
        keys["designs"] = os.fspath(file.parent / designs)
    elif isinstance(designs, Mapping) and isinstance(designs.get("file"), str):
        keys["designs"] = {**designs, "file": os.fspath(file.parent / designs["file"])}
    return keys
