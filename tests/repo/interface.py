"""The public interface as text: `python -m tests.repo.interface` prints it, `… > tests/repo/interface.txt` records it.

One line for each argument of a public function or method, each field of an answer, and each option of a command.
Types and wording are left out: they may change."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click

import acompass
from acompass.cli.app import app


def interface_lines() -> Iterator[str]:
    for name in sorted(acompass.__all__):
        yield from _name_lines(name, getattr(acompass, name))
    yield from _command_lines()


def _name_lines(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value) and issubclass(value, Exception):
        yield f"acompass.{name}({', '.join(base.__name__ for base in value.__bases__)})"
    elif inspect.isclass(value):
        for member, found in inspect.getmembers(value):
            if inspect.isfunction(found) and not member.startswith("_"):
                yield from _argument_lines(f"acompass.{name}.{member}", found)
            elif isinstance(found, property):
                yield f"acompass.{name}.{member}"
        yield from (f"acompass.{name}.{each}" for each in getattr(value, "__dataclass_fields__", ()))
    elif inspect.ismodule(value):
        for member in value.__all__:
            yield from _name_lines(f"{name}.{member}", getattr(value, member))
    elif callable(value):
        yield from _argument_lines(f"acompass.{name}", value)


def _argument_lines(name: str, function: Callable[..., Any]) -> Iterator[str]:
    yield f"{name}()"
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        yield f"{name}({parameter.name}): {parameter.kind.description}{default}"


def _command_lines() -> Iterator[str]:
    context = click.Context(app)
    for name in sorted(app.list_commands(context)):
        command = app.get_command(context, name)
        assert command is not None
        below = command.commands if isinstance(command, click.Group) else {}
        for spelled, each in {name: command, **{f"{name} {sub}": made for sub, made in below.items()}}.items():
            yield from (f"acompass {spelled} {_parameter_text(parameter)}" for parameter in each.params)


def _parameter_text(parameter: click.Parameter) -> str:
    spelled = "/".join((*parameter.opts, *parameter.secondary_opts))
    choices = f" {'|'.join(map(str, parameter.type.choices))}" if isinstance(parameter.type, click.Choice) else ""
    default = f" = {parameter.default!r}" if isinstance(parameter.default, bool | int | str | tuple) else ""
    marks = [word for word, is_so in (("required", parameter.required), ("repeatable", parameter.multiple)) if is_so]
    return " ".join([f"{spelled}{choices}{default}", *marks])


if __name__ == "__main__":
    print("\n".join(interface_lines()))
