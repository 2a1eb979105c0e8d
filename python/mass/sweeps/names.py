"""Messages on misspelled names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..run import UsageError


def unknown(begin: str, name: object, known: Iterable[str]) -> Exception:
    """Returns the error of an unknown name, with the nearest of the known ones."""
    names = list(known)
    nearest = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean '{nearest[0]}'?" if nearest else f"there are {', '.join(names)}"
    error: Exception = UsageError(f"{begin} '{name}'; {hint}")
    return error
