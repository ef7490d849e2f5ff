"""Dataclasses for what every command loads: the standard library's, made in a twentieth of the time.

The standard library compiles six functions for each class, one by one, and loads ``inspect`` to do it: with forty
classes that is a third of what a short command takes. Here a class is made at once; constructor, equality and
hash are written when they are first called, and what the library keeps of its own (for ``fields``, ``asdict``,
pydantic) it is asked for when somebody looks. A type checker sees the library's own decorator.

Only what the product's records are is known here: fields of their own, annotated as text; no base that has
fields, no ``kw_only``, no ``__post_init__``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    _NOTHING = object()
    _put = object.__setattr__

    class _Field:
        """A field of which more is said than its type."""

        __slots__ = ("compare", "default", "factory", "repr")

        def __init__(self, default, factory, *, compare, repr):  # noqa: A002 - the library's word
            self.default = default
            self.factory = factory
            self.compare = compare
            self.repr = repr

        def standard(self):
            """The same in the library's words."""
            import dataclasses

            said = {"compare": self.compare, "repr": self.repr}
            if self.factory is not _NOTHING:
                said["default_factory"] = self.factory
            elif self.default is not _NOTHING:
                said["default"] = self.default
            return dataclasses.field(**said)

    def field(*, default=_NOTHING, default_factory=_NOTHING, compare=True, repr=True):  # noqa: A002 - the library's word
        """See ``dataclasses.field``."""
        return _Field(default, default_factory, compare=compare, repr=repr)

    def replace(record, /, **changes):
        """See ``dataclasses.replace``."""
        names = type(record).__dict__.get("__record__")
        if names is None:
            import dataclasses

            return dataclasses.replace(record, **changes)
        for name in names:
            if name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)

    def dataclass(*, frozen=False, slots=False, eq=True):
        """See ``dataclasses.dataclass``."""
        return lambda cls: _made(cls, frozen=frozen, slots=slots, eq=eq)

    def _made(cls, *, frozen, slots, eq):
        held = dict(cls.__dict__)
        if "__post_init__" in held or any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__):
            raise TypeError(
                f"{cls.__qualname__} needs the standard library's dataclass: it has more than fields"
            )
        told = _told(cls, held)
        added = {"__record__": tuple(told), "__match_args__": tuple(told)}
        wanted = _methods(told, frozen=frozen, slots=slots)
        added |= {name: method for name, method in wanted.items() if held.get(name) is None}
        made = _slotted(cls, held, told, added) if slots else _open(cls, told, added)

        def __init__(self, *args, **kwargs):  # noqa: N807 - as below
            made.__init__ = _written(made, "__init__", *_constructor(told, frozen=frozen))
            made.__init__(self, *args, **kwargs)

        def __eq__(self, other):  # noqa: N807 - as below
            made.__eq__ = _written(made, "__eq__", _comparison(told))
            return made.__eq__(self, other)

        def __hash__(self):  # noqa: N807 - as below
            made.__hash__ = _written(made, "__hash__", _hashing(told))
            return made.__hash__(self)

        # These three stand in until they are called: what a run does not use of a class is not compiled for it.
        made.__init__ = __init__
        if eq and "__eq__" not in held:
            made.__eq__ = __eq__
        if eq and "__hash__" not in held:
            made.__hash__ = __hash__ if frozen else None

        def standard():
            import dataclasses

            body = {**_body(held), **{name: said.standard() for name, said in told.items()}}
            return dataclasses.dataclass(frozen=frozen, eq=eq)(type(cls)(cls.__name__, cls.__bases__, body))

        made.__dataclass_fields__ = _Standard("__dataclass_fields__", made, standard)
        made.__dataclass_params__ = _Standard("__dataclass_params__", made, standard)
        return made

    def _told(cls, held):
        """The fields in order."""
        told = {}
        for name, what in cls.__annotations__.items():
            if not what.startswith("ClassVar["):
                said = held.get(name, _NOTHING)
                told[name] = (
                    said if isinstance(said, _Field) else _Field(said, _NOTHING, compare=True, repr=True)
                )
        return told

    def _body(held):
        return {name: kept for name, kept in held.items() if name not in ("__dict__", "__weakref__")}

    def _slotted(cls, held, told, added):
        """The class anew: slots can only be given at birth."""
        body = {name: kept for name, kept in _body(held).items() if name not in told}
        made = type(cls)(cls.__name__, cls.__bases__, {**body, **added, "__slots__": tuple(told)})
        made.__qualname__ = cls.__qualname__
        return made

    def _open(cls, told, added):
        """The class itself, defaults standing in it as plain values."""
        for name, kept in added.items():
            setattr(cls, name, kept)
        for name, said in told.items():
            if said.default is not _NOTHING:
                setattr(cls, name, said.default)
            elif name in cls.__dict__:
                delattr(cls, name)
        return cls

    class _Standard:
        """What the library keeps with a class of its own, made by the library when somebody looks."""

        def __init__(self, name, made, standard):
            self._name = name
            self._made = made
            self._standard = standard

        def __get__(self, instance, owner):
            standard = self._standard()
            for name in ("__dataclass_fields__", "__dataclass_params__"):
                setattr(self._made, name, getattr(standard, name))
            return getattr(standard, self._name)

    def _written(made, name, text, given=()):
        """A method of the class from its source; ``given`` are the values that it knows by name."""
        space = {"_put": _put, "_made": _NOTHING, **dict(given)}
        outer = (
            f"def make({', '.join(space)}):\n" + "".join(f" {line}\n" for line in text) + f" return {name}\n"
        )
        exec(outer, {"__name__": made.__module__}, found := {})  # noqa: S102 - of our own field names
        written = found["make"](**space)
        written.__qualname__ = f"{made.__qualname__}.{name}"
        return written

    def _constructor(told, *, frozen):
        given, takes, body = {}, [], []
        for number, (name, said) in enumerate(told.items()):
            value = name
            if said.factory is not _NOTHING:
                given[f"_{number}"] = said.factory
                takes.append(f"{name}=_made")
                value = f"_{number}() if {name} is _made else {name}"
            elif said.default is not _NOTHING:
                given[f"_{number}"] = said.default
                takes.append(f"{name}=_{number}")
            else:
                takes.append(name)
            body.append(f" _put(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
        return [f"def __init__({', '.join(['self', *takes])}):", *(body or [" pass"])], given

    def _tuple_of(whose, told):
        return "(" + "".join(f"{whose}.{name}, " for name, said in told.items() if said.compare) + ")"

    def _comparison(told):
        return [
            "def __eq__(self, other):",
            " if other.__class__ is self.__class__:",
            f"  return {_tuple_of('self', told)} == {_tuple_of('other', told)}",
            " return NotImplemented",
        ]

    def _hashing(told):
        return ["def __hash__(self):", f" return hash({_tuple_of('self', told)})"]

    def _methods(told, *, frozen, slots):
        names = tuple(told)
        methods = {"__repr__": _repr(tuple(name for name, said in told.items() if said.repr))}
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if frozen and slots:

            def __getstate__(self):  # noqa: N807
                return [getattr(self, name) for name in names]

            def __setstate__(self, state):  # noqa: N807
                for name, value in zip(names, state, strict=True):
                    _put(self, name, value)

            methods |= {"__getstate__": __getstate__, "__setstate__": __setstate__}
        return methods

    def _repr(names):
        def __repr__(self):  # noqa: N807
            return (
                f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"
            )

        return __repr__

    def _refuse_to_set(_, name, __):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(_, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")
