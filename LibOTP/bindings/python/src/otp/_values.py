"""Frozen dataclasses, without `dataclasses`, whose import takes longer than starting Python. Only what asks for a
value's fields, such as `dataclasses.replace`, imports it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    class _Fields:
        def __get__(self, _, owner):
            from dataclasses import field, make_dataclass
            defaults = {name: field(default=vars(owner)[name]) for name in owner.__match_args__ if name in vars(owner)}
            made = make_dataclass(owner.__name__, [(name, owner.__annotations__[name], defaults.get(name, field()))
                                                   for name in owner.__match_args__])
            return made.__dataclass_fields__

    class _Frozen:
        __dataclass_fields__ = _Fields()

        def __setattr__(self, name, *_):
            from dataclasses import FrozenInstanceError
            raise FrozenInstanceError(f"cannot change field {name!r}")

        __delattr__ = __setattr__

        def __eq__(self, other):
            return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

        def __hash__(self):
            return hash(tuple(vars(self).values()))

        def __repr__(self):
            # Bytes are a record or a secret.
            shown = (f"{name}={value!r}" for name, value in vars(self).items() if type(value) is not bytes)
            return f"{type(self).__qualname__}({', '.join(shown)})"

    def dataclass(frozen):
        def made(cls):
            names = [name for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar")]
            parameters = ", ".join(f"{name}=cls.{name}" if name in vars(cls) else name for name in names)
            fields = ", ".join(f"{name}={name}" for name in names)
            methods = {"cls": cls}
            exec(f"def __init__(self, {parameters}): self.__dict__.update({fields})", methods)
            cls.__match_args__, cls.__init__ = tuple(names), methods["__init__"]
            for name in vars(_Frozen).keys() - vars(cls).keys():
                setattr(cls, name, vars(_Frozen)[name])
            return cls
        return made
