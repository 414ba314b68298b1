"""The GitHub expressions that action.yml uses; any other expression is an error."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_COMPARISON = re.compile(r"(?P<left>\S+) (?P<operator>==|!=) (?P<right>'[^']*')")
_INPUT = re.compile(r"inputs\.(?P<name>[a-z][a-z-]*)")
_OUTPUT = re.compile(r"steps\.(?P<step>[a-z]+)\.outputs\.(?P<name>[a-z]+)")


@dataclass(frozen=True)
class Context:
    inputs: Mapping[str, str]
    #: of the steps that ran, by the id of the step
    outputs: Mapping[str, Mapping[str, str]]

    def fill(self, text: str) -> str:
        """Replace the expressions in a text by their values."""
        return _PLACE.sub(lambda found: self._value(found[1].strip()), text)

    def holds(self, condition: str) -> bool:
        found = _PLACE.fullmatch(condition)
        compared = found and _COMPARISON.fullmatch(found[1].strip())
        if not compared:
            raise ValueError(f"an unknown condition: {condition}")
        # GitHub ignores case when it compares strings
        same = self._value(compared["left"]).casefold() == compared["right"][1:-1].casefold()
        return same is (compared["operator"] == "==")

    def _value(self, expression: str) -> str:
        if found := _INPUT.fullmatch(expression):
            return self.inputs[found["name"]]
        if found := _OUTPUT.fullmatch(expression):
            # an output that was not written is empty; a step that does not exist is an error
            return self.outputs[found["step"]].get(found["name"], "")
        raise ValueError(f"an unknown expression: {expression}")
