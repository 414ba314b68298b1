"""The expressions of GitHub that action.yml uses, and no others: an unknown one is an error, not a guess."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_COMPARISON = re.compile(r"(?P<left>\S+) (?P<operator>==|!=) (?P<right>'[^']*')")
_INPUT = re.compile(r"inputs\.(?P<name>[a-z][a-z-]*)")
_OUTPUT = re.compile(r"steps\.(?P<step>[a-z]+)\.outputs\.(?P<name>[a-z]+)")


@dataclass(frozen=True)
class Context:
    """Outputs are those of the steps that ran, by the id of the step."""

    inputs: Mapping[str, str]
    outputs: Mapping[str, Mapping[str, str]]

    def filled(self, text: str) -> str:
        """The text with the values of its expressions."""
        return _PLACE.sub(lambda found: self._value(found[1].strip()), text)

    def holds(self, condition: str) -> bool:
        found = _PLACE.fullmatch(condition)
        compared = found and _COMPARISON.fullmatch(found[1].strip())
        if not compared:
            raise ValueError(f"an unknown condition: {condition}")
        # GitHub compares texts without regard to case
        same = self._value(compared["left"]).casefold() == compared["right"][1:-1].casefold()
        return same is (compared["operator"] == "==")

    def _value(self, expression: str) -> str:
        if found := _INPUT.fullmatch(expression):
            return self.inputs[found["name"]]
        if found := _OUTPUT.fullmatch(expression):
            # an output that was not written is empty, a step that does not exist is a mistake
            return self.outputs[found["step"]].get(found["name"], "")
        raise ValueError(f"an unknown expression: {expression}")
