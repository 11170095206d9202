"""The theorems, in the order in which their modules are read.

Each says of the formulas, for all values within its assumptions, what their definition says. It yields its queries:
name, assumptions, and what must follow from them.
"""
import z3

from swift import EXACT

ALL = []


def theorem(function):
    ALL.append((function.__name__.replace("_", " "), function))
    return function


def whole(value):
    return z3.BitVecVal(value, EXACT)


def in_range(number, low, high):
    return z3.And(number >= low, number <= high)
