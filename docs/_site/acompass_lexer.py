"""The colours of a policy."""

import re
from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["AcompassLexer"]

ACTIONS = r"(?:REJECT|REPLACE|WITH|RANDOM)(?![\w.-])"
#: contextual words (X0), which have a colour only in capitals, because they may be names
MAPS = r"PROBABILITY|BANDS|OF|FROM|UP|AT|PREFIX|MONTH|QUARTER|YEAR|DECADE|LEVEL|ELSE|NEAREST|WITHIN|DAYS"
NEW_ACTIONS = rf"(?-i:GENERALIZE|TO|DROP|PSEUDONYM|SHIFT|ADD|MICROAGGREGATE|{MAPS})(?![\w.-])"
NEW_WORDS = r"(?-i:ALWAYS|THEN|IN|BETWEEN|LIKE)(?![\w.-])"
WORDS = r"(?:EACH|SOME|RESULT|RECORD|FILTER|PROCESS|WHERE|GROUP_BY|GROUP|BY|AS|AND|OR|NOT)(?![\w.-])"
AGGREGATES = r"(?:SUM|MIN|MAX|COUNT(?:\s+DISTINCT)?)(?=\s*\()|COUNT\s+DISTINCT\b|SHARE\s+OF\s+(?:LARGEST|MODE)\b"


class AcompassLexer(RegexLexer):
    name = "A-COMPASS"
    aliases: ClassVar = ["acompass"]
    filenames: ClassVar = ["*.acp"]
    flags = re.IGNORECASE | re.DOTALL

    tokens: ClassVar = {
        "root": [
            (r"--[^\n]*", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r"'(?:''|[^'])*'", String.Single),
            (r'"(?:""|[^"])*"', Name.Variable),
            (ACTIONS, Keyword.Type),
            (NEW_ACTIONS, Keyword.Type),
            (WORDS, Keyword),
            (NEW_WORDS, Keyword),
            (AGGREGATES, Name.Builtin),
            (r"[+-]?\d+(?:\.\d+)?", Number),
            (r"<=|>=|!=|<>|[<>=≤≥]", Operator),
            (r"[:;,()*]", Punctuation),
            (r"[^\W\d][\w.-]*", Name),
            (r"\s+", Whitespace),
        ]
    }
