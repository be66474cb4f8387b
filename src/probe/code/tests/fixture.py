#!/usr/bin/env python
"""A module."""
from __future__ import annotations  #= import annotations
import os  #= import os
import os.path  #= import os
import a.b as c, d  #= import c; import d
from x import y as z, w  #= import z; import w
from . import (  #= import one +3; import three +3
    one,
    two as three,
)
from .pkg import sub  #= import sub
from m import *
# A comment that belongs to nothing.
A = B = 1  #= variable A; variable B
(C, [D, *E]), F.attr, G[0], H = value()  #= variable C; variable D; variable E; variable H
I: int = 1  #= variable I
J: str  #= variable J
K += 1
(L := 2)
print((M := 3))
self.attr = 4
items[0] = 5
N = [  #= variable N +2
    1,
]  # trailing
O = 1; P = 2  #= variable O; variable P
Q, = 1,  #= variable Q
R = (S) = T = lambda: 0  #= variable R; variable S; variable T
type U = int  #= type U
type V[T] = list[T]  #= type V
type = 1  #= variable type
match = print = 2  #= variable match; variable print
W = X = """  #= variable W +2; variable X +2
text
"""
if A:
    import hidden
    hidden_name = 1
    def hidden_function(): pass
try:
    import also_hidden
except ImportError:
    also_hidden = None
for i in []:
    loop = 1
with open("f") as g:
    inner = 1


def function(a, b=1):  #= function function +6
    local = 1

    def nested():
        pass

    return local
    # A comment in the indentation of the body.


# A comment of the module.


async def asynchronous(): ...  #= function asynchronous


def generic[T](x: T) -> T:  #= function generic +1
    return x  # trailing


@decorator  #= function decorated +6
# between
@other(
    1,
)
def decorated():
    pass


class Base: pass  #= class Base


class Outer(Base, metaclass=M):  #= class Outer +35
    """A class."""

    field = 1
    other: int = 2

    def __init__(self):  #= method Outer.__init__ +1
        self.x = 1

    @property  #= method Outer.value +2
    def value(self):
        return 1

    @value.setter  #= method Outer.value +2
    def value(self, v):
        pass
    # A comment.

    async def run(self): await x  #= method Outer.run

    if True:
        def conditional(self): pass

    class Inner:
        def inner(self): pass

    @staticmethod  #= method Outer.static +3
    def static(
        a,
    ): pass

    def last(self):  #= method Outer.last +4
        if self:
            return f"{self!r:>{10}} {'nested'}"
        # A comment deep in the last method.
        pass
        # Another one.

    # One of the class.

# One of the module.


@dataclass(frozen=True)  #= class Data +3
class Data[T]:
    x: T
    y: int


def été(): return 1  #= function été
Λ = 1  #= variable Λ
