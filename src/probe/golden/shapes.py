"""Docs."""
import os
from a.b import c as d

LIMIT = 3


class Shape:
    """A shape."""

    def area(self):
        return 0


@cached
async def load(path):
    return os.open(path)
