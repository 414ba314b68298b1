"""Mistakes in the forms beyond the paper: the code, the place and the help of each."""

from tests.syntax.mistake import Mistake

EVERYDAY = (
    Mistake("ALWAYS : GENERALIZE age TO BAND OF 5;", "AC047", "BAND", "write `GENERALIZE age TO BANDS`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS BY 5;", "AC047", "BY", "write `BANDS OF 5`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS 5;", "AC047", "5", "write `BANDS OF 5`"),
    Mistake(
        "ALWAYS : GENERALIZE to TO BANDS OF 5;",
        "AC047",
        "to",
        'a column called so is quoted here: write `GENERALIZE "to" TO …`',
    ),
    Mistake("ALWAYS : REPLACE name WITH *;", "AC014", "*", "write `'*'`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF 5, REJECT;", "AC050", ",", "write `5 THEN REJECT`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS 5, 10;", "AC047", "5", "write `BANDS AT 5, 10`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF 5 TO 90;", "AC047", "TO", "write `BANDS OF 5 UP TO 90`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF 5 UP 90;", "AC047", "90", "write `UP TO 90`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF 5 UPTO 90;", "AC047", "UPTO", "write `UP TO 90`"),
    Mistake(
        "ALWAYS : GENERALIZE age TO BANDS OF 5 FROM 0 TO 90;",
        "AC047",
        "TO",
        "write `BANDS OF 5 FROM 0 UP TO 90`",
    ),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF 18, 25, 65;", "AC047", "OF", "write `BANDS AT 18, 25, 65`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF w;", "AC047", "w", "write a number, as in `BANDS OF 5`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS OF;", "AC047", ";", "write a number, as in `BANDS OF 5`"),
    Mistake("ALWAYS : GENERALIZE age TO BANDS;", "AC047", ";", "write `BANDS OF 5`"),
    Mistake(
        "ALWAYS : GENERALIZE age TO;",
        "AC047",
        ";",
        "write `GENERALIZE age TO YEAR`, "
        "or another map, as in `BANDS OF 5`, `PREFIX OF 3` or `LEVEL 1 OF 'file.csv'`",
    ),
    Mistake(
        "ALWAYS : GENERALIZE age;",
        "AC047",
        ";",
        "write `GENERALIZE age TO YEAR`, "
        "or another map, as in `BANDS OF 5`, `PREFIX OF 3` or `LEVEL 1 OF 'file.csv'`",
    ),
    Mistake("ALWAYS : GENERALIZE;", "AC047", ";", "write `GENERALIZE Age TO YEAR`"),
    Mistake("ALWAYS : GENERALISE age TO BANDS OF 5;", "AC019", "GENERALISE", "did you mean `GENERALIZE`?"),
    Mistake("ALWAYS : GENERALIZE age BANDS OF 5;", "AC047", "BANDS", "write `GENERALIZE age TO BANDS`"),
    Mistake('ALWAYS : GENERALIZE "age" BANDS OF 5;', "AC047", "BANDS", 'write `GENERALIZE "age" TO BANDS`'),
    Mistake("ALWAYS : GENERALIZE age INTO BANDS OF 5;", "AC047", "BANDS", "write `GENERALIZE age TO BANDS`"),
    Mistake("ALWAYS : GENERALIZE age BY 5;", "AC047", "BY", "write `GENERALIZE age TO BANDS OF 5`"),
    Mistake("ALWAYS : GENERALIZE age WITH '*';", "AC047", "WITH", "write `REPLACE age WITH '*'`"),
    Mistake("ALWAYS : GENERALIZE age TO 5;", "AC047", "5", "write `BANDS OF 5`"),
    Mistake("ALWAYS : GENERALIZE age TO '*';", "AC047", "'*'", "write `REPLACE age WITH '*'`"),
    Mistake(
        "ALWAYS : GENERALIZE time to event TO BANDS OF 5;",
        "AC016",
        "time to event",
        'write `GENERALIZE "time to event" TO …`',
    ),
    Mistake("ALWAYS : GENERALIZE zip TO PREFIX 3;", "AC047", "3", "write `PREFIX OF 3`"),
    Mistake("ALWAYS : GENERALIZE zip TO PREFIX OF 2.5;", "AC021", "2.5", "write `2`"),
    Mistake(
        "ALWAYS : GENERALIZE e TO LEVEL 1 'file.csv';", "AC047", "'file.csv'", "write `LEVEL 1 OF 'file.csv'`"
    ),
    Mistake(
        "ALWAYS : GENERALIZE e TO LEVEL 1 IN 'file.csv';", "AC047", "IN", "write `LEVEL 1 OF 'file.csv'`"
    ),
    Mistake(
        "ALWAYS : GENERALIZE e TO LEVEL OF 'file.csv';", "AC047", "OF", "write a number, as in `LEVEL 1`"
    ),
    Mistake(
        "ALWAYS : GENERALIZE e TO LEVEL 1 OF file.csv;", "AC047", "file.csv", "write `LEVEL 1 OF 'file.csv'`"
    ),
    Mistake('ALWAYS : GENERALIZE e TO LEVEL 1 OF "file.csv";', "AC017", '"file.csv"', "write `'file.csv'`"),
    Mistake(
        "ALWAYS : GENERALIZE e TO LEVEL 1 OF 'file.csv' OTHERWISE 'x';",
        "AC047",
        "OTHERWISE",
        "write `ELSE 'x'`",
    ),
    Mistake("ALWAYS : GENERALIZE d TO MONTHS;", "AC047", "MONTHS", "write `GENERALIZE d TO MONTH`"),
    Mistake(
        "ALWAYS : GENERALIZE d TO WEEK;",
        "AC047",
        "WEEK",
        "write `GENERALIZE d TO YEAR`, "
        "or another map, as in `BANDS OF 5`, `PREFIX OF 3` or `LEVEL 1 OF 'file.csv'`",
    ),
    Mistake(
        "ALWAYS : GENERALIZE d TO YEAR, GENERALIZE e TO YEAR;",
        "AC050",
        ",",
        "write `YEAR THEN GENERALIZE e TO YEAR`",
    ),
    Mistake(
        "ALWAYS : GENERALIZE d TO YEAR GENERALIZE e TO YEAR;",
        "AC050",
        "GENERALIZE",
        "write `YEAR THEN GENERALIZE e TO YEAR`",
    ),
    Mistake("ALWAYS : DELETE x;", "AC024", "DELETE", "write `DROP x`"),
    Mistake(
        "EACH RESULT : a = 1 : DELETE x;",
        "AC024",
        "DELETE",
        "write `REPLACE x WITH '*'` to hide the value; `REJECT` removes the affected records",
    ),
    Mistake("EACH RESULT : a = 1 : DELETE;", "AC024", "DELETE", "write `REJECT`"),
    Mistake("ALWAYS : REMOVE x, y;", "AC024", "REMOVE", "write `DROP x, y`"),
    Mistake(
        "ALWAYS : DROP COLUMN x;",
        "AC024",
        "COLUMN",
        "write `DROP x`; a column that is called so needs double quotes",
    ),
    Mistake("ALWAYS : DROP;", "AC015", ";", "write `ALWAYS : DROP Age`"),
    Mistake("ALWAYS : DROP x y, ;", "AC015", ";", "write `x y, Age`"),
    Mistake("DROP x;", "AC049", "DROP", "write `ALWAYS : DROP x;` to change every record"),
    Mistake(
        "GENERALIZE age TO YEAR;",
        "AC049",
        "GENERALIZE",
        "write `ALWAYS : GENERALIZE age TO YEAR;` to change every record",
    ),
    Mistake("ALWAYS : SUPPRESS x;", "AC024", "SUPPRESS", "write `REPLACE x WITH '*'`"),
    Mistake("EACH RESULT : a = 1 : SUPPRESS x y;", "AC024", "SUPPRESS", "write `REPLACE x y WITH '*'`"),
    Mistake(
        "ALWAYS : HASH x;",
        "AC024",
        "HASH",
        "a hash can be found by trial; write `REPLACE x WITH '*'`, or `ALWAYS : DROP x;`",
    ),
    Mistake("ALWAYS GENERALIZE age TO YEAR;", "AC011", "GENERALIZE", "write `: GENERALIZE age TO YEAR`"),
    Mistake("ALWAYS DROP x;", "AC011", "DROP", "write `: DROP x`"),
    Mistake("ALWAYS;", "AC015", ";", "write `ALWAYS : REPLACE Name WITH '*';` or `ALWAYS : DROP Name;`"),
    Mistake("ALWAYS : ;", "AC015", ";", "write `ALWAYS : REPLACE Name WITH '*';` or `ALWAYS : DROP Name;`"),
    Mistake("ALWAYS : age >= 3 : REJECT;", "AC049", "ALWAYS", "write `EACH RESULT : age >= 3 : REJECT;`"),
    Mistake("ALWAYS RESULT : a = 1 : REJECT;", "AC049", "ALWAYS", "write `EACH RESULT : a = 1 : REJECT;`"),
    Mistake("ALWYAS : DROP x;", "AC019", "ALWYAS", "did you mean `ALWAYS`?"),
    Mistake(
        "EACH RESULT : a = 1 : DROP x;",
        "AC048",
        "DROP x",
        "`ALWAYS : DROP x;` removes the column, `REJECT` the affected records",
    ),
    Mistake(
        "EACH RESULT : a NOT LIKE '%x';",
        "AC034",
        "'%x'",
        "a pattern is the beginning of a text, as in `'abc%'`; list other values with `IN ('a', 'b')`",
    ),
    Mistake(
        "EACH RESULT : a LIKE 'bob';",
        "AC034",
        "'bob'",
        "write `a = 'bob'` for the text itself, `LIKE 'bob%'` for every text that begins with it",
    ),
    Mistake("EACH RESULT : a LIKE bob;", "AC034", "bob", "write `a LIKE 'bob%'`"),
    Mistake(
        "EACH RESULT : a ILIKE 'bob%';",
        "AC034",
        "ILIKE",
        "`LIKE` distinguishes capital letters; write one condition for each spelling, joined by `OR`",
    ),
    Mistake("EACH RESULT : a IN 1, 2;", "AC032", "1", "write `a IN (1, 2)`"),
    Mistake("EACH RESULT : a IN ();", "AC032", ")", "list one value or more, as in `a IN ('a', 'b')`"),
    Mistake("EACH RESULT : a IN (1, 2,);", "AC032", ")", "list one value or more, as in `a IN ('a', 'b')`"),
    Mistake("EACH RESULT : a IN (1 2);", "AC014", "2", "write `IN (1)`"),
    Mistake('EACH RESULT : a IN ("x");', "AC017", '"x"', "write `'x'`"),
    Mistake("EACH RESULT : a NOT IN 1, 2 AND b = 3;", "AC032", "1", "write `a NOT IN (1, 2)`"),
    Mistake("EACH RESULT : a BETWEEN 1, 5;", "AC033", ",", "write `a BETWEEN 1 AND 5`"),
    Mistake("EACH RESULT : a BETWEEN 1,5;", "AC033", ",", "write `a BETWEEN 1 AND 5`"),
    Mistake("EACH RESULT : a BETWEEN 1 TO 5;", "AC033", "TO", "write `a BETWEEN 1 AND 5`"),
    Mistake("EACH RESULT : a BETWEEN (1, 5);", "AC033", "(", "write `a BETWEEN 1 AND 5`"),
    Mistake("EACH RESULT : a BETWEEN 1;", "AC033", ";", "write both ends, as in `a BETWEEN 18 AND 65`"),
    Mistake("EACH RESULT : a BETWEN 1 AND 5;", "AC019", "BETWEN", "did you mean `BETWEEN`?"),
    Mistake("EACH RESULT : a != ;", "AC015", ";", "write `: a != 80`"),
    Mistake("EACH RESULT : != 3;", "AC014", "!=", "name a column before `!=`, as in `Age != 3`"),
    Mistake("EACH RESULT : a ≠ 3;", "AC030", "≠", "write `a != 3`"),
    Mistake("EACH RESULT : a NOT = 3;", "AC031", "NOT =", "write `a != 3`"),
    Mistake(
        "EACH RESULT : a = 1 : THEN REJECT;", "AC050", "THEN", "`THEN` stands between two actions; remove it"
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT THEN;",
        "AC050",
        ";",
        "write another action, as in `THEN REJECT`, or remove the `THEN`",
    ),
    Mistake(
        "EACH RESULT : a = 1 : REJECT THEN : REJECT;",
        "AC050",
        ":",
        "remove the `:`, since the steps after `THEN` share the assertion",
    ),
    Mistake("EACH RESULT : a = 1 : REPLACE a WITH 1 THAN REJECT;", "AC019", "THAN", "did you mean `THEN`?"),
    Mistake("EACH RESULT : a = 1 : REPLACE a WITH 1 : REJECT;", "AC050", ":", "write `1 THEN REJECT`"),
    Mistake(
        "EACH RESULT : a = 1 GENERALIZE a TO YEAR;", "AC011", "GENERALIZE", "write `: GENERALIZE a TO YEAR`"
    ),
    Mistake(
        "EACH RESULT : GENERALIZE a TO YEAR;",
        "AC012",
        "GENERALIZE",
        "write `EACH RESULT : Age <= 80 : GENERALIZE a TO YEAR`",
    ),
    Mistake("EACH PROCESS COUNT(*) n : n > 3;", "AC013", "n", "write `PROCESS COUNT(*) AS Size`"),
    Mistake(
        "EACH PROCESS COUNT(*), COUNT DISTINCT(d) AS l : n > 3;",
        "AC013",
        ",",
        "write `PROCESS COUNT(*) AS Size`",
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(d) : n > 3;",
        "AC013",
        ":",
        "write `COUNT DISTINCT(d) AS Size`",
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS n, AVG(d) AS m : n > 3;",
        "AC023",
        "AVG",
        "write one of `SUM(d)` `MIN(d)` `MAX(d)` `COUNT DISTINCT(d)`",
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS n, COUNT(DISTINCT d) AS m : n > 3;",
        "AC023",
        "DISTINCT",
        "write `COUNT DISTINCT(d)`",
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS n, d GROUP BY x : n > 3;", "AC023", "d", "write `COUNT DISTINCT(d) AS Size`"
    ),
    Mistake("ALWAYS : GENERALIZE e TO LEVEL 1.5 OF 'file.csv';", "AC021", "1.5", "write `1`"),
    Mistake(
        'EACH RESULT : "a b" IN ();', "AC032", ")", "list one value or more, as in `\"a b\" IN ('a', 'b')`"
    ),
    Mistake("ALWAYS : GENERALIZE age BY YEAR;", "AC047", "BY", "write `GENERALIZE age TO YEAR`"),
)
