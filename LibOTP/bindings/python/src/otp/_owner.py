"""What keys and keyrings share: memory of the library, wiped and released at the end."""

from __future__ import annotations

import ctypes

from otp._header import Status
from otp.errors import InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, NoReturn, TypeVar

    _Owner = TypeVar("_Owner", bound="Owner")


class Handle:
    """A pointer, destroyed when the last call that uses it returns, whichever thread closes its owner earlier."""

    __slots__ = ("_as_parameter_", "_destroy")

    def __init__(self, create: Callable[..., None], destroy: Callable[..., None], *arguments: Any) -> None:
        self._as_parameter_ = ctypes.c_void_p()
        self._destroy = destroy
        create(*arguments, ctypes.byref(self._as_parameter_))

    def __del__(self) -> None:
        self._destroy(self._as_parameter_)


class Owner:
    __slots__ = ("_handle", "__weakref__")
    _handle: Handle | None
    _destroy: ClassVar[Callable[..., None]]

    def _create(self: _Owner, create: Callable[..., None], *arguments: Any) -> _Owner:
        self._handle = Handle(create, self._destroy, *arguments)
        return self

    def _open(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise InvalidInputError(Status.INVALID_ARGUMENT, f"the {type(self).__name__.lower()} is closed")
        return handle

    def close(self) -> None:
        """Wipes and releases the memory, once no other thread's call uses it. A second call does nothing."""
        self._handle = None

    def __enter__(self: _Owner) -> _Owner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<otp.{type(self).__name__}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied or pickled")
