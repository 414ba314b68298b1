"""Mistakes in WITH PROBABILITY and RANDOM … FROM (X5 to X7)."""

from tests.syntax.mistake import Mistake

_EITHER = (
    "write `RANDOM d 1 5` to draw an integer between them, "
    "or write `RANDOM d FROM (1, 5)` to draw one of the two"
)

CHANCES = (
    Mistake("ALWAYS : WITH PROBABILITY 25 REJECT;", "AC051", "25", "did you mean `0.25`?"),
    Mistake("ALWAYS : WITH PROBABILITY 25% REJECT;", "AC051", "25%", "write `0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY 1/4 REJECT;", "AC051", "1/4", "write `0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY 1 / 4 REJECT;", "AC051", "1 / 4", "write `0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY .25 REJECT;", "AC005", ".25", "write `0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY 0,25 REJECT;", "AC043", "0,25", "write `0.25`"),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0 REJECT;",
        "AC051",
        "0",
        "remove the requirement: the action is never performed",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.0 REJECT;",
        "AC051",
        "0.0",
        "remove the requirement: the action is never performed",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 1 REJECT;",
        "AC051",
        "1",
        "remove `WITH PROBABILITY` to perform the action on every affected record",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 1.0 REJECT;",
        "AC051",
        "1.0",
        "remove `WITH PROBABILITY` to perform the action on every affected record",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 100 REJECT;",
        "AC051",
        "100",
        "remove `WITH PROBABILITY` to perform the action on every affected record",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 250 REJECT;",
        "AC051",
        "250",
        "write the probability in digits, as in `WITH PROBABILITY 0.25`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.00000000001 REJECT;",
        "AC054",
        "0.00000000001",
        "write `0.0000000003` or more",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.99999999999 REJECT;",
        "AC054",
        "0.99999999999",
        "write `0.9999999997` or less",
    ),
    Mistake("ALWAYS : WITH PROBABILITY 1.5 REJECT;", "AC051", "1.5", "did you mean `0.015`?"),
    Mistake("ALWAYS : WITH PROBABILITY -0.25 REJECT;", "AC051", "-0.25", "did you mean `0.25`?"),
    Mistake(
        "ALWAYS : WITH PROBABILITY q REJECT;",
        "AC051",
        "q",
        "write the number itself, as in `WITH PROBABILITY 0.25`: parameters stand for constants only",
    ),
    Mistake("ALWAYS : WITH PROBABILITY '0.25' REJECT;", "AC051", "'0.25'", "write `0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY = 0.25 REJECT;", "AC051", "=", "write `WITH PROBABILITY 0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY OF 0.25 REJECT;", "AC051", "OF", "write `WITH PROBABILITY 0.25`"),
    Mistake("ALWAYS : WITH PROBABILITY 0.25 : REJECT;", "AC053", ":", "write `WITH PROBABILITY 0.25 REJECT`"),
    Mistake("ALWAYS : WITH PROBABILITY (0.25) REJECT;", "AC051", "(0.25)", "write `0.25`"),
    Mistake(
        "ALWAYS : WITH PROBABILITY REJECT;",
        "AC051",
        "REJECT",
        "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability",
    ),
    Mistake("ALWAYS : WITH 0.25 REJECT;", "AC053", "0.25", "write `WITH PROBABILITY 0.25 REJECT`"),
    Mistake(
        "ALWAYS : PROBABILITY 0.25 REJECT;", "AC053", "PROBABILITY", "write `WITH PROBABILITY 0.25 REJECT`"
    ),
    Mistake(
        "ALWAYS : WITH PROBABILTY 0.25 REJECT;", "AC053", "PROBABILTY", "write `WITH PROBABILITY 0.25 REJECT`"
    ),
    Mistake("ALWAYS : WITH CHANCE 0.25 REJECT;", "AC053", "CHANCE", "write `WITH PROBABILITY 0.25 REJECT`"),
    Mistake(
        "ALWAYS : REJECT WITH PROBABILITY 0.25;",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.25 REJECT`",
    ),
    Mistake(
        "ALWAYS : REPLACE a WITH 'x' WITH PROBABILITY 0.25;",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.25 REPLACE a WITH 'x'`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.25 WITH PROBABILITY 0.5 REJECT;",
        "AC053",
        "WITH",
        "write the product of both probabilities, `0.125`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.25 DROP a;",
        "AC053",
        "WITH PROBABILITY 0.25 DROP a",
        "remove `WITH PROBABILITY`, or hide values at random, as in `WITH PROBABILITY 0.5 REPLACE …`",
    ),
    Mistake(
        "EACH RESULT : a = 1 : WITH PROBABILITY 0.25 DROP a;",
        "AC053",
        "WITH PROBABILITY 0.25 DROP a",
        "remove `WITH PROBABILITY`, or hide values at random, as in `WITH PROBABILITY 0.5 REPLACE …`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.25;",
        "AC015",
        ";",
        "write `WITH PROBABILITY 0.25 REJECT`, or another action",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY;",
        "AC051",
        ";",
        "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability",
    ),
    Mistake(
        "ALWAYS : WITH;",
        "AC053",
        ";",
        "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability and action",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 0.25 THEN REJECT;",
        "AC050",
        "THEN",
        "`THEN` stands between two actions; remove it",
    ),
    Mistake(
        "ALWAYS WITH PROBABILITY 0.25 REJECT;", "AC011", "WITH", "write `: WITH PROBABILITY 0.25 REJECT`"
    ),
    Mistake(
        "EACH RESULT : a = 1 WITH PROBABILITY 0.25 REJECT;",
        "AC011",
        "WITH",
        "write `: WITH PROBABILITY 0.25 REJECT`",
    ),
    Mistake(
        "EACH RESULT : a IN (1) WITH PROBABILITY 0.25 REJECT;",
        "AC011",
        "WITH",
        "write `: WITH PROBABILITY 0.25 REJECT`",
    ),
    Mistake(
        "EACH RESULT : WITH PROBABILITY 0.25 REJECT;",
        "AC012",
        "WITH",
        "write `EACH RESULT : Age <= 80 : WITH PROBABILITY 0.25 REJECT`",
    ),
    Mistake(
        "EACH RESULT WITH PROBABILITY 0.25 REJECT;",
        "AC011",
        "WITH",
        "write `: Age <= 80 : WITH PROBABILITY 0.25 REJECT`",
    ),
    Mistake(
        "WITH PROBABILITY 0.25 REJECT;",
        "AC049",
        "WITH",
        "write `ALWAYS : WITH PROBABILITY 0.25 REJECT;` to change every record",
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 WITH PROBABILITY 0.5 REJECT;",
        "AC011",
        "WITH",
        "write `: WITH PROBABILITY 0.5 REJECT`",
    ),
    Mistake(
        "ALWAYS : SAMPLE 0.25;",
        "AC024",
        "SAMPLE",
        "write `WITH PROBABILITY 0.75 REJECT` to keep a record with a probability of 0.25",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT WITH PROBABILITY 0.5 REJECT;",
        "AC050",
        "WITH",
        "write `REJECT THEN WITH PROBABILITY 0.5 REJECT`",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT, WITH PROBABILITY 0.5 REJECT;",
        "AC050",
        ",",
        "write `REJECT THEN WITH PROBABILITY 0.5 REJECT`",
    ),
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
    Mistake(
        "ALWAYS : RANDOM d (1, 5);",
        "AC041",
        "(1, 5)",
        _EITHER,
    ),
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
    Mistake(
        "ALWAYS : GENERALIZE d WITH PROBABILITY 0.5 TO YEAR;",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.5 GENERALIZE d TO YEAR`",
    ),
    Mistake("ALWAYS : RANDOM d FROM (\"a\", 'b');", "AC017", '"a"', "write `'a'`"),
    Mistake(
        "ALWAYS : RANDOM d 1, 5;",
        "AC041",
        "1, 5",
        _EITHER,
    ),
    Mistake(
        "ALWAYS : RANDOM d FROM 1, 5;",
        "AC041",
        "FROM 1, 5",
        _EITHER,
    ),
    Mistake(
        "ALWAYS : RANDOM d IN (1, 5);",
        "AC041",
        "IN (1, 5)",
        _EITHER,
    ),
    Mistake("ALWAYS : RANDOM d BETWEEN 1 AND 5;", "AC041", "BETWEEN 1 AND 5", "write `RANDOM d 1 5`"),
    Mistake("ALWAYS : RANDOM d FROM 1, 5, 6;", "AC055", "1", "write `RANDOM d FROM (1, 5, 6)`"),
    Mistake("ALWAYS : RANDOM d FORM ('a', 'b');", "AC055", "FORM", "write `RANDOM d FROM ('a', 'b')`"),
    Mistake(
        "ALWAYS : RANDOM d FROM (0.5 OF 'a', 'b');",
        "AC052",
        "0.5",
        "multiply the weight of each value by 2; a value without one has the weight 1",
    ),
    Mistake("ALWAYS : WITH PROBABILITY 0.25, REJECT;", "AC053", ",", "write `WITH PROBABILITY 0.25 REJECT`"),
    Mistake("ALWAYS : WITH PROBABILITY 1/3 REJECT;", "AC051", "1/3", "write `0.3333`, or more digits of it"),
    Mistake(
        "ALWAYS : WITH PROBABILITY 3/2 REJECT;",
        "AC051",
        "3/2",
        "write a number between 0 and 1, as in `WITH PROBABILITY 0.25`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 1/0 REJECT;",
        "AC051",
        "1/0",
        "write a number between 0 and 1, as in `WITH PROBABILITY 0.25`",
    ),
    Mistake(
        "ALWAYS : WITH PROBABILITY 250% REJECT;",
        "AC051",
        "250%",
        "write a number between 0 and 1, as in `WITH PROBABILITY 0.25`",
    ),
    Mistake("ALWAYS : WITH PROBABILITY 25 percent REJECT;", "AC051", "25 percent", "write `0.25`"),
    Mistake(
        "ALWAYS : WITH PROBABILITY 2.5e-1 REJECT;",
        "AC005",
        "2.5e-1",
        "write a number in digits, as in `1200` or `-0.5`",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REPLACE a WITH PROBABILITY 0.5 WITH 'x';",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.5 REPLACE a WITH 'x'`",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT WITH PROBABILITY;",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.25 REJECT`, with the actual probability",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT WITH PROBABILITY 0.5 THEN REJECT;",
        "AC053",
        "WITH PROBABILITY",
        "write `WITH PROBABILITY 0.5 REJECT`",
    ),
    Mistake(
        "EACH RESULT : a = 1 WITH 80;",
        "AC014",
        "WITH",
        "end the requirement with `;` before `WITH`, or remove the rest",
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
    Mistake(
        "WITH PROBABILITY 0.5 REJECT;",
        "AC049",
        "WITH",
        "write `ALWAYS : WITH PROBABILITY 0.5 REJECT;` to change every record",
    ),
    Mistake("ALWAYS : RANDOM d FROM ('a')) THEN REJECT;", "AC014", ")", "remove the `)`"),
)
