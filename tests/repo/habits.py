"""Phrases that our prose avoids: `python -m tests.repo.habits [PATH…]` lists them with what to write instead.

Checks docstrings, comments and strings of Python code, the documentation, and the studio's labels."""

import argparse
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.repo.sources import ROOT

#: a pattern, and what to write instead
HABITS = {
    r"(?<!here )\b(?:is|are|was|were) no "
    r"(?!longer|more|fewer|less|different|such|better|worse|larger|smaller|later|earlier)\w+": (
        "`is not a`, `there is no`, or a verb"
    ),
    r"\b(?:is|are|was|were|be|being) told\b|\btold by\b": "`reports`, `says`, `shows`",
    r"\bgo(?:es)? out\b": "`is written`, `is released`",
    r"\btak(?:e|es|ing) over\b": "`accept`, `use`, `start`",
    r"\bbeside\b": "`next to`, `with`, `in addition to`",
    r"\bis there twice\b|\bare there twice\b": "`duplicate`, `distinct`",
    r"\bso many\b": "the number itself: `this many`, `N`",
    r"\bfrom 0 on\b": "`non-negative`",
    r"\blets? no\b": "say what happens",
    r"\bas given\b": "`unchanged`, `as in the input`",
    r"\bnobody\b": "say who does what",
    r"\b(?:be|is|are) content with\b": "`accept`",
    r"\bof use\b": "`useful`",
    r"\bdearer\b": "`more expensive`, a factor",
    r"\bis not to be had\b|\bto be had\b": "`is not available`",
    r"\bone (?!or|of|in|and|to|for|as|with|is|has|by|at)\w+ an? \w+\b(?! time)": "`one X for each Y`, `one X per Y`",
    r"\b(?:none|nothing) of (?:this|that) is\b": "`not`",
    r"\bis what (?:it|they|he|she)\b": "say it without `what`",
    r"\bthat is to be\b|\bthat are to be\b": "`to` and a verb",
    r"\bwhat stands\b|\bstands there\b|\bstand there\b": "`is`, `occurs`",
    r"\bfrom which on\b|\bsince which\b|\bat (?:its|their) place\b": "`when`, `since`, `where`",
    r"\bholds? of\b": "`holds for`",
    r"\bmakes? no sense\b": "say what is wrong",
    r"\bNone where\b": "`None if`",
    r"\bmisspelt\b|\bcatalogue\b|\bfull stop\b|\bunlabelled\b|\bthe wrong way round\b": "American spelling",
    r"\b(?:coloured|behaviour|neighbour|labelled|labelling|cancelled|favour|honour|analys(?:e|ed|es)|recognis\w+"
    r"|organis\w+|normalis\w+|generalis\w+|summaris\w+|judgement|centre"
    r"|grey|licence|travelled|modelled|signalled|whilst|colour)\b": "American spelling",
}
_PATTERN = re.compile("|".join(f"({each})" for each in HABITS), re.IGNORECASE)
_ADVICE = list(HABITS.values())

#: where a phrase is right, with the reason: (file, phrase)
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("docs/privacy.md", "neighbour"): "a key of `--json`, on which scripts rely",
    ("src/acompass/reason/privacy/answer.py", "neighbour"): "a key of `--json`, on which scripts rely",
    ("tests/tables/tables.py", "nobody"): "a user of Unix",
    ("tests/text/mistakes.py", "GENERALISE"): "a misspelled keyword",
}


def habits_in(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the phrase and what to write instead."""
    for match in _PATTERN.finditer(text):
        yield (
            text.count("\n", 0, match.start()) + 1,
            match.group(0),
            _ADVICE[match.lastindex - 1 if match.lastindex else 0],
        )


def read_prose(path: Path) -> str:
    """The prose of a file, on its original lines: comments and strings of Python, Markdown without its code blocks."""
    text = path.read_text(encoding="utf-8")
    match path.suffix:
        case ".py":
            return _python_prose(text)
        case ".md":
            return re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.S | re.M)
        case _:
            return text


def _python_prose(text: str) -> str:
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) or token.type == getattr(tokenize, "FSTRING_MIDDLE", None):
            for offset, part in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + offset] += " " + part
    return "\n".join(lines)


def files() -> list[Path]:
    """Every file whose prose is checked."""
    patterns = (
        "src/**/*.py",
        "tests/**/*.py",
        "docs/**/*.md",
        "studio/src/**/*.ts*",
        "*.md",
        "editors/vscode/*.md",
        "examples/**/*.md",
        "theory/*.md",
    )
    found = {path for pattern in patterns for path in ROOT.glob(pattern)}
    return sorted(found - {ROOT / "tests/repo/habits.py"})


def find_phrases(paths: list[Path]) -> list[str]:
    """A row for each phrase, except for the exceptions."""
    return [
        f"{path.relative_to(ROOT)}:{line}: `{phrase}`: {advice}"
        for path in paths
        for line, phrase, advice in habits_in(read_prose(path))
        if (str(path.relative_to(ROOT)), phrase) not in EXCEPTIONS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="default: all files that are checked")
    wanted = [path.resolve() for path in parser.parse_args().paths]
    chosen = [path for path in files() if not wanted or any(path.is_relative_to(each) for each in wanted)]
    rows = find_phrases(chosen)
    print("\n".join([*rows, f"{len(rows)} phrases in {len(chosen)} files"]))


if __name__ == "__main__":
    main()
