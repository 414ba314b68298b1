"""Print the page of a diagnostic code."""

from acompass.cli.exits import exit_codes, print_error_json
from acompass.cli.streams import print_out
from acompass.diagnostics import CallError, Diagnostic

#: how many similar codes to list for an unknown code
_NEAR = 5


def print_page(code: str, as_json: bool) -> None:
    from acompass.diagnostics.codes import CODES
    from acompass.diagnostics.pages import read_page
    from acompass.diagnostics.render import render_page
    from acompass.report.json.document import to_json

    with exit_codes(print_error_json if as_json else None):
        if code not in CODES:
            raise CallError([_unknown(code, CODES)])
        page = read_page(code)
        print_out(
            to_json({"code": code, "title": CODES[code], "page": page}) if as_json else render_page(page)
        )


def _unknown(code: str, codes: dict[str, str]) -> Diagnostic:
    near = sorted(codes, key=lambda known: (known[2] != code[2], abs(_number(known) - _number(code))))[:_NEAR]
    listed = "\n".join(f"{known}: {codes[known]}" for known in sorted(near))
    return Diagnostic("AC709", f"unknown code `{code}`", help=f"the nearest codes are\n{listed}")


def _number(code: str) -> int:
    return int(code.removeprefix("AC"))
