"""What the structures and enumerations of otp.h share."""

from __future__ import annotations

import ctypes
import enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, TypeVar

    _Structure = TypeVar("_Structure", bound="Structure")


class Structure(ctypes.Structure):
    """A structure that begins with its size, which the library compares with its own."""

    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [("size", ctypes.c_size_t)]
    #: The members' values in the header.
    INIT: ClassVar[tuple[Any, ...]] = ()

    @classmethod
    def of(cls: type[_Structure], *values: Any) -> _Structure:
        return cls(ctypes.sizeof(cls), *(values or cls.INIT))


class Lenient(enum.IntEnum):
    """What a later library may add to: another number is 0, which lets no user in."""

    @classmethod
    def _missing_(cls, value: object) -> Lenient:
        return cls(0)
