"""Every mistake that the parser recognizes: its code, the place it points at, and its help."""

from tests.syntax.chance_mistakes import CHANCES
from tests.syntax.everyday_mistakes import EVERYDAY
from tests.syntax.mistake import Mistake
from tests.syntax.urn_mistakes import URNS

__all__ = ["MISTAKES", "Mistake"]

_PAPER = (
    Mistake(
        "EACH RESULT : [Age] = 1;",
        "AC001",
        "[",
        "in a name or a text it needs quotes, as in `\"AEC (kWh)\" = '212**'`",
    ),
    Mistake(
        "EACH RESULT : Age = – 1;",
        "AC001",
        "–",
        "in a name or a text it needs quotes, as in `\"AEC (kWh)\" = '212**'`",
    ),
    Mistake("EACH RESULT : Age = 'abc ;", "AC002", "'abc ", "write `'abc'`"),
    Mistake('EACH RESULT : "Age = 1 ;', "AC003", '"Age = 1 ', 'write `"Age" = 1`'),
    Mistake("EACH RESULT : Age > 1 /* open", "AC004", "/* open", "end the comment with `*/`"),
    Mistake(
        "EACH RESULT : Age = 1e5;",
        "AC005",
        "1e5",
        "write a number in digits, as in `1200` or `-0.5`; if it is not a number, write `'1e5'`",
    ),
    Mistake("EACH RESULT : Age = 1_000;", "AC005", "1_000", "write `1000`"),
    Mistake(
        "EACH RESULT : Age = 3000-4000;",
        "AC005",
        "3000-4000",
        "write a number in digits, as in `1200` or `-0.5`; if it is not a number, write `'3000-4000'`",
    ),
    Mistake(
        "EACH RESULT : 2nd visit = 3;",
        "AC005",
        "2nd",
        'write a number in digits, as in `1200` or `-0.5`; if it is not a number, write `"2nd visit"`',
    ),
    Mistake("EACH RESULT : Age = .5;", "AC005", ".5", "write `0.5`"),
    Mistake('EACH RESULT : "" = 1;', "AC006", '""', 'name a column, as in `Age` or `"AEC (kWh)"`'),
    Mistake('EACH RESULT : Age = "";', "AC006", '""', "write `''` for the empty text"),
    Mistake("EACH RESULT : Name = ‘Bob’;", "AC007", "‘Bob’", "write `'Bob'`"),
    Mistake("EACH RESULT : “Postal Code” = 'x';", "AC007", "“Postal Code”", "write `Postal Code`"),
    Mistake(
        "-- allow ac506",
        "AC008",
        "-- allow ac506",
        "write `-- allow AC506: the curator decided so on 1 May`, with the actual reason",
    ),
    Mistake("EACH RESULT : Age = 3", "AC010", "3", "write `Age = 3;`"),
    Mistake("EACH RESULT : Age < 80 REJECT;", "AC011", "REJECT", "write `: REJECT`"),
    Mistake("EACH RESULT REJECT;", "AC011", "REJECT", "write `: Age <= 80 : REJECT`"),
    Mistake("EACH RESULT : ;", "AC012", ";", "write `EACH RESULT : Age <= 80`"),
    Mistake("EACH FILTER : Age = 3;", "AC012", ":", "write `EACH FILTER Age <= 80`"),
    Mistake("EACH RESULT : Age = 3 AND ;", "AC012", ";", "write `= 3 AND Age <= 80`"),
    Mistake("EACH RESULT : Age = 3 AND OR Age = 2;", "AC012", "OR", "write `= 3 AND Age <= 80`"),
    Mistake(
        "EACH PROCESS COUNT(*) AS Size WHERE : Size = 1;", "AC012", ":", "write `AS Size WHERE Age <= 80`"
    ),
    Mistake(
        "EACH PROCESS COUNT(*) GROUP BY Age : Size > 3;",
        "AC013",
        "GROUP BY",
        "write `PROCESS COUNT(*) AS Size`",
    ),
    Mistake(
        "EACH PROCESS COUNT DISTINCT AEC GROUP BY Age : Size > 3;",
        "AC013",
        "GROUP BY",
        "write `PROCESS COUNT DISTINCT AEC AS Size`",
    ),
    Mistake("EACH PROCESS SUM(*) AS y : y > 3;", "AC014", "*", "write `PROCESS SUM(Age`"),
    Mistake("EACH PROCESS COUNT(*) AS : y > 3;", "AC014", ":", "write `*) AS Age`"),
    Mistake("EACH PROCESS COUNT(*) AS y GROUP BY : y > 3;", "AC014", ":", "write `AS y GROUP BY Age`"),
    Mistake("EACH PROCESS COUNT(*) AS y GROUP BY Age Size > 3;", "AC011", "Size", "write `Age : Size > 3`"),
    Mistake("EACH RESULT : (Age = 3 : REJECT;", "AC014", ":", "write `Age = 3)`"),
    Mistake("EACH RESULT : Age = 3) : REJECT;", "AC014", ")", "remove the `)`"),
    Mistake("EACH : Age = 1;", "AC014", ":", "write `EACH RESULT : Age = 1;`"),
    Mistake("EACH Age = 1;", "AC014", "Age", "write `EACH RESULT : Age = 1;`"),
    Mistake("RESULT : Age = 1;", "AC014", "RESULT", "write `EACH RESULT : Age = 1;`"),
    Mistake("EACH RESULT : = 3;", "AC014", "=", "name a column before `=`, as in `Age = 3`"),
    Mistake(
        "EACH RESULT : a = b = c;",
        "AC014",
        "=",
        "end the requirement with `;` before `=`, or remove the rest",
    ),
    Mistake(
        "EACH RESULT : Age >= 3 : REJECT : 3;",
        "AC014",
        ":",
        "end the requirement with `;` before `:`, or remove the rest",
    ),
    Mistake("EACH RESULT : a = 'x' b = 'y';", "AC014", "b", "write `a = 'x' AND b = 'y';`"),
    Mistake(
        "EACH RESULT : Age = 3 : ;",
        "AC015",
        ";",
        "write `: REJECT`, or leave out the `:` if the requirement only checks",
    ),
    Mistake("EACH RESULT : Age = 3 : RANDOM Age 3;", "AC015", ";", "write `RANDOM Age 3 80`"),
    Mistake("EACH RESULT : Age = 3 : RANDOM lo hi;", "AC015", ";", "write `RANDOM lo hi 80`"),
    Mistake("EACH RESULT : Age = ;", "AC015", ";", "write `: Age = 80`"),
    Mistake("EACH;", "AC015", ";", "write `EACH RESULT : Age <= 80`"),
    Mistake("EACH RESULT : a = 1 : REPLACE a b;", "AC015", ";", "write `REPLACE a b WITH 80`"),
    Mistake("EACH RESULT : Group = 3;", "AC016", "Group", 'write `"Group"`'),
    Mistake("EACH RESULT : Record ID = 3;", "AC016", "Record", 'write `"Record ID"`'),
    Mistake("EACH RESULT : Each = 3;", "AC016", "Each", 'write `"Each"`'),
    Mistake(
        "EACH PROCESS COUNT(*) AS Result GROUP BY Age : Size > 3;", "AC016", "Result", 'write `"Result"`'
    ),
    Mistake("EACH RESULT : Age = Result;", "AC016", "Result", "write `'Result'`"),
    Mistake('EACH RESULT : Age = "Bob";', "AC017", '"Bob"', "write `'Bob'`"),
    Mistake('SOME FILTER Age > 3 : Name = "it\'s";', "AC017", '"it\'s"', "write `'it''s'`"),
    Mistake("EACH RESULT : 'Age' = 3;", "AC018", "'Age'", "write `Age`"),
    Mistake("EAHC RESULT : Age < 3;", "AC019", "EAHC", "did you mean `EACH`?"),
    Mistake("EACH RESLT : Age < 3;", "AC019", "RESLT", "did you mean `RESULT`?"),
    Mistake("EACH RESULT : Age < 3 : REPALCE Age WITH 3;", "AC019", "REPALCE", "did you mean `REPLACE`?"),
    Mistake("EACH RESULT : Age < 3 : REPLACE Age WTIH 3;", "AC019", "WTIH", "did you mean `WITH`?"),
    Mistake("EACH RESULT : Age < 3 ADN Age > 1;", "AC019", "ADN", "did you mean `AND`?"),
    Mistake("EACH RESULT : Age < k ADN Age > 1;", "AC019", "ADN", "did you mean `AND`?"),
    Mistake(
        "EACH PROCESS COUNT(*) AS Size GORUP BY Age : Size > 3;", "AC019", "GORUP", "did you mean `GROUP BY`?"
    ),
    Mistake(
        "EACH PROCESS COUNT(*) AS Size GROUP Age : Size > 3;", "AC019", "GROUP", "did you mean `GROUP BY`?"
    ),
    Mistake(
        f"EACH RESULT : {'(' * 65}Age = 3{')' * 65};",
        "AC020",
        "(",
        "split the condition into several requirements, or remove redundant parentheses",
    ),
    Mistake("EACH RESULT : Age = 3 : RANDOM Age 3.5 4;", "AC021", "3.5", "write `3`"),
    Mistake("EACH RESULT : Size >= Min Size;", "AC022", "Min Size", "write `'Min Size'`"),
    Mistake(
        "EACH PROCESS AVG(x) AS y : y > 3;",
        "AC023",
        "AVG",
        "write one of `SUM(x)` `MIN(x)` `MAX(x)` `COUNT DISTINCT(x)`",
    ),
    Mistake("EACH PROCESS SUM Age AS y : y > 3;", "AC023", "Age", "write `SUM(Age)`"),
    Mistake(
        "EACH PROCESS COUNT(Age) AS y : y > 3;",
        "AC023",
        "Age",
        "write `COUNT(*)` for the records, `COUNT DISTINCT(Age)` for the values",
    ),
    Mistake(
        "EACH PROCESS COUNT(DISTINCT Age) AS y : y > 3;", "AC023", "DISTINCT", "write `COUNT DISTINCT(Age)`"
    ),
    Mistake("EACH PROCESS SUM(Age AS y : y > 3;", "AC023", "AS", "write `SUM(Age)`"),
    Mistake("EACH RESULT : Age = 3 : Age = 2;", "AC024", "Age = 2", "write `REPLACE Age WITH 2`"),
    Mistake(
        "EACH RESULT : Age < 3 : DELETE;",
        "AC024",
        "DELETE",
        "write `REJECT`",
    ),
    Mistake("EACH RESULT : Age;", "AC025", ";", "write `Age = 'true'`"),
    Mistake("EACH RESULT : Age 80;", "AC025", "80", "write `Age = 80`"),
    Mistake(
        "EACH RESULT Age < 80 : REJECT;",
        "AC026",
        "Age",
        "write `EACH RESULT : Age < 80` to require it of every record, "
        "`EACH FILTER Age < 80 : …` to require something of the records that satisfy it",
    ),
    Mistake(
        "EACH RECORD Age < 80 : REJECT;",
        "AC026",
        "Age",
        "write `EACH RESULT : Age < 80` to require it of every record, "
        "`EACH FILTER Age < 80 : …` to require something of the records that satisfy it",
    ),
    Mistake('EACH RESULT : "AEC" kWh = 3;', "AC027", '"AEC" kWh', 'write `"AEC kWh"`'),
    Mistake('EACH RESULT : AEC "kWh" = 3;', "AC027", 'AEC "kWh"', 'write `"AEC kWh"`'),
    Mistake(";", "AC028", ";", "remove the `;`, or write `EACH RESULT : Age <= 80;`"),
    Mistake("EACH RESULT : Status ≠ 'x';", "AC030", "≠", "write `Status != 'x'`"),
    Mistake("EACH RESULT : Age == 80;", "AC031", "==", "write `Age = 80`"),
    Mistake("EACH RESULT : Age =< 1;", "AC031", "=<", "write `Age <= 1`"),
    Mistake(
        "EACH RESULT : Age < 3 : ZERO Postal code;", "AC035", "ZERO", "write `REPLACE Postal code WITH 0`"
    ),
    Mistake(
        "EACH RESULT : Age < 3 : JOIN Age;",
        "AC036",
        "JOIN",
        "write one requirement with `REPLACE Age WITH …` for each group to join, "
        "and check the joined groups with `EACH PROCESS SUM(Number) AS Size …`",
    ),
    Mistake(
        "SELECT * FROM t;",
        "AC037",
        "SELECT",
        "a policy consists of requirements, as in `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`",
    ),
    Mistake(
        "EACH RESULT : Age IS NULL;",
        "AC038",
        "IS",
        "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`",
    ),
    Mistake(
        "EACH RESULT : Age IS NOT NULL : REJECT;",
        "AC038",
        "IS",
        "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`",
    ),
    Mistake("EACH RESULT : Age = 1 && Age = 2;", "AC039", "&&", "write `AND`"),
    Mistake("EACH RESULT : Age = 1 || Age = 2;", "AC039", "||", "write `OR`"),
    Mistake("EACH RESULT : !(Age = 1);", "AC039", "!", "write `NOT`"),
    Mistake("EACH ROW : Age = 1;", "AC040", "ROW", "write `EACH RESULT`"),
    Mistake("SOME person Age = 1 : REJECT;", "AC040", "person", "write `SOME RESULT :`"),
    Mistake(
        "EACH RESULT : Age > 1 : RANDOM Age BETWEEN 1 AND 5;",
        "AC041",
        "BETWEEN 1 AND 5",
        "write `RANDOM Age 1 5`",
    ),
    Mistake(
        "EACH RESULT : Age > 1 : RANDOM My Age 1 TO hi;", "AC041", "1 TO hi", "write `RANDOM My Age 1 hi`"
    ),
    Mistake(
        "EACH RESULT : Age > 1 : RANDOM Age (1, 5);",
        "AC041",
        "(1, 5)",
        "write `RANDOM Age 1 5` to draw an integer between them, "
        "or write `RANDOM Age FROM (1, 5)` to draw one of the two",
    ),
    Mistake("EACH RESULT : Age < 40 : REPLACE Age BY 40;", "AC042", "BY", "write `REPLACE Age WITH 40`"),
    Mistake("EACH RESULT : Age < 40 : REPLACE Age = k;", "AC042", "=", "write `REPLACE Age WITH k`"),
    Mistake(
        "EACH RESULT : Age < 40 : REPLACE My Age TO '*';", "AC042", "TO", "write `REPLACE My Age WITH '*'`"
    ),
    Mistake("EACH RESULT : Age < 40 : REPLACE Age 40;", "AC042", "40", "write `REPLACE Age WITH 40`"),
    Mistake("EACH RESULT : Age < 40,5;", "AC043", "40,5", "write `40.5`"),
    Mistake("EACH RESULT : Pay < 1,000 AND Age > 3;", "AC043", "1,000", "write `1.000` or `1000`"),
    Mistake(
        "EACH RESULT : Age >= 20, Age < 30;",
        "AC044",
        ",",
        "write `AND` to require both conditions, or write `OR` to require one of them",
    ),
    Mistake(
        "EACH RESULT : (Age >= 20), NOT Age = 30;",
        "AC044",
        ",",
        "write `AND` to require both conditions, or write `OR` to require one of them",
    ),
    Mistake("EACH RESULT : Age = 1, 2;", "AC044", "Age = 1, 2", "write `Age IN (1, 2)`"),
    Mistake("EACH RESULT : 20 <= Age;", "AC045", "20 <= Age", "write `Age >= 20`"),
    Mistake(
        "EACH RESULT : NOT 20 <= My Age < k : REJECT;",
        "AC045",
        "20 <= My Age < k",
        "write `(My Age >= 20 AND My Age < k)`",
    ),
    Mistake("# ages", "AC046", "# ages", "write `-- ages`"),
    Mistake("// don't; \"x", "AC046", "// don't; \"x", "write `-- don't; \"x`"),
)

MISTAKES = (*_PAPER, *EVERYDAY, *CHANCES, *URNS)
