"""Mistakes in RANDOM … FROM (X6, X7)."""

from tests.syntax.mistake import Mistake

_EITHER = (
    "write `RANDOM d 1 5` to draw an integer between them, "
    "or write `RANDOM d FROM (1, 5)` to draw one of the two"
)

URNS = (
    Mistake("ALWAYS : RANDOM d FROM 'a','b';", "AC055", "'a'", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake(
        "ALWAYS : RANDOM d FROM 5 OF 'a', 3 OF 'b';",
        "AC055",
        "5",
        "write `RANDOM d FROM (5 OF 'a', 3 OF 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM ();", "AC055", ")", "list one value or more, as in `FROM (3 OF 'a', 'b')`"
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM;", "AC055", ";", "write `RANDOM d FROM ('a', 'b')`, with the actual values"
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM ('a','b',);",
        "AC055",
        ")",
        "list one value or more, as in `FROM (3 OF 'a', 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM (,'a');", "AC055", ",", "list one value or more, as in `FROM (3 OF 'a', 'b')`"
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM ('a',,'b');",
        "AC055",
        ",",
        "list one value or more, as in `FROM (3 OF 'a', 'b')`",
    ),
    Mistake("ALWAYS : RANDOM d FROM ('a' 'b');", "AC055", "'b'", "write `'a', 'b'`"),
    Mistake("ALWAYS : RANDOM d FROM (OF 'a', 'b');", "AC055", "OF 'a'", "write `('a', 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (5 OF, 'b');", "AC055", ",", "write `5 OF 'a'`, with the actual value"),
    Mistake(
        "ALWAYS : RANDOM d FROM ('a' OF 5, 'b' OF 3);", "AC055", "'a' OF 5", "write `(5 OF 'a', 3 OF 'b')`"
    ),
    Mistake("ALWAYS : RANDOM d FROM (5 'a', 3 'b');", "AC055", "5 'a'", "write `(5 OF 'a', 3 OF 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (5: 'a', 3: 'b');", "AC055", "5: 'a'", "write `(5 OF 'a', 3 OF 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM ('a': 5, 'b': 3);", "AC055", "'a': 5", "write `(5 OF 'a', 3 OF 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (5 * 'a', 3 * 'b');", "AC055", "5 * 'a'", "write `(5 OF 'a', 3 OF 'b')`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (0 OF 'a', 3 OF 'b');", "AC052", "0", "remove the value: it is never drawn"
    ),
    Mistake("ALWAYS : RANDOM d FROM (-1 OF 'a', 3 OF 'b');", "AC052", "-1", "write `1`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (1.5 OF 'a', 3 OF 'b');",
        "AC052",
        "1.5",
        "write `RANDOM d FROM (3 OF 'a', 6 OF 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM (0.25 OF 'a', 0.75 OF 'b');",
        "AC052",
        "0.25",
        "write `RANDOM d FROM (1 OF 'a', 3 OF 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM (5.0 OF 'a', 3 OF 'b');",
        "AC052",
        "5.0",
        "write `RANDOM d FROM (5 OF 'a', 3 OF 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM (w OF 'a', 3 OF 'b');",
        "AC052",
        "w",
        "write the number itself, as in `FROM (3 OF 'a', 'b')`: parameters stand for constants only",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM (50% OF 'a', 50% OF 'b');",
        "AC052",
        "50% OF 'a'",
        "write `(50 OF 'a', 50 OF 'b')`",
    ),
    Mistake("ALWAYS : RANDOM d IN ('a', 'b');", "AC055", "IN", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake("ALWAYS : RANDOM d OF ('a', 'b');", "AC055", "OF", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake("ALWAYS : RANDOM d ('a', 'b');", "AC055", "(", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake("ALWAYS : RANDOM d ('a', 'b', 'c');", "AC055", "(", "write `RANDOM d FROM ('a', 'b', 'c')`"),
    Mistake("ALWAYS : RANDOM d 'a', 'b', 'c';", "AC055", "'a'", "write `RANDOM d FROM ('a', 'b', 'c')`"),
    Mistake("ALWAYS : RANDOM d (1, 5);", "AC041", "(1, 5)", _EITHER),
    Mistake("ALWAYS : RANDOM d FROM 1 TO 5;", "AC041", "FROM 1 TO 5", "write `RANDOM d 1 5`"),
    Mistake("ALWAYS : RANDOM d FROM (1 TO 5);", "AC055", "TO", "write `RANDOM d 1 5`"),
    Mistake(
        "ALWAYS : RANDOM d FROM [1, 5];",
        "AC055",
        "[",
        "list the values in parentheses, as in `FROM ('a', 'b')`",
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM {'a', 'b'};",
        "AC055",
        "{",
        "list the values in parentheses, as in `FROM ('a', 'b')`",
    ),
    Mistake("ALWAYS : RANDOM d AMONG ('a', 'b');", "AC055", "AMONG", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake(
        "ALWAYS : RANDOM FROM ('a', 'b');",
        "AC055",
        "FROM",
        "write `RANDOM Age FROM ('a', 'b')`, with the actual column",
    ),
    Mistake(
        "ALWAYS : RANDOM date from FROM ('a', 'b');",
        "AC016",
        "date from",
        'write `RANDOM "date from" FROM …`',
    ),
    Mistake("ALWAYS : RANDOM d FROM ('a', 'b';", "AC055", ";", "write `'b')`"),
    Mistake("ALWAYS : RANDOM d FROM 'a', 'b');", "AC055", "'a'", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (a b, 'c');", "AC022", "a b", "write `'a b'`"),
    Mistake("ALWAYS : RANDOM d FROM ('a' OR 'b');", "AC055", "OR", "write `'a', 'b'`"),
    Mistake("ALWAYS : RANDOM d FROM ('a' AND 'b');", "AC055", "AND", "write `'a', 'b'`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (1 OF 'a', 4294967296 OF 'b');",
        "AC054",
        "1 OF 'a'",
        "write `2 OF 'a'` or more, or remove the value",
    ),
    Mistake(
        "ALWAYS : DRAW d FROM ('a', 'b');",
        "AC024",
        "DRAW",
        "write `RANDOM d FROM ('a', 'b')`, with the actual values",
    ),
    Mistake(
        "ALWAYS : SAMPLE d FROM ('a', 'b');",
        "AC024",
        "SAMPLE",
        "write `RANDOM d FROM ('a', 'b')`, with the actual values",
    ),
    Mistake(
        "ALWAYS : REPLACE d WITH RANDOM ('a', 'b');",
        "AC055",
        "RANDOM",
        "write `RANDOM d FROM ('a', 'b')` to draw one of them",
    ),
    Mistake(
        "ALWAYS : REPLACE d WITH RANDOM FROM ('a', 'b');",
        "AC055",
        "RANDOM",
        "write `RANDOM d FROM ('a', 'b')` to draw one of them",
    ),
    Mistake(
        "ALWAYS : REPLACE d FROM ('a', 'b');",
        "AC055",
        "(",
        "write `RANDOM d FROM ('a', 'b')` to draw one of them",
    ),
    Mistake(
        "ALWAYS : REPLACE d WITH ('a', 'b');",
        "AC055",
        "(",
        "write `RANDOM d FROM ('a', 'b')` to draw one of them",
    ),
    Mistake("ALWAYS : RANDOM d FROM (\"a\", 'b');", "AC017", '"a"', "write `'a'`"),
    Mistake("ALWAYS : RANDOM d 1, 5;", "AC041", "1, 5", _EITHER),
    Mistake("ALWAYS : RANDOM d FROM 1, 5;", "AC041", "FROM 1, 5", _EITHER),
    Mistake("ALWAYS : RANDOM d IN (1, 5);", "AC041", "IN (1, 5)", _EITHER),
    Mistake("ALWAYS : RANDOM d BETWEEN 1 AND 5;", "AC041", "BETWEEN 1 AND 5", "write `RANDOM d 1 5`"),
    Mistake("ALWAYS : RANDOM d FROM 1, 5, 6;", "AC055", "1", "write `RANDOM d FROM (1, 5, 6)`"),
    Mistake("ALWAYS : RANDOM d FORM ('a', 'b');", "AC055", "FORM", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (0.5 OF 'a', 'b');",
        "AC052",
        "0.5",
        "multiply the weight of each value by 2; a value without one has the weight 1",
    ),
    Mistake("ALWAYS : RANDOM d FROM (5 k, 'b');", "AC055", "5 k", "write `(5 OF k, 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (5 3, 'b');", "AC055", "3", "write `5, 3`"),
    Mistake("ALWAYS : RANDOM d FROM ('a', 'b' THEN REJECT;", "AC055", "THEN", "write `'b')`"),
    Mistake("ALWAYS : RANDOM d FROM ('a';", "AC055", ";", "write `'a')`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (;", "AC055", ";", "list one value or more, as in `FROM (3 OF 'a', 'b')`"
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM ('a',;", "AC055", ";", "list one value or more, as in `FROM (3 OF 'a', 'b')`"
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM x ('a', 'b');",
        "AC055",
        "x",
        "list the values in parentheses, as in `FROM ('a', 'b')`",
    ),
    Mistake("EACH RESULT : d IN ('a') : RANDOM d FROM ('a' : 3);", "AC055", "'a' : 3", "write `(3 OF 'a')`"),
    Mistake("ALWAYS : RANDOM d FROM (50% OF 'a', 'b');", "AC052", "50% OF 'a'", "write `(50 OF 'a', 'b')`"),
    Mistake("ALWAYS : RANDOM d FROM (-1.5 OF 'a', 'b');", "AC052", "-1.5", "write `1`"),
    Mistake("ALWAYS : RANDOM d FROM ('a')) THEN REJECT;", "AC014", ")", "remove the `)`"),
)
