"""Frozen records with slots, made quickly.

`dataclass(frozen=True, slots=True)` compiles six functions for every class and makes each class
twice; with the import of `dataclasses` itself the eighty classes of a run cost every start of the
program 70 ms. `frozen` makes the same kind of class (`fields`, `replace`, matching, hashing and
pickling work) from one function each, compiled when first called, which sets attributes faster.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_MISSING: Any = object()
_REST = "_rest"  # the slot for what fills the empty ones


class _Factory:
    """The default of a field that is made anew for each record."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def factory(*, default_factory: Callable[[], T]) -> T:
    """`field(default_factory=…)` of a record."""
    return _Factory(default_factory)  # type: ignore[return-value]


@overload
def frozen(cls: type[T]) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = False, in_parts: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(factory,))
def frozen(cls: Any = None, *, kw_only: bool = False, in_parts: bool = False) -> Any:
    """Turn a class with annotated fields into a frozen record with slots.

    `kw_only`: the fields of this class are given by name; subclasses may add positional ones.
    `in_parts`: a record may be made with some of its slots empty (see `begin`).
    Defaults may be values or a `factory`; `__post_init__` and other options do not exist.
    """
    if cls is None:
        return lambda wanted: _made(wanted, kw_only, in_parts)
    return _made(cls, kw_only, in_parts)


def begin(cls: type[T], rest: Callable[[Any, str], None]) -> T:
    """A record of a class `in_parts`, its slots empty; the caller fills those it has.

    `rest(record, name)` fills at least the slot of that name when it is first read.
    """
    record = object.__new__(cls)
    object.__setattr__(record, _REST, rest)
    return record


def field_names(cls: type) -> tuple[str, ...]:
    """The names of a record's fields, those of its bases first."""
    return tuple(cls.__record_fields__)  # type: ignore[attr-defined]


REQUIRED = _MISSING


def described(cls: type) -> list[tuple[str, str, Any, bool]]:
    """For each field: name, annotation, default (or REQUIRED), whether given by name only."""
    specs: dict[str, Spec] = cls.__record_fields__  # type: ignore[attr-defined]
    return [
        (name, annotation, default.make() if isinstance(default, _Factory) else default, kw_only)
        for name, (annotation, default, kw_only) in specs.items()
    ]


Spec = tuple[str, Any, bool]  # annotation, default, whether by keyword only


def _made(cls: type, kw_only: bool, in_parts: bool) -> type:
    specs: dict[str, Spec] = {}
    for base in reversed(cls.__mro__[1:]):
        specs.update(base.__dict__.get("__record_fields__", {}))
    content = dict(cls.__dict__)
    annotations: dict[str, str] = content.get("__annotations__", {})
    for name, annotation in annotations.items():
        specs[name] = (annotation, content.pop(name, _MISSING), kw_only)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    values = _values(tuple(specs))
    content.update(
        __slots__=(*annotations, _REST) if in_parts else tuple(annotations),
        __record_fields__=specs,
        __dataclass_fields__=_DataclassFields(),
        __match_args__=tuple(name for name, spec in specs.items() if not spec[2]),
        __setattr__=_refuse,
        __delattr__=_refuse,
        __getstate__=_get_state,
        __setstate__=_set_state,
        __eq__=_equality(values),
    )
    if in_parts:
        content["__getattr__"] = _fill_rest
    content.setdefault("__repr__", _repr)
    content.setdefault("__hash__", lambda self: hash(values(self)))
    made: Any = type(cls)(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    made.__init__ = _compiled_when_called(made, specs)
    return made  # type: ignore[no-any-return]


def _compiled_when_called(cls: Any, specs: dict[str, Spec]) -> Any:
    """An `__init__` that makes the real one: most classes of a run are never called, because
    compiled books fill the slots themselves."""

    def first(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = _initialiser(cls, specs)
        cls.__init__(self, *values, **named)

    return first


def _initialiser(cls: Any, specs: dict[str, Spec]) -> Any:
    """`__init__`, compiled once: every field is set through the descriptor of its slot."""
    scope: dict[str, Any] = {"missing": _MISSING}
    plain, named, body = ["self"], list[str](), list[str]()
    for name, (_, default, kw_only) in specs.items():
        scope[f"set_{name}"] = getattr(cls, name).__set__
        parameter, value = name, name
        if isinstance(default, _Factory):
            scope[f"make_{name}"] = default.make
            parameter, value = f"{name}=missing", f"make_{name}() if {name} is missing else {name}"
        elif default is not _MISSING:
            scope[f"default_{name}"] = default
            parameter = f"{name}=default_{name}"
        (named if kw_only else plain).append(parameter)
        body.append(f" set_{name}(self, {value})")
    listed = ", ".join([*plain, *(["*", *named] if named else [])])
    exec(f"def __init__({listed}):\n" + ("\n".join(body) or " pass"), scope)
    return scope["__init__"]


class _DataclassFields:
    """What the `dataclasses` module wants to see, built when it looks."""

    def __get__(self, record: object, cls: Any) -> dict[str, Any]:
        import dataclasses

        fields = {}
        for name, (annotation, default, kw_only) in cls.__record_fields__.items():
            found: Any
            if isinstance(default, _Factory):
                found = dataclasses.field(default_factory=default.make)
            else:
                given = dataclasses.MISSING if default is _MISSING else default
                found = dataclasses.field(default=given)
            found.name, found.type, found.kw_only = name, annotation, kw_only
            found._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            fields[name] = found
        cls.__dataclass_fields__ = fields
        return fields


def _values(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """The fields of a record as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda record: ()
    only = attrgetter(names[0])
    return lambda record: (only(record),)


def _equality(values: Callable[[Any], Any]) -> Callable[[Any, object], Any]:
    def equals(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equals


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record_fields__)
    return f"{self.__class__.__qualname__}({shown})"


def _fill_rest(self: Any, name: str) -> Any:
    """Called for a slot that is empty: of a record made in parts, or for a name it has not."""
    if name not in self.__record_fields__:
        raise AttributeError(f"{type(self).__name__} has no field {name!r}", name=name, obj=self)
    object.__getattribute__(self, _REST)(self, name)
    return object.__getattribute__(self, name)


def _refuse(self: Any, name: str, value: object = None) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__record_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record_fields__, state, strict=True):
        object.__setattr__(self, name, value)
