"""Reasons why elements of an SBML model have no counterpart in rdme."""


class Refused(Exception):
    """An element has no counterpart; the text completes a sentence that begins with its id."""


class UnknownName(Refused):
    """A formula uses a name without a constant value."""

    def __init__(self, name):
        super().__init__(f"uses '{name}', which has no constant value")
        self.name = name
