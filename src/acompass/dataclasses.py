"""The standard library's dataclasses, except that a class compiles its methods when they are first called.

`acompass check` defines more than a hundred classes and calls a third of their methods. To compile all of them took a
quarter of the time of a short command."""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass

__all__ = ["asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]


def _dataclass(
    cls: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
) -> Any:
    if cls is None:
        return lambda cls: _dataclass(cls, frozen=frozen, slots=slots, eq=eq, repr=repr)
    if cls.__doc__ is None:  # the standard library would build a signature
        cls.__doc__ = cls.__name__
    own = set(cls.__dict__)
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    methods: dict[str, Any] = {"__init__": _Compiled(_compile_init, frozen)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _Compiled(_compile_eq)
        methods["__hash__"] = _Compiled(_compile_hash) if frozen else None
    if frozen:
        methods |= {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
    if frozen and slots:
        methods |= {"__getstate__": _get_state, "__setstate__": _set_state}
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
            if isinstance(method, _Compiled):
                method.cls, method.name = made, name
    return made


if not TYPE_CHECKING:
    dataclass = _dataclass


class _Compiled:
    """A method that replaces itself with its compiled function when it is looked up."""

    cls: type
    name: str

    def __init__(self, make: Callable[..., Callable[..., Any]], *options: bool):
        self._make, self._options = make, options

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = self._make(self.cls, *self._options)
        method.__qualname__ = f"{self.cls.__qualname__}.{self.name}"
        method.__module__ = self.cls.__module__
        setattr(self.cls, self.name, method)
        return method.__get__(instance, owner)


def _compile_init(cls: type, frozen: bool) -> Callable[..., Any]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY}
    parameters, lines = ["self"], []
    for each in fields(cls):
        assert not each.kw_only, "not supported"
        name = value = each.name
        if each.default_factory is not MISSING:
            names[f"_make_{name}"] = each.default_factory
            value = f"_make_{name}() if {name} is _factory else {name}" if each.init else f"_make_{name}()"
            parameters += [f"{name}=_factory"] if each.init else []
        elif each.default is not MISSING:
            names[f"_default_{name}"] = each.default
            parameters += [f"{name}=_default_{name}"] if each.init else []
            value = name if each.init else f"_default_{name}"
        elif each.init:
            parameters.append(name)
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    method = _compile(f"def __init__({', '.join(parameters)}):", lines or ["pass"], names)
    method.__annotations__ = {each.name: each.type for each in fields(cls) if each.init} | {"return": None}
    return method


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


#: the default of a parameter whose field has a default_factory
_FACTORY = _Factory()


def _compile_eq(cls: type) -> Callable[..., Any]:
    compared = [each.name for each in fields(cls) if each.compare]
    mine, others = _tuple_of("self", compared), _tuple_of("other", compared)
    lines = [f"if other.__class__ is self.__class__: return {mine} == {others}", "return NotImplemented"]
    return _compile("def __eq__(self, other):", lines, {})


def _compile_hash(cls: type) -> Callable[..., Any]:
    hashed = [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    return _compile("def __hash__(self):", [f"return hash({_tuple_of('self', hashed)})"], {})


def _tuple_of(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


def _compile(head: str, lines: list[str], names: dict[str, Any]) -> Callable[..., Any]:
    found: dict[str, Any] = {}
    exec("\n ".join([head, *lines]), names, found)
    (method,) = found.values()
    compiled: Callable[..., Any] = method
    return compiled


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_assignment(self: object, name: str, _: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
